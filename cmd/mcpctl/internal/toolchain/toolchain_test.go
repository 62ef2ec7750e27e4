package toolchain

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/cmd/internal/problem"
)

// fake writes a program that answers by a script of sh.
func fake(t *testing.T, dir, name, script string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// newSystem returns a system whose PATH contains these directories.
func newSystem(vars map[string]string, path ...string) System {
	return System{OS: "linux", Getenv: func(name string) string {
		if name == "PATH" {
			return strings.Join(path, string(os.PathListSeparator))
		}
		return vars[name]
	}}
}

func TestLanguageOfAFolder(t *testing.T) {
	for file, want := range map[string]Language{"go.mod": Go, "Cargo.toml": Rust, "asconfig.json": AssemblyScript, "package.json": AssemblyScript, "lead.c": C} {
		dir := filepath.Join(t.TempDir(), "a[b]*")
		fake(t, dir, file, "")
		if got, err := Of(dir); got != want || err != nil {
			t.Errorf("%s: %q, %v; want %s", file, got, err, want)
		}
	}
	if _, err := Of(t.TempDir()); err == nil || !strings.Contains(err.Error(), "Cargo.toml") {
		t.Errorf("an empty folder: %v", err)
	}
}

// The first rustc of a PATH is often one without the target.
func TestRustIsOneThatHasTheTarget(t *testing.T) {
	dir := t.TempDir()
	lib := filepath.Join(dir, "lib")
	fake(t, lib, "libcore-1.rlib", "")
	without, with := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	fake(t, without, "rustc", "echo "+dir+"/none")
	fake(t, without, "cargo", "")
	rustc := fake(t, with, "rustc", "echo "+lib)
	cargo := fake(t, with, "cargo", "")

	got, err := findRust(newSystem(nil, without, with), "")
	if err != nil || got["rustc"] != rustc || got["cargo"] != cargo {
		t.Errorf("%v, %v; want that of %s", got, err, with)
	}
	if got, err := findRust(newSystem(map[string]string{"RUSTC": rustc}, without), ""); err != nil || got["rustc"] != rustc || got["cargo"] != cargo {
		t.Errorf("$RUSTC: %v, %v", got, err)
	}
	_, err = findRust(newSystem(nil, without), "")
	checkProblem(t, err, "no Rust target wasm32-unknown-unknown", filepath.Join(without, "rustc"), "https://rustup.rs")
	alone := filepath.Join(dir, "alone")
	fake(t, alone, "rustc", "echo "+lib)
	_, err = findRust(newSystem(nil, alone), "")
	checkProblem(t, err, "no cargo", "nor beside "+filepath.Join(alone, "rustc"), "https://rustup.rs")
	fake(t, without, "rustup", "")
	_, err = findRust(newSystem(nil, without), "")
	checkProblem(t, err, "no Rust target", "", "rustup target add wasm32-unknown-unknown")
	fake(t, without, "apt-get", "")
	_, err = findRust(newSystem(nil), "")
	checkProblem(t, err, "no rustc and cargo", "no rustc in PATH", "https://rustup.rs")
}

// checkProblem checks the error about a missing tool: message, cause, and the command that helps.
func checkProblem(t *testing.T, err error, message, cause, hint string) {
	t.Helper()
	var missing *Missing
	p := problem.From(err)
	if !errors.As(err, &missing) || !strings.Contains(p.Message, message) || !strings.Contains(p.Cause, cause) || p.Hint != hint {
		t.Errorf("error: %s\n  %s\nhint: %s\nwant %q, %q, %q", p.Message, p.Cause, p.Hint, message, cause, hint)
	}
}

func TestMissingTools(t *testing.T) {
	debian, mac, bare := t.TempDir(), t.TempDir(), t.TempDir()
	fake(t, debian, "apt-get", "")
	fake(t, mac, "brew", "")
	_, err := findGo(newSystem(nil, bare), "")
	checkProblem(t, err, "no go to build a stage in Go", "Go 1.24 or later", "https://go.dev/dl")
	_, err = findGo(newSystem(nil, mac), "")
	checkProblem(t, err, "no go", "", "brew install go")
	fake(t, bare, "go", "echo go version go1.19.8 linux/amd64")
	_, err = findGo(newSystem(nil, bare), "")
	checkProblem(t, err, "no Go 1.24", "is go1.19.8 linux/amd64", "https://go.dev/dl")

	_, err = findC(newSystem(nil, debian), "")
	checkProblem(t, err, "no clang", "no clang in PATH", "sudo apt-get install clang lld")
	fake(t, mac, "clang", "echo arm64")
	_, err = findC(newSystem(nil, mac), "")
	checkProblem(t, err, "no clang for wasm32", "does not build for it", "brew install llvm lld")
	fake(t, debian, "clang-14", "echo '  wasm32 - WebAssembly 32-bit'")
	_, err = findC(newSystem(nil, debian), "")
	checkProblem(t, err, "no wasm-ld", "lld", "sudo apt-get install clang lld")
	fake(t, debian, "wasm-ld-14", "")
	if got, err := findC(newSystem(nil, debian), ""); err != nil || filepath.Base(got["clang"]) != "clang-14" || filepath.Base(got["wasm-ld"]) != "wasm-ld-14" {
		t.Errorf("%v, %v", got, err)
	}

	plugin := t.TempDir()
	_, err = findAssemblyScript(newSystem(nil, debian), plugin)
	checkProblem(t, err, "no node", "Node.js", "sudo apt-get install nodejs npm")
	fake(t, debian, "node", "")
	_, err = findAssemblyScript(newSystem(nil, debian), plugin)
	checkProblem(t, err, "no asc", "node_modules", "npm install --prefix "+plugin)
	_, err = findAssemblyScript(newSystem(nil, debian), "my stages")
	checkProblem(t, err, "no asc", "my stages", "npm install --prefix 'my stages'")
	everywhere := fake(t, debian, "asc", "")
	if got, _ := findAssemblyScript(newSystem(nil, debian), plugin); got["asc"] != everywhere {
		t.Errorf("asc of PATH: %v", got)
	}
	own := fake(t, plugin, "node_modules/.bin/asc", "")
	if got, _ := findAssemblyScript(newSystem(nil, debian), plugin); got["asc"] != own {
		t.Errorf("asc of the folder comes first: %v", got)
	}
}

// A failed build reports the compiler's messages; a successful one writes the module.
func TestRustModuleIsTheOneThatCargoNames(t *testing.T) {
	dir := t.TempDir()
	module := fake(t, dir, "target/lead.wasm", "module")
	cargo := fake(t, dir, "cargo", `echo '{"reason":"compiler-artifact","filenames":["/x/libsdk.rlib"]}'
echo '{"reason":"compiler-artifact","filenames":["`+module+`"]}'
echo '{"reason":"build-finished","success":true}'`)
	chain := Chain{Language: Rust, tools: tools{"rustc": "rustc", "cargo": cargo}}
	out := filepath.Join(dir, "out.wasm")
	if err := chain.Build(t.Context(), Job{Dir: dir, Name: "lead", Out: out}); err != nil {
		t.Fatal(err)
	}
	got, _ := os.ReadFile(out)
	if want, _ := os.ReadFile(module); string(got) != string(want) {
		t.Errorf("module is %q, want %q", got, want)
	}
	chain.tools["cargo"] = fake(t, dir, "cargo2", `echo '{"reason":"compiler-message"}'; echo 'error[E0425]: cannot find value' >&2; exit 101`)
	err := chain.Build(t.Context(), Job{Dir: dir, Name: "lead", Out: out})
	if p := problem.From(err); p.Cause != "error[E0425]: cannot find value" || !strings.Contains(p.Message, "cargo2 build in "+dir+" failed") {
		t.Errorf("%q, %q", p.Message, p.Cause)
	}
}

// Who looks on waits for no optimisation of the standard library, and throws away
// nothing that the release has built.
func TestRustIsBuiltFasterForWhoLooksOn(t *testing.T) {
	dir := t.TempDir()
	cargo := fake(t, dir, "cargo", `echo "$@" > args; echo '{"reason":"compiler-artifact","filenames":["`+fake(t, dir, "x.wasm", "")+`"]}'`)
	chain := Chain{Language: Rust, tools: tools{"rustc": "rustc", "cargo": cargo}}
	for _, debug := range []bool{false, true} {
		if err := chain.Build(t.Context(), Job{Dir: dir, Name: "x", Out: filepath.Join(dir, "out.wasm"), Debug: debug}); err != nil {
			t.Fatal(err)
		}
		args, _ := os.ReadFile(filepath.Join(dir, "args"))
		for arg, want := range map[string]bool{"--release": !debug, "--profile mcpctl-dev": debug, `profile.mcpctl-dev.lto="off"`: debug} {
			if strings.Contains(string(args), arg) != want {
				t.Errorf("debug %v: cargo %s", debug, args)
			}
		}
	}
}

// A debug build reports the message of a panic; a release build is small.
func TestRustDebugBuildReportsPanics(t *testing.T) {
	for name, tt := range map[string]struct {
		manifest string
		debug    bool
		asked    bool
	}{
		"looks on":           {`mcpctl-stage = { path = "x", default-features = false }`, true, true},
		"release":            {`mcpctl-stage = { path = "x", default-features = false }`, false, false},
		"has the text":       {`mcpctl-stage = { path = "x" }`, true, false},
		"another crate's":    {"mcpctl-stage = { path = \"x\" }\nserde = { default-features = false }", true, false},
		"is left of the SDK": {"# mcpctl-stage = { default-features = false }", true, false},
	} {
		dir := t.TempDir()
		fake(t, dir, "Cargo.toml", "")
		if err := os.WriteFile(filepath.Join(dir, "Cargo.toml"), []byte("[dependencies]\n"+tt.manifest+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		cargo := fake(t, dir, "cargo", `echo "$@" > args; echo '{"reason":"compiler-artifact","filenames":["`+fake(t, dir, "x.wasm", "")+`"]}'`)
		chain := Chain{Language: Rust, tools: tools{"rustc": "rustc", "cargo": cargo}}
		if err := chain.Build(t.Context(), Job{Dir: dir, Name: "x", Out: filepath.Join(dir, "out.wasm"), Debug: tt.debug}); err != nil {
			t.Fatal(err)
		}
		args, _ := os.ReadFile(filepath.Join(dir, "args"))
		if asked := strings.Contains(string(args), "--features mcpctl-stage/panic-message"); asked != tt.asked {
			t.Errorf("%s: cargo %s", name, args)
		}
	}
}

func TestStale(t *testing.T) {
	dir := t.TempDir()
	module := fake(t, dir, "x.wasm", "")
	at := func(file string, age time.Duration) {
		path := filepath.Join(dir, file)
		if _, err := os.Stat(path); err != nil {
			fake(t, dir, file, "")
		}
		when := time.Now().Add(-age)
		if err := os.Chtimes(path, when, when); err != nil {
			t.Fatal(err)
		}
	}
	at("x.wasm", time.Hour)
	at("src/lib.rs", 2*time.Hour)
	at("testdata/basic.txtar", 0)
	at("target/debug/build.rs", 0)
	at("node_modules/sdk/index.ts", 0)
	at(".git/x.go", 0)
	at("README.md", 0)
	if stale, err := Stale(dir, module); stale || err != nil {
		t.Errorf("stale %v, %v: only what is no source is newer", stale, err)
	}
	at("plugin.yaml", 0)
	if stale, _ := Stale(dir, module); !stale {
		t.Error("plugin.yaml is newer, and in the module")
	}
	if stale, err := Stale(dir, filepath.Join(dir, "none.wasm")); !stale || err != nil {
		t.Errorf("no module: stale %v, %v", stale, err)
	}
}

// A cancelled build ends all processes of the tool, and its temporary files are in the
// directory of the build.
func TestCancelledBuildEndsProcesses(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no process groups")
	}
	dir, build := t.TempDir(), t.TempDir()
	up := filepath.Join(dir, "up")
	if err := exec.Command("mkfifo", up).Run(); err != nil {
		t.Skip(err)
	}
	// The child has the FIFO open for as long as it lives.
	tool := fake(t, dir, "go", `touch "$GOTMPDIR/a" "$TMPDIR/b"; (echo up; exec sleep 1000) > `+up+`; exit 1`)
	ctx, cancel := context.WithCancelCause(t.Context())
	enough := errors.New("enough")
	ended := make(chan error, 1)
	go func() {
		ended <- Chain{Language: Go, tools: tools{"go": tool}}.Build(ctx, Job{Dir: dir, Name: "x", Out: filepath.Join(build, "x.wasm")})
	}()
	f, err := os.Open(up)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	child := bufio.NewReader(f)
	if _, err := child.ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	cancel(enough)
	if err := <-ended; !errors.Is(err, enough) {
		t.Errorf("error: %v", err)
	}
	if _, err := child.ReadByte(); err != io.EOF {
		t.Errorf("the child goes on: %v", err)
	}
	if files, _ := filepath.Glob(filepath.Join(build, "*")); len(files) != 2 {
		t.Errorf("temporary files: %q", files)
	}
}

// The real compilers, where they are there.
func TestRealCompilers(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles for WebAssembly")
	}
	folders, _ := filepath.Glob(filepath.Join("..", "..", "..", "..", "examples", "stages", "lead-*"))
	for _, plugin := range folders {
		name := strings.TrimPrefix(filepath.Base(plugin), "lead-")
		t.Run(name, func(t *testing.T) {
			dir, err := filepath.Abs(plugin)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := Of(dir); string(got) != name || err != nil {
				t.Fatalf("language %q, %v", got, err)
			}
			chain, err := Find(System{}, Language(name), dir)
			if err != nil {
				t.Skip(err)
			}
			defer chain.Close()
			for _, debug := range []bool{false, true} {
				out := filepath.Join(t.TempDir(), "lead.wasm")
				if err := chain.Build(t.Context(), Job{Dir: dir, Name: "lead", Out: out, Debug: debug}); err != nil {
					t.Fatal(err)
				}
				if b, err := os.ReadFile(out); err != nil || !strings.HasPrefix(string(b), "\x00asm") {
					t.Errorf("debug %v: no module: %v", debug, err)
				}
			}
		})
	}
}

// A wasm-opt in PATH, such as binaryen's from AssemblyScript, does not run on the output of
// clang.
func TestClangRunsNoOtherProgram(t *testing.T) {
	dir := t.TempDir()
	marker := filepath.Join(dir, "ran")
	if err := os.WriteFile(filepath.Join(dir, "wasm-opt"), []byte("#!/bin/sh\ntouch "+marker+"\nexit 1\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
	plugin, err := filepath.Abs(filepath.Join("..", "..", "..", "..", "examples", "controllers", "brake-c"))
	if err != nil {
		t.Fatal(err)
	}
	chain, err := Find(System{}, C, plugin)
	if err != nil {
		t.Skip(err)
	}
	if err := chain.Build(t.Context(), Job{Dir: plugin, Name: "brake", Out: filepath.Join(dir, "brake.wasm")}); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(marker); err == nil {
		t.Error("wasm-opt was run")
	}
}

// The path of the SDK may contain a blank, and a native C test may be in the directory of
// the stage.
func TestClangGetsWholePathsAndNoTests(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"lead.c": "", "more.c": "", "lead_test.c": "", "compile_flags.txt": "-std=c11\n-I/a home/sdk\n\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	clang := fake(t, dir, "clang", `printf '%s\n' "$@" > said; exit 1`)
	chain := Chain{Language: C, tools: tools{"clang": clang, "wasm-ld": "wasm-ld"}}
	_ = chain.Build(t.Context(), Job{Dir: dir, Out: "out.wasm"}) // fails, as the fake does
	output, _ := os.ReadFile(filepath.Join(dir, "said"))
	for _, want := range []string{"\n-std=c11\n-I/a home/sdk\n-o\n", "\nlead.c\nmore.c\n"} {
		if !strings.Contains(string(output), want) {
			t.Errorf("clang was not told %q:\n%s", want, output)
		}
	}
	if strings.Contains(string(output), "_test.c") {
		t.Errorf("a test is built into the module:\n%s", output)
	}
}
