package wasm

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/hosttest"
)

// TestGoldenControllers verifies that controllers built once for ABI 1 still behave the
// same, for the hooks of one session.
func TestGoldenControllers(t *testing.T) {
	paths, err := filepath.Glob("../../testdata/abi/v1/controllers/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatal(err, "no golden controllers")
	}
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".txtar")
		t.Run(name, func(t *testing.T) {
			archive, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			file, err := os.ReadFile(filepath.Join(filepath.Dir(path), name+".wasm"))
			if err != nil {
				t.Fatal(err)
			}
			c := newBench(t, nil).controller(t, name, file)
			s := &hosttest.Session{Role: name, Known: []flow.ListedTool{{Label: "files/write", Wire: "files__write", Kind: abi.ToolUpstream}}}
			for i, f := range archive.Files {
				out, err := c.Hook(t.Context(), hookCall(abi.Hook(f.Name), s, "{}"))
				if err != nil {
					t.Fatal(err)
				}
				s.Commit(out)
				if got := describeHook(out); got != string(f.Data) {
					t.Errorf("%d: %s left\n%s\nwant\n%s", i, f.Name, got, f.Data)
				}
			}
		})
	}
}

// describeHook formats the output of a hook.
func describeHook(out abi.HookOutput) string {
	var b strings.Builder
	switch {
	case !out.Done:
		b.WriteString("pass")
	case out.Error:
		b.WriteString("done, an error: " + string(out.Answer))
	default:
		b.WriteString("done " + string(out.Answer))
	}
	b.WriteByte('\n')
	for _, text := range out.Before {
		fmt.Fprintf(&b, "before %s\n", text)
	}
	for _, text := range out.After {
		fmt.Fprintf(&b, "after %s\n", text)
	}
	for _, key := range slices.Sorted(maps.Keys(out.State)) {
		fmt.Fprintf(&b, "state %s %s\n", key, out.State[key])
	}
	for _, tool := range out.Hidden {
		fmt.Fprintf(&b, "hidden %s\n", tool)
	}
	for _, tool := range out.Tools {
		fmt.Fprintf(&b, "added %s %s\n", tool.Name, tool.Definition)
	}
	for _, n := range out.Notes {
		fmt.Fprintln(&b, strings.TrimSpace("note "+n.Method+" "+string(n.Params)))
	}
	return b.String()
}
