package toolchain

import (
	"os"
	"path/filepath"
	"testing"
)

// The version of an SDK is read from the file that settles it.
func TestSDKOfAFolder(t *testing.T) {
	for name, tt := range map[string]struct {
		language   Language
		file, text string
		want       string
	}{
		"locked":          {Rust, "Cargo.lock", "[[package]]\nname = \"a\"\nversion = \"9.9.9\"\n\n[[package]]\nname = \"mcpctl-stage\"\nversion = \"0.1.0\"\n", "0.1.0"},
		"another crate":   {Rust, "Cargo.lock", "[[package]]\nname = \"mcpctl-stage-x\"\nversion = \"9.9.9\"\n", ""},
		"not locked yet":  {Rust, "Cargo.toml", "", ""},
		"linked by npm":   {AssemblyScript, "node_modules/mcpctl-stage/package.json", `{"version":"0.2.0"}`, "0.2.0"},
		"damaged package": {AssemblyScript, "node_modules/mcpctl-stage/package.json", `{"version":`, ""},
		"has a header":    {C, "mcpctl.h", "", ""},
	} {
		dir := t.TempDir()
		write(t, filepath.Join(dir, tt.file), tt.text)
		sdk, version := tt.language.SDK(dir)
		if version != tt.want || (sdk == "") != (tt.want == "") {
			t.Errorf("%s: %q %q, want %q", name, sdk, version, tt.want)
		}
	}
	dir := t.TempDir()
	write(t, filepath.Join(dir, "sdk", "mcpctl-stage", "package.json"), `{"version":"0.3.0"}`)
	write(t, filepath.Join(dir, "stage", "asconfig.json"), `{"options":{"path":["../sdk"]}}`)
	if _, version := AssemblyScript.SDK(filepath.Join(dir, "stage")); version != "0.3.0" {
		t.Errorf("of the folder in asconfig.json: %q", version)
	}
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
