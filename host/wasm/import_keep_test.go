package wasm

import (
	"errors"
	"fmt"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
)

func TestCacheValueLimit(t *testing.T) {
	runSteps(t, newBench(t, nil), &script{pages: 66}, []step{
		{"cache_set", []any{0, 1, 0, abi.LimitCacheValueBytes + 1}, limit}, {"cache_set", []any{0, 1, 0, abi.LimitCacheValueBytes}, 0}})
}

func TestCacheSetReturnsErrorOfStore(t *testing.T) {
	b := newBench(t, nil)
	b.kv.full = fmt.Errorf("full: %w", abi.ErrLimit)
	runSteps(t, b, &script{}, []step{{"cache_set", []any{0, 1, 0, 1}, limit}})
	b = newBench(t, nil)
	b.kv.full = errors.New("disk on fire")
	runSteps(t, b, &script{}, []step{{"cache_set", []any{0, 1, 0, 1}, unavailable}})
}

var noCacheSteps = []step{{"cache_get", []any{0, 1}, unavailable}, {"cache_set", []any{0, 1, 0, 1}, unavailable}}

// TestCacheMayBeMissing returns each result as the return code of the stage, because there
// is no cache to hold it.
func TestCacheMayBeMissing(t *testing.T) {
	for _, st := range noCacheSteps {
		if got := runStep(t, newBench(t, func(o *Options) { o.KV = nil }), "", st); got != st.want {
			t.Errorf("%s without a cache = %d, want %d", st.name, got, st.want)
		}
	}
}
