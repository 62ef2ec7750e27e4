//go:build e2e

package e2e

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// nodes are the oldest and the newest Node.js that tests of authors run in.
func nodes(t *testing.T) map[string]string {
	t.Helper()
	old, err := exec.LookPath("node")
	if err != nil {
		t.Fatal(err)
	}
	return map[string]string{"node of PATH": old, "node 22": node()}
}

// inFolder runs a program, which must end well.
func inFolder(t *testing.T, dir, name string, args ...string) {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s %s: %v\n%s", filepath.Base(name), strings.Join(args, " "), err, out)
	}
}

// The test host of the SDK answers as ours does: the cases of the kit hold in both.
// covers D-007
func TestAssemblyScriptTestHost(t *testing.T) {
	needNPM(t)
	for name, node := range nodes(t) {
		t.Run(name, func(t *testing.T) { inFolder(t, root(), node, "--test", "e2e/node/kit.test.mjs") })
	}
}

// What a README of a folder says works: asc builds release and debug, node alone runs
// the archives.
func TestAssemblyScriptExamples(t *testing.T) {
	needNPM(t)
	dir := t.TempDir()
	copyTree(t, dir, "examples", "sdk-assemblyscript")
	linkSDK(t, dir)
	for _, folder := range []string{"examples/stages/lead-assemblyscript", "examples/controllers/brake-assemblyscript"} {
		for _, target := range []string{"release", "debug"} {
			t.Run(filepath.Base(folder)+" "+target, func(t *testing.T) {
				folder := filepath.Join(dir, folder)
				inFolder(t, folder, module(".bin", "asc"), "assembly/index.ts", "--target", target)
				for _, node := range nodes(t) {
					inFolder(t, folder, node, "--test")
				}
			})
		}
	}
}

// linkSDK does what npm does of a dependency "file:...".
func linkSDK(t *testing.T, dir string) {
	t.Helper()
	if err := os.Mkdir(filepath.Join(dir, "node_modules"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(dir, "sdk-assemblyscript", "mcpctl-stage"), filepath.Join(dir, "node_modules", "mcpctl-stage")); err != nil {
		t.Fatal(err)
	}
}

var snippet = regexp.MustCompile("(?s)```ts\n(.*?)```")

// Every snippet of the SDK's README is a module that the compiler takes.
func TestAssemblyScriptReadme(t *testing.T) {
	needNPM(t)
	readme, err := os.ReadFile(filepath.Join(root(), "sdk-assemblyscript", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	snippets := snippet.FindAllSubmatch(readme, -1)
	if len(snippets) < 3 {
		t.Fatalf("%d snippets, want a stage, one with an LLM and a controller", len(snippets))
	}
	for _, s := range snippets {
		dir := t.TempDir()
		sdk := filepath.Join(root(), "sdk-assemblyscript")
		if err := os.WriteFile(filepath.Join(dir, "index.ts"), s[1], 0o600); err != nil {
			t.Fatal(err)
		}
		inFolder(t, dir, module(".bin", "asc"), "index.ts", "--runtime", "stub", "--path", sdk, "--outFile", "out.wasm", "-O")
		built, err := os.ReadFile(filepath.Join(dir, "out.wasm"))
		if err != nil || !bytes.Contains(built, []byte("mcpctl_abi_v1")) {
			t.Errorf("no module of %s: %v", s[1], err)
		}
	}
}
