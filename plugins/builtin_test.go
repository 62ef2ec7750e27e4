package plugins_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/hosttest"
	"github.com/mcpctl/mcpctl/host/manifest"
	"github.com/mcpctl/mcpctl/host/reloop"
	"github.com/mcpctl/mcpctl/host/wasm"
	"github.com/mcpctl/mcpctl/host/wasm/module"
	"github.com/mcpctl/mcpctl/plugins"
)

// The examples of the sources pass in the committed module, so the module is built from
// tested sources. Examples that need an LLM run only with the sources.
func TestExamplesRunInTheModule(t *testing.T) {
	if testing.Short() {
		t.Skip("has no concurrent callers, and takes long with the race detector")
	}
	compiled, err := hosttest.CompiledCode()
	if err != nil {
		t.Fatal(err)
	}
	r, err := wasm.Open(t.Context(), wasm.Options{CacheDir: compiled})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close(t.Context())
	m, err := r.Load(t.Context(), "builtin", plugins.Builtin, true)
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("src/*/testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	for _, file := range files {
		role := filepath.Base(filepath.Dir(filepath.Dir(file)))
		t.Run(role+"/"+strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			parts := read(t, file)
			if _, ok := parts["answers"]; ok {
				t.Skip("asks an LLM")
			}
			g, err := m.Guest(role)
			if err != nil {
				t.Fatal(err)
			}
			out, err := g.Run(t.Context(), call(t, role, parts))
			if err != nil {
				t.Fatal(err)
			}
			if got, want := render(out), parts["want"]; got != want {
				t.Errorf("got\n%s\nwant\n%s\nif the sources changed, make plugins", got, want)
			}
		})
	}
}

// modules are the committed modules by the directory of their sources.
var modules = map[string][]byte{"src": plugins.Builtin, "src/controllers": plugins.Controllers}

// The committed modules have structured control flow. Without it, calls take half as
// long again.
func TestControlFlowIsRestored(t *testing.T) {
	for directory, file := range modules {
		_, left, err := reloop.Module(file)
		if err != nil || left.Restored > 0 || left.Unnamed {
			t.Errorf("%s: %+v, %v: make plugins", directory, left, err)
		}
	}
}

// The manifest in a module agrees with the plugin.yaml files of its sources.
func TestManifestAgreesWithSources(t *testing.T) {
	for directory, file := range modules {
		info, err := module.Inspect("builtin", file)
		if err != nil {
			t.Fatal(err)
		}
		for _, role := range info.Manifest.Roles {
			file := filepath.Join(directory, role.Name, "plugin.yaml")
			want, err := manifest.Parse(bytesOf(t, file), file)
			if err != nil {
				t.Fatal(err)
			}
			if got, want := text(t, role), text(t, want.Roles[0]); got != want {
				t.Errorf("%s has\n%s\nthe module has\n%s\nrun make plugins", file, want, got)
			}
		}
		if n, _ := filepath.Glob(directory + "/*/plugin.yaml"); len(n) != len(info.Manifest.Roles) {
			t.Errorf("%s: %d roles in the module, %d directories", directory, len(info.Manifest.Roles), len(n))
		}
	}
}

func text(t *testing.T, role abi.Role) string {
	t.Helper()
	b, err := json.Marshal(role)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func bytesOf(t *testing.T, file string) []byte {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func read(t *testing.T, file string) map[string]string {
	t.Helper()
	parts := make(map[string]string)
	for _, f := range txtar.Parse(bytesOf(t, file)).Files {
		parts[f.Name] = string(f.Data)
	}
	return parts
}

func call(t *testing.T, role string, parts map[string]string) abi.Call {
	t.Helper()
	c := abi.Call{Role: role, Config: []byte(strings.TrimSpace(parts["config"])), Input: []byte(parts["input"]), Original: []byte(parts["input"]), Arguments: []byte(strings.TrimSpace(parts["arguments"]))}
	if original, ok := parts["original"]; ok {
		c.Original = []byte(original)
	}
	if len(c.Config) == 0 {
		c.Config = []byte("{}")
	}
	c.Context = abi.Context{
		ABI: "1.0", Role: role, Kind: abi.KindStage, Hook: "stage", Project: "test", ContentType: abi.ToolResult, Source: "server/tool",
		Part: abi.Part{Kind: abi.PartText, Count: 1}, Stage: abi.StagePos{Count: 1},
		Limits: abi.GuestLimits{OutputBytes: 1 << 20, Sections: 65536, MemoryBytes: 64 << 20, LLMMillis: 3000, LLMRequests: 32},
	}
	for line := range strings.Lines(parts["sections"]) {
		s := abi.Section{Parent: -1}
		span, title, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if _, err := fmt.Sscanf(span, "%d-%d", &s.Start, &s.End); err != nil {
			t.Fatal(err)
		}
		s.ID, s.Title = strings.ToLower(title), title
		c.Tree.Sections = append(c.Tree.Sections, s)
	}
	return c
}

// render formats an outcome in the format of the examples.
func render(out abi.Output) string {
	var b strings.Builder
	b.WriteString(map[bool]string{true: "pass\n", false: "done\n"}[out.Pass])
	at := 0
	for _, m := range out.Marks {
		b.WriteString(string(out.Bytes[at:m.Offset]) + "<index>\n")
		at = m.Offset
	}
	b.Write(out.Bytes[at:])
	above := make([]string, len(out.Tree.Sections))
	for i, s := range out.Tree.Sections {
		prefix := ""
		if s.Parent >= 0 {
			prefix = above[s.Parent]
		}
		b.WriteString("[" + prefix + s.ID + "]")
		if above[i] = prefix + s.ID + "/"; s.Kind == abi.SectionGroup {
			above[i] = prefix
		} else {
			b.WriteString(" " + strconv.Itoa(s.Start) + "-" + strconv.Itoa(s.End))
		}
		b.WriteString(" " + s.Title + "\n")
		if s.Summary != "" {
			b.WriteString("  " + s.Summary + "\n")
		}
	}
	return b.String()
}
