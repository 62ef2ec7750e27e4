package pipeline

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
)

// The key depends on everything that a run can read. Fields are found by
// reflection, so a field added to the context is tested too.
func TestKeyDependsOnEveryField(t *testing.T) {
	base := func() (*Step, *abi.Context, *inputHashes) {
		return &Step{ModuleHash: "m", Config: []byte("{}"), LLMIdentity: "l"}, &abi.Context{}, &inputHashes{}
	}
	seen := make(map[[32]byte]string)
	note := func(field string, change func(*Step, *abi.Context, *inputHashes)) {
		s, x, h := base()
		change(s, x, h)
		k := keyOf(s, "", x, *h)
		if other, dup := seen[k]; dup {
			t.Errorf("%s has the key of %s", field, other)
		}
		seen[k] = field
	}
	note("nothing changed", func(*Step, *abi.Context, *inputHashes) {})
	note("module hash", func(s *Step, _ *abi.Context, _ *inputHashes) { s.ModuleHash = "n" })
	note("config", func(s *Step, _ *abi.Context, _ *inputHashes) { s.Config = []byte("[]") })
	note("LLM", func(s *Step, _ *abi.Context, _ *inputHashes) { s.LLMIdentity = "" })
	if k := keyOf(&Step{ModuleHash: "m", Config: []byte("{}"), LLMIdentity: "l"}, "p", &abi.Context{}, inputHashes{}); seen[k] != "" {
		t.Errorf("the proxymodel of a shared result has the key of %s", seen[k])
	}
	note("input", func(_ *Step, _ *abi.Context, h *inputHashes) { h.input[0]++ })
	note("marks and tree", func(_ *Step, _ *abi.Context, h *inputHashes) { h.shape[0]++ })
	note("original", func(_ *Step, _ *abi.Context, h *inputHashes) { h.original[0]++ })
	reads := abi.Role{Kind: abi.KindStage, Capabilities: []string{abi.CapabilityArguments}}
	note("arguments of a role that reads them", func(s *Step, _ *abi.Context, h *inputHashes) { s.Role, h.arguments = reads, []byte("{}") })
	note("other arguments", func(s *Step, _ *abi.Context, h *inputHashes) { s.Role, h.arguments = reads, []byte("[]") })
	note("no arguments", func(s *Step, _ *abi.Context, _ *inputHashes) { s.Role = reads })
	note("bytes moved between fields", func(s *Step, _ *abi.Context, _ *inputHashes) { s.ModuleHash, s.Config = "m{", []byte("}") })
	for _, path := range leaves(reflect.TypeFor[abi.Context](), nil) {
		note(fmt.Sprint("context field ", path), func(_ *Step, x *abi.Context, _ *inputHashes) {
			f := reflect.ValueOf(x).Elem().FieldByIndex(path)
			if f.Kind() == reflect.String {
				f.SetString("1")
			} else {
				f.SetInt(1)
			}
		})
	}
	if len(seen) < 8+20 {
		t.Errorf("only %d variants seen", len(seen))
	}
}

// Arguments are part of the key only if the role reads them.
func TestUnreadArgumentsAreNoPartOfTheKey(t *testing.T) {
	s := &Step{Role: abi.Role{Kind: abi.KindStage, Capabilities: []string{"cache"}}}
	if keyOf(s, "", &abi.Context{}, inputHashes{}) != keyOf(s, "", &abi.Context{}, inputHashes{arguments: []byte("{}")}) {
		t.Error("arguments that the role does not read change its key")
	}
}

// A stage that reads the arguments runs again for others, and others do not.
func TestArgumentsReachTheStagesThatReadThem(t *testing.T) {
	p := open(t, Options{Cache: newMemory()})
	var seen []string
	note := func(_ context.Context, c abi.Call) (abi.Output, error) {
		seen = append(seen, c.Role+" "+string(c.Arguments))
		return abi.Output{Pass: true}, nil
	}
	asking, plain := stage("asking", runFunc(note)), stage("plain", runFunc(note))
	asking.Role.Capabilities = []string{abi.CapabilityArguments}
	for _, arguments := range []string{`{"q":1}`, `{"q":1}`, `{"q":2}`, ""} {
		r := request("hello", asking, plain)
		r.Arguments = []byte(arguments)
		run(t, p, r)
	}
	if got, want := strings.Join(seen, "|"), `asking {"q":1}|plain |asking {"q":2}|asking `; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func leaves(t reflect.Type, at []int) (paths [][]int) {
	for i := range t.NumField() {
		path := append(append([]int(nil), at...), i)
		if t.Field(i).Tag.Get("json") == "-" {
			continue // not visible to guests
		}
		if f := t.Field(i).Type; f.Kind() == reflect.Struct {
			paths = append(paths, leaves(f, path)...)
		} else {
			paths = append(paths, path)
		}
	}
	return paths
}

// A run does not read the session, so the key does not contain it.
func TestSessionsShareCachedResults(t *testing.T) {
	p := open(t, Options{Cache: newMemory()})
	u := count(upper)
	for _, scope := range []flow.Scope{{Project: "home", Subject: "a", Session: "1"}, {Project: "home", Subject: "b", Session: "2"}} {
		r := request("hello", stage("upper", u))
		r.Scope = scope
		run(t, p, r)
	}
	u.want(t, 1)
	r := request("hello", stage("upper", u))
	r.Scope.Project = "work"
	run(t, p, r)
	u.want(t, 2)
}
