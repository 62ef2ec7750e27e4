package wasm

import (
	"fmt"
	"slices"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
)

// Codes as numbers, for tables of results.
const (
	notFound    = int32(abi.CodeNotFound)
	limit       = int32(abi.CodeLimit)
	unavailable = int32(abi.CodeUnavailable)
	badArg      = int32(abi.CodeBadArg)

	maxLLMParts = 4096 // of one request
	denied      = int32(abi.CodeDenied)
	timeout     = int32(abi.CodeTimeout)
	upstream    = int32(abi.CodeUpstream)
	unsupported = int32(abi.CodeUnsupported)
)

// step is one call of an import and its expected result. The archives of abi/tck/host cover
// the results of regular calls.
type step struct {
	name string
	args []any
	want int32
}

// sessionManifest lets a script import all functions, in a role of kind stage.
const sessionManifest = `{"name":"script","abi":"1.0","roles":[
	{"name":"script","kind":"stage","capabilities":["cache","llm"]},
	{"name":"steer","kind":"controller","capabilities":["session"]}]}`

func runSteps(t *testing.T, b *bench, s *script, steps []step) {
	t.Helper()
	for _, st := range steps {
		s.call(st.name, st.args...)
	}
	s.call("out_write", 0, 0)
	got := b.run(t, s, content("hello"))
	if got.err != nil {
		t.Fatal(got.err)
	}
	for i, st := range steps {
		if got.results[i] != st.want {
			t.Errorf("%s%v = %d, want %d", st.name, st.args, got.results[i], st.want)
		}
	}
}

func importNamed(name string) abi.Import {
	i := slices.IndexFunc(abi.Imports, func(i abi.Import) bool { return i.Name == name })
	return abi.Imports[i]
}

// runStep runs a guest that returns the result of one import.
func runStep(t *testing.T, b *bench, manifest string, st step) int32 {
	t.Helper()
	s := &script{noResult: true, manifest: manifest}
	if manifest != "" { // it may have a controller
		s.hooks = []string{abi.ExportOnClose}
	}
	s.call(st.name, st.args...)
	s.raw(0x41).raw(sleb(resultsAt)...).raw(0x28, 2, 0, 0x0f)
	got := b.run(t, s, content("hello"))
	var code int32
	if _, err := fmt.Sscanf(fmt.Sprint(got.err), "returned %d, want 0, 1 or 2", &code); err != nil {
		t.Fatalf("%s: %v", st.name, got.err)
	}
	return code
}
