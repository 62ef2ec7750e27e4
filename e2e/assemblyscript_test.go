//go:build e2e

package e2e

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// nodes returns the oldest and the newest supported Node.js for tests of authors.
func nodes(t *testing.T) map[string]string {
	t.Helper()
	old, err := exec.LookPath("node")
	if err != nil {
		t.Fatal(err)
	}
	return map[string]string{"node of PATH": old, "node 22": node()}
}

// inDirectory runs a program in a directory. It must succeed.
func inDirectory(t *testing.T, dir, name string, args ...string) {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s %s: %v\n%s", filepath.Base(name), strings.Join(args, " "), err, out)
	}
}

// The test stub of the SDK runs modules; text passes into a guest and back unchanged.
func TestAssemblyScriptStub(t *testing.T) {
	needNPM(t)
	for name, node := range nodes(t) {
		t.Run(name, func(t *testing.T) {
			inDirectory(t, root(), node, "--test", "e2e/node/stub.test.mjs", "e2e/node/text.test.mjs")
		})
	}
}

// asc builds the examples in release and debug mode, and node runs their unit tests.
func TestAssemblyScriptExamples(t *testing.T) {
	t.Parallel()
	needNPM(t)
	dir := t.TempDir()
	copyTree(t, dir, "examples", "sdk-assemblyscript")
	linkSDK(t, dir)
	for _, example := range []string{"examples/stages/lead-assemblyscript", "examples/controllers/brake-assemblyscript"} {
		for _, target := range []string{"release", "debug"} {
			t.Run(filepath.Base(example)+" "+target, func(t *testing.T) {
				exampleDir := filepath.Join(dir, example)
				inDirectory(t, exampleDir, module(".bin", "asc"), "assembly/index.ts", "--target", target)
				for _, node := range nodes(t) {
					inDirectory(t, exampleDir, node, "--test")
				}
			})
		}
	}
}

// linkSDK links the SDK as npm does for a dependency "file:...".
func linkSDK(t *testing.T, dir string) {
	t.Helper()
	if err := os.Mkdir(filepath.Join(dir, "node_modules"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(dir, "sdk-assemblyscript", "mcpctl-stage"), filepath.Join(dir, "node_modules", "mcpctl-stage")); err != nil {
		t.Fatal(err)
	}
}

// A stage that processes text line by line does not run out of memory, because the
// scaffold's runtime frees unused values. With runtime stub the first one needs more than
// 64 MiB for 128 KB.
func TestAssemblyScriptScaffoldOver16KB(t *testing.T) {
	needNPM(t)
	dir := t.TempDir()
	t.Setenv("MCPCTL_HOME", filepath.Join(dir, "home"))
	inDirectory(t, dir, bin("mcpctl"), "create", "stage", "quote", "--lang", "assemblyscript", "--no-build")
	tests := []struct {
		name, body string
		sizes      []int
	}{
		{"joins lines by +=", `let out = "";
  for (let i = 0; i < lines.length; i++) out += "> " + lines[i] + "\n";
  return c.out.write(out);`, []int{16 << 10, 128 << 10}},
		{"writes line by line", `for (let i = 0; i < lines.length; i++) c.out.write("> " + lines[i] + "\n");
  return DONE;`, []int{16 << 10, 128 << 10, 1 << 20}},
	}
	for _, tt := range tests {
		source := "import { Ctx, DONE, register } from \"mcpctl-stage\";\n\nexport * from \"mcpctl-stage/abi\";\n\n" +
			"register(\"quote\", (c: Ctx): i32 => {\n  const lines = c.input.text().split(\"\\n\");\n  " + tt.body + "\n});\n"
		if err := os.WriteFile(filepath.Join(dir, "quote", "assembly", "index.ts"), []byte(source), 0o600); err != nil {
			t.Fatal(err)
		}
		inDirectory(t, filepath.Join(dir, "quote"), module(".bin", "asc"), "assembly/index.ts", "--target", "release")
		inDirectory(t, dir, bin("mcpctl"), "stage", "pack", "quote", "--module", "quote/quote.wasm", "--lang", "assemblyscript")
		for _, size := range tt.sizes {
			t.Run(fmt.Sprintf("%s, %d KB", tt.name, size>>10), func(t *testing.T) {
				line := strings.Repeat("x", 63)
				input := strings.Repeat(line+"\n", size/64-1) + line
				cmd := exec.Command(bin("mcpctl"), "stage", "run", "./quote/quote.wasm")
				cmd.Dir, cmd.Stdin = dir, strings.NewReader(input)
				var stderr strings.Builder
				cmd.Stderr = &stderr
				out, err := cmd.Output()
				want := strings.Repeat("> "+line+"\n", size/64)
				if err != nil || string(out) != want {
					t.Errorf("%d bytes, want %d: %v\n%s", len(out), len(want), err, stderr.String())
				}
			})
		}
	}
}

var snippet = regexp.MustCompile("(?s)```ts\n(.*?)```")

// Every snippet in the README of the SDK compiles to a module.
func TestAssemblyScriptReadme(t *testing.T) {
	t.Parallel()
	needNPM(t)
	readme, err := os.ReadFile(filepath.Join(root(), "sdk-assemblyscript", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	snippets := snippet.FindAllSubmatch(readme, -1)
	if len(snippets) < 3 {
		t.Fatalf("%d snippets, want a stage, a stage with an LLM and a controller", len(snippets))
	}
	for _, s := range snippets {
		dir := t.TempDir()
		sdk := filepath.Join(root(), "sdk-assemblyscript")
		if err := os.WriteFile(filepath.Join(dir, "index.ts"), s[1], 0o600); err != nil {
			t.Fatal(err)
		}
		inDirectory(t, dir, module(".bin", "asc"), "index.ts", "--runtime", "incremental", "--path", sdk, "--outFile", "out.wasm", "-O")
		built, err := os.ReadFile(filepath.Join(dir, "out.wasm"))
		if err != nil || !bytes.Contains(built, []byte("mcpctl_abi_v1")) {
			t.Errorf("no module of %s: %v", s[1], err)
		}
	}
}

// The committed modules equal the modules built from source and do not exceed their size
// limits.
func TestAssemblyScriptModulesAreUpToDate(t *testing.T) {
	t.Parallel()
	needNPM(t)
	dir := t.TempDir()
	copyTree(t, dir, "examples", "abi/tck/guests", "sdk-assemblyscript")
	tests := []struct {
		source, manifest, committed string
		most                        int
	}{
		{"examples/stages/lead-assemblyscript", "examples/stages/lead-assemblyscript", "examples/dist/lead-assemblyscript.wasm", 6_200},
		{"examples/stages/bullet-points-assemblyscript", "examples/stages/bullet-points-assemblyscript", "examples/dist/bullet-points-assemblyscript.wasm", 18_500},
		{"examples/controllers/brake-assemblyscript", "examples/controllers/brake-assemblyscript", "examples/dist/brake-assemblyscript.wasm", 10_700},
		{"abi/tck/guests/assemblyscript", "abi/tck/guests", "abi/tck/dist/assemblyscript.wasm", 55_500},
	}
	for _, tt := range tests {
		t.Run(filepath.Base(tt.committed), func(t *testing.T) {
			built := filepath.Join(t.TempDir(), "built.wasm")
			inDirectory(t, filepath.Join(dir, tt.source), module(".bin", "asc"), "assembly/index.ts", "--target", "release", "--outFile", built)
			inDirectory(t, dir, bin("mcpctl"), "stage", "pack", tt.manifest, "--module", built, "--lang", "assemblyscript")
			got, err := os.ReadFile(built)
			if err != nil {
				t.Fatal(err)
			}
			want, err := os.ReadFile(filepath.Join(root(), tt.committed))
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, want) {
				t.Errorf("%s (%d bytes) differs from the module built from source (%d bytes): rebuild and pack it", tt.committed, len(want), len(got))
			}
			if len(got) > tt.most {
				t.Errorf("%d bytes, limit %d: is unused code linked?", len(got), tt.most)
			}
		})
	}
}
