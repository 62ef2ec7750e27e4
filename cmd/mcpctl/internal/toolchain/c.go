package toolchain

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/mcpctl/mcpctl/cmd/internal/problem"
)

// clangs are the names by which clang is installed, the plain one first, then
// from the newest on.
func clangs() []string {
	names := []string{"clang"}
	for v := 30; v >= 11; v-- {
		names = append(names, fmt.Sprintf("clang-%d", v))
	}
	return names
}

// findC finds a clang that builds for WebAssembly, which Apple's does not, and its
// linker.
func findC(s System, _ string) (tools, error) {
	install := s.install("clang lld", "llvm lld", "https://releases.llvm.org")
	seen := ""
	for _, name := range clangs() {
		for _, clang := range s.all(name) {
			seen = clang
			targets, err := output(clang, "--print-targets")
			if err != nil || !strings.Contains(targets, "wasm32") {
				continue
			}
			if ld := s.linker(strings.TrimPrefix(name, "clang")); ld != "" {
				return tools{"clang": clang, "wasm-ld": ld}, nil
			}
			return nil, &Missing{C, "wasm-ld", "clang links modules with it; it comes with lld", install}
		}
	}
	if seen != "" {
		return nil, &Missing{C, "clang for wasm32", seen + " does not build for it", install}
	}
	return nil, &Missing{C, "clang", "it compiles the stage; there is no clang in PATH", install}
}

// linker is the wasm-ld of a version, "-14", or the one without.
func (s System) linker(version string) string {
	if ld := s.first("wasm-ld" + version); ld != "" {
		return ld
	}
	return s.first("wasm-ld")
}

// cFlags are the flags of every stage; compile_flags.txt in the directory adds to them.
// The optimisation level is passed to the compiler and not to clang's driver: the driver
// would run any wasm-opt in PATH on the module, which does not know the features that
// the module was compiled with. The stack is placed first, so that an overflow traps
// instead of overwriting variables.
var cFlags = []string{"--target=wasm32", "-Xclang", "-O2", "-nostdlib", "-Wall", "-Wl,--no-entry", "-Wl,--strip-all", "-Wl,--stack-first"}

func buildC(ctx context.Context, c Chain, j Job) error {
	sources := cSources(j.Dir)
	if len(sources) == 0 {
		return &problem.Problem{Code: "E_FAILED", Message: "no .c file in " + j.Dir + " to build", Cause: "files that end in _test.c are tests, and run natively"}
	}
	args := append([]string{"-fuse-ld=" + c.tools["wasm-ld"]}, cFlags...)
	own, err := os.ReadFile(filepath.Join(j.Dir, "compile_flags.txt"))
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	args = append(args, flagLines(string(own))...)
	args = append(args, "-o", j.Out)
	_, err = run(ctx, j, nil, c.tools["clang"], append(args, sources...)...)
	return err
}

// cSources returns the source files of a module, without its tests, which run natively.
func cSources(dir string) (names []string) {
	paths, _ := filepath.Glob(filepath.Join(quoteGlob(dir), "*.c")) // fails for a bad pattern only
	for _, p := range paths {
		if name := filepath.Base(p); !strings.HasSuffix(name, "_test.c") {
			names = append(names, name)
		}
	}
	return names
}

// flagLines reads a compile_flags.txt: each line is one argument, blanks and all, as
// clangd has it.
func flagLines(text string) (flags []string) {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			flags = append(flags, line)
		}
	}
	return flags
}
