package wasm

import (
	"slices"
	"testing"
)

// filterSteps are functions that a filter may not call.
var filterSteps = []step{
	{"out_index", []any{-1, 0, 0}, unsupported}, {"section_add", []any{-1, 1, 0, 1, 0, 0}, unsupported},
	{"sections_add", []any{1, 0, 0, 0, 0}, unsupported}, {"section_title", []any{0, 0, 0, 1}, unsupported}, {"section_summary", []any{0, 0, 0, 1}, unsupported},
	{"section_id", []any{0, 0, 1}, unsupported}, {"section_text", []any{0, 0}, unsupported},
}

func TestFilterAddsNoSections(t *testing.T) {
	s := &script{manifest: `{"name":"script","abi":"1.0","roles":[{"name":"script","kind":"filter","capabilities":["cache"]}]}`}
	runSteps(t, newBench(t, nil), s, filterSteps)
}

// TestInitializeMayOnlyLog verifies that all other functions return UNSUPPORTED in
// _initialize.
func TestInitializeMayOnlyLog(t *testing.T) {
	for _, name := range []string{"out_write", "out_span", "buf_len", "log"} {
		s := &script{noResult: true}
		args := []any{0, 0, 0}[:len(importNamed(name).Params)]
		s.call(name, args...)
		s.init = append(slices.Clone(s.code), 0x41, 0, 0x41, 0, 0x28, 2, 0, 0x1a, 0x1a) // unused loads, dropped
		s.code = nil
		s.calls = 0
		// the result is stored at resultsAt; the stage returns it
		s.raw(0x41).raw(sleb(resultsAt)...).raw(0x28, 2, 0, 0x0f) // i32.load; return
		got := newBench(t, nil).run(t, s, content("x"))
		want := "returned -8, want 0, 1 or 2"
		if name == "log" {
			want = "returned DONE without output"
		}
		if got.err == nil || got.err.Error() != want {
			t.Errorf("%s in _initialize: %v, want %s", name, got.err, want)
		}
	}
}

// deniedSteps are the results for a role without capabilities. Another role of its module
// has them.
var deniedSteps = []step{
	{"cache_get", []any{0, 1}, denied}, {"cache_set", []any{0, 1, 0, 1}, denied}, {"available", []any{0}, denied},
	{"begin", []any{0, 1, 0}, denied}, {"system", []any{1, 0, 0}, denied}, {"text", []any{1, 0, 0}, denied},
	{"span", []any{1, 0, 0, 0}, denied}, {"send", []any{1}, denied}, {"wait", []any{-1, 0}, denied},
	{"status", []any{1}, denied}, {"result", []any{1}, denied},
}

func TestRoleWithoutCapabilityIsDenied(t *testing.T) {
	const manifest = `{"name":"script","abi":"1.0","roles":[{"name":"script","kind":"stage"},
		{"name":"other","kind":"stage","capabilities":["cache","llm"]}]}`
	for _, st := range deniedSteps {
		if got := runStep(t, newBench(t, nil), manifest, st); got != st.want {
			t.Errorf("%s = %d, want %d", st.name, got, st.want)
		}
	}
}
