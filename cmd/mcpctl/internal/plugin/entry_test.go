package plugin

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/cmd/internal/problem"
)

// bare is a module with a memory only, as compilers create it from a source without the
// line that exports a role.
var bare = []byte("\x00asm\x01\x00\x00\x00\x05\x03\x01\x00\x01\x07\x0a\x01\x06memory\x02\x00")

// The error about a module without an entry contains the line of its language.
func TestMissingEntryIsNamedInTheLanguage(t *testing.T) {
	for _, tt := range []struct{ source, kind, want string }{
		{"go.mod", "stage", `func init() { stage.Register("pump", function) }`},
		{"Cargo.toml", "stage", `stage!("pump", function);`},
		{"asconfig.json", "stage", `export * from "mcpctl-stage/abi";`},
		{"pump.c", "stage", "MCPCTL_ABI"},
		{"pump.c", "filter", "MCPCTL_STAGE { ... }"},
		{"go.mod", "controller", `controller.Register("pump", controller.Hooks{...})`},
		{"Cargo.toml", "controller", `controller!("pump", HOOKS);`},
		{"asconfig.json", "controller", `export * from "mcpctl-stage/hooks";`},
		{"pump.c", "controller", "MCPCTL_ON_TOOL_CALL { ... }"},
	} {
		dir := t.TempDir()
		for name, text := range map[string]string{"plugin.yaml": "name: pump\nkind: " + tt.kind + "\nabi: 1\nsummary: x\n", tt.source: ""} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		f, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		_, err = f.Pack(bare)
		if p := problem.From(err); !strings.Contains(p.Cause, tt.want) || p.Hint != "mcpctl stage dev "+dir+" --once" {
			t.Errorf("%s of %s: %q, hint %q", tt.kind, tt.source, p.Cause, p.Hint)
		}
	}
}

// Other errors about a module do not mention its entry.
func TestOtherErrorsAreUnchanged(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"plugin.yaml": "name: pump\nkind: stage\nabi: 1\nsummary: x\n", "go.mod": ""} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	f, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Pack([]byte("no module")); err == nil || strings.Contains(problem.From(err).Cause, "Register") {
		t.Errorf("got %v", err)
	}
}
