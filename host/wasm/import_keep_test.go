package wasm

import (
	"errors"
	"fmt"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
)

// keepCases are the functions on what a run keeps beside its output, and those
// that stages are denied.
var keepCases = []importCase{
	{"meta_set wants a key and text", "", "type\xff", []step{
		{"meta_set", []any{0, 4, 0, 2}, 0}, {"meta_set", []any{0, 0, 0, 2}, badArg}, {"meta_set", []any{0, 4, 4, 1}, badArg},
		{"meta_set", []any{0, 5, 0, 2}, badArg}, {"meta_set", []any{0, 4, 100, 16 << 10}, limit}}},
	{"cache_get gives what cache_set kept", "", "keyvalue", []step{
		{"cache_get", []any{0, 3}, notFound}, {"cache_set", []any{0, 3, 3, 5}, 0}, {"cache_get", []any{0, 3}, 16}, {"buf_len", []any{16}, 5},
		{"cache_get", []any{0, 1025}, notFound}, {"cache_set", []any{0, 1025, 3, 5}, 0}, {"cache_get", []any{0, 1025}, 17},
		{"cache_get", []any{0, 1026}, notFound}}},
	{"log takes four levels", "", "line", []step{
		{"log", []any{0, 0, 4}, 0}, {"log", []any{3, 0, 4}, 0}, {"log", []any{4, 0, 4}, badArg}, {"log", []any{-1, 0, 4}, badArg}}},
	{"fail always works", "", "why", []step{{"fail", []any{0, 3}, 0}}},
	{"last_error has a sentence for all codes but NOT_FOUND", "x", "", []step{
		{"last_error", []any{}, notFound}, {"cache_get", []any{0, 3}, notFound}, {"last_error", []any{}, notFound},
		{"buf_len", []any{99}, badArg}, {"last_error", []any{}, 16}, {"buf_len", []any{16}, 24},
		{"cache_get", []any{0, 3}, notFound}, {"last_error", []any{}, notFound}}},
	{"session functions are denied to a stage", "x", "", []step{
		{"state_get", []any{0, 1}, denied}, {"tools", []any{}, denied}, {"out_to", []any{0}, denied}}},
}

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
