package wasm

import (
	"errors"
	"fmt"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
)

func TestValuesOfTheCacheAreLimited(t *testing.T) {
	runSteps(t, newBench(t, nil), &script{pages: 66}, []step{
		{"cache_set", []any{0, 1, 0, abi.LimitCacheValueBytes + 1}, limit}, {"cache_set", []any{0, 1, 0, abi.LimitCacheValueBytes}, 0}})
}

func TestCacheSetKeepsTheLimitOfTheStore(t *testing.T) {
	b := newBench(t, nil)
	b.kv.full = fmt.Errorf("full: %w", abi.ErrLimit)
	runSteps(t, b, &script{}, []step{{"cache_set", []any{0, 1, 0, 1}, limit}})
	b = newBench(t, nil)
	b.kv.full = errors.New("disk on fire")
	runSteps(t, b, &script{}, []step{{"cache_set", []any{0, 1, 0, 1}, unavailable}})
}

var noCacheSteps = []step{{"cache_get", []any{0, 1}, unavailable}, {"cache_set", []any{0, 1, 0, 1}, unavailable}}

// One result at a time comes back as the stage's return code where there is no
// cache to carry it.
func TestCacheMayBeMissing(t *testing.T) {
	for _, st := range noCacheSteps {
		if got := lone(t, newBench(t, func(o *Options) { o.KV = nil }), "", st); got != st.want {
			t.Errorf("%s without a cache = %d, want %d", st.name, got, st.want)
		}
	}
}
