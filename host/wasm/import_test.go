package wasm

import (
	"fmt"
	"slices"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
)

// Codes as ints, for tables of arguments and results.
const (
	notFound    = int32(abi.CodeNotFound)
	limit       = int32(abi.CodeLimit)
	unavailable = int32(abi.CodeUnavailable)
	denied      = int32(abi.CodeDenied)
	timeout     = int32(abi.CodeTimeout)
	upstream    = int32(abi.CodeUpstream)
	unsupported = int32(abi.CodeUnsupported)
)

// step is one call of an import and what it must answer.
type step struct {
	name string
	args []any
	want int32
}

// importCase is a guest that makes its calls in order. Texts that calls point at
// stand in memory from 0 on.
type importCase struct {
	rule   string
	input  string
	memory string
	steps  []step
}

// covers P-016, P-026, P-027, P-031, D-002
func TestImports(t *testing.T) {
	for _, c := range slices.Concat(bufCases, jsonCases, sectionCases, keepCases) {
		t.Run(c.rule, func(t *testing.T) {
			s := (&script{manifest: sessionManifest, hooks: []string{abi.ExportOnClose}}).data(0, c.memory)
			for _, st := range c.steps {
				s.call(st.name, st.args...)
			}
			s.call("out_write", 0, 0)
			got := newBench(t, nil).run(t, s, content(c.input))
			if got.err != nil {
				t.Fatal(got.err)
			}
			for i, st := range c.steps {
				if got.results[i] != st.want {
					t.Errorf("%s%v = %d, want %d", st.name, st.args, got.results[i], st.want)
				}
			}
		})
	}
}

// sessionManifest lets a script import everything, in a role of kind stage.
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

// lone runs a guest that returns what one import answered.
func lone(t *testing.T, b *bench, manifest string, st step) int32 {
	t.Helper()
	s := &script{noResult: true, manifest: manifest}
	if manifest != "" { // which may have a controller
		s.hooks = []string{abi.ExportOnClose}
	}
	s.call(st.name, st.args...)
	s.raw(0x41).raw(sleb(resultsAt)...).raw(0x28, 2, 0, 0x0f)
	got := b.run(t, s, content("hello"))
	var code int32
	if _, err := fmt.Sscanf(fmt.Sprint(got.err), "returned %d, want 0, 1 or 2", &code); err != nil {
		t.Fatalf("%s: %v", st.name, got.err)
	}
	answered(s.names[0], code)
	return code
}
