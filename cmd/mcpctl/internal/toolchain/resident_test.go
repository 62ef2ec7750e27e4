package toolchain

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/cmd/internal/problem"
)

// newASCDir creates a plugin directory with a fake AssemblyScript compiler: as a program it
// writes "program" to its output file, as a module the result of main.
func newASCDir(t *testing.T, main string) (dir string, c Chain) {
	t.Helper()
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("no node")
	}
	dir = t.TempDir()
	packages := filepath.Join(dir, "node_modules")
	program := fake(t, filepath.Join(packages, "assemblyscript", "bin"), "asc.js", `for last; do :; done; printf program > "$last"`)
	fake(t, filepath.Join(packages, "assemblyscript", "dist"), "asc.js", "")
	module(t, dir, main)
	if err := os.MkdirAll(filepath.Join(packages, ".bin"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(program, filepath.Join(packages, ".bin", "asc")); err != nil {
		t.Skip(err)
	}
	c, err := Find(System{}, AssemblyScript, dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return dir, c
}

// module writes asc as a module. In main, write(text) writes the file that is built,
// and n counts the builds of one process.
func module(t *testing.T, dir, main string) {
	t.Helper()
	text := `import { writeFileSync } from "node:fs";
let n = 0;
export async function main(args, { stdout, stderr }) {
  n++;
  const write = (text) => writeFileSync(args[args.indexOf("--outFile") + 1], text);
  ` + main + `
  return { error: null };
}
`
	if err := os.WriteFile(filepath.Join(dir, "node_modules", "assemblyscript", "dist", "package.json"), []byte(`{"type":"module"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "node_modules", "assemblyscript", "dist", "asc.js"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func debugBuild(t *testing.T, dir string, c Chain) (string, error) {
	t.Helper()
	out := filepath.Join(dir, "out.wasm")
	if err := c.Build(t.Context(), Job{Dir: dir, Name: "x", Out: out, Debug: true}); err != nil {
		return "", err
	}
	b, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return string(b), nil
}

// One process builds repeatedly, in the directory, and its output is not read as an answer.
func TestCompilerStaysResident(t *testing.T) {
	dir, c := newASCDir(t, `console.log("{}"); stdout.write("(module)"); write(n + " " + process.cwd());`)
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"1 ", "2 ", "3 "} {
		if got, err := debugBuild(t, dir, c); got != want+real || err != nil {
			t.Fatalf("%q, %v; want %q", got, err, want+real)
		}
	}
	c.Close()
	if got, err := debugBuild(t, dir, c); got != "1 "+real || err != nil {
		t.Errorf("after Close: %q, %v; want one that begins anew", got, err)
	}
}

// The release is built by the program, as npm run build does.
func TestReleaseIsBuiltByTheProgram(t *testing.T) {
	dir, c := newASCDir(t, `write("resident");`)
	out := filepath.Join(dir, "out.wasm")
	if err := c.Build(t.Context(), Job{Dir: dir, Name: "x", Out: out}); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(out); string(got) != "program" {
		t.Errorf("built by %q", got)
	}
}

// An invalid source fails with the compiler's messages, and the compiler keeps running.
func TestResidentCompilerReportsErrors(t *testing.T) {
	dir, c := newASCDir(t, `if (n == 1) { stderr.write("ERROR TS1005: ';' expected.\n"); return { error: Error("1 error") }; } write(n + "");`)
	_, err := debugBuild(t, dir, c)
	if p := problem.From(err); !strings.Contains(p.Message, "asc in "+dir+" failed") || p.Cause != "ERROR TS1005: ';' expected." {
		t.Errorf("%q, %q", p.Message, p.Cause)
	}
	if got, err := debugBuild(t, dir, c); got != "2" || err != nil {
		t.Errorf("after it: %q, %v", got, err)
	}
}

// If the resident compiler does not answer for any reason, the program builds.
func TestResidentCompilerThatDiesIsReplacedByTheProgram(t *testing.T) {
	for name, main := range map[string]string{
		"it ends":             `process.exit(1);`,
		"it throws":           `throw Error("crash");`,
		"there is none":       ``,
		"it ends at the end":  `return { get error() { process.exit(0); } };`,
		"it is another thing": `}{`,
	} {
		t.Run(name, func(t *testing.T) {
			dir, c := newASCDir(t, main)
			if main == "" {
				c.resident.node = filepath.Join(dir, "nothere")
			}
			if got, err := debugBuild(t, dir, c); got != "program" || err != nil {
				t.Errorf("%q, %v", got, err)
			}
			module(t, dir, `write("resident " + n);`)
			if main == "" {
				return
			}
			if got, err := debugBuild(t, dir, c); got != "resident 1" || err != nil {
				t.Errorf("mended: %q, %v", got, err)
			}
		})
	}
}

// After the compiler was reinstalled, the new one builds.
func TestResidentCompilerIsTheOneInstalled(t *testing.T) {
	dir, c := newASCDir(t, `write("old");`)
	if got, err := debugBuild(t, dir, c); got != "old" || err != nil {
		t.Fatalf("%q, %v", got, err)
	}
	module(t, dir, `write("new");`)
	later := time.Now().Add(time.Hour)
	if err := os.Chtimes(c.resident.lib, later, later); err != nil {
		t.Fatal(err)
	}
	if got, err := debugBuild(t, dir, c); got != "new" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}

// A build that is given up ends, and so does its compiler.
func TestResidentBuildIsGivenUp(t *testing.T) {
	dir, c := newASCDir(t, `write("begun"); await new Promise(() => setInterval(() => {}, 1000));`)
	ctx, cancel := context.WithCancelCause(t.Context())
	enough := errors.New("enough")
	asked := make(chan error)
	go func() {
		asked <- c.Build(ctx, Job{Dir: dir, Name: "x", Out: filepath.Join(dir, "out.wasm"), Debug: true})
	}()
	cancel(enough)
	if err := <-asked; !errors.Is(err, enough) {
		t.Errorf("error: %v", err)
	}
	if c.resident.compiler != nil {
		t.Error("its compiler goes on")
	}
}

// The text of a module is written only if the directory requests it, because it takes time.
func TestAssemblyScriptTextOnRequest(t *testing.T) {
	dir, c := newASCDir(t, `write(String(args.includes("--textFile")));`)
	for config, want := range map[string]string{`{}`: "false", `{"targets":{"debug":{"textFile":"build/x.wat"}}}`: "true"} {
		if err := os.WriteFile(filepath.Join(dir, "asconfig.json"), []byte(config), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := debugBuild(t, dir, c); got != want || err != nil {
			t.Errorf("%s: %q, %v", config, got, err)
		}
	}
}
