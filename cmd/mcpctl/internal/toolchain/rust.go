package toolchain

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/cmd/internal/problem"
)

// wasmTarget is what Rust calls the machine of a module.
const wasmTarget = "wasm32-unknown-unknown"

// findRust finds a compiler that has the target, which the first in PATH need not
// have, and the cargo that came with it.
func findRust(s System, _ string) (tools, error) {
	var compilers []string
	if own := s.env("RUSTC"); own != "" {
		compilers = append(compilers, own)
	}
	compilers = append(compilers, s.all("rustc")...)
	for _, rustc := range compilers {
		lib, err := output(rustc, "--print", "target-libdir", "--target", wasmTarget)
		if err != nil {
			continue
		}
		if found, _ := filepath.Glob(filepath.Join(quoteGlob(lib), "libcore-*.rlib")); len(found) == 0 {
			continue
		}
		if cargo := s.cargoOf(rustc); cargo != "" {
			return tools{"rustc": rustc, "cargo": cargo}, nil
		}
	}
	return nil, s.missingRust(compilers)
}

func (s System) cargoOf(rustc string) string {
	if beside := filepath.Join(filepath.Dir(rustc), "cargo"); isProgram(beside) {
		return beside
	}
	return s.first("cargo")
}

func (s System) missingRust(compilers []string) *Missing {
	m := &Missing{Rust, "rustc and cargo", "Rust compiles it; there is no rustc in PATH", s.install("cargo libstd-rust-dev-wasm32", "rustup", "https://rustup.rs")}
	if len(compilers) == 0 {
		return m
	}
	m.Tool, m.Why = "Rust target "+wasmTarget, "no compiler has it: "+strings.Join(compilers, ", ")
	if s.first("rustup") != "" {
		m.Install = "rustup target add " + wasmTarget
	}
	return m
}

func buildRust(ctx context.Context, t tools, j Job) error {
	out, err := run(ctx, j.Dir, []string{"RUSTC=" + t["rustc"]}, t["cargo"],
		"build", "--release", "--offline", "--target", wasmTarget, "--message-format=json-render-diagnostics")
	if err != nil {
		return err
	}
	module := artefact(out)
	if module == "" {
		return &problem.Problem{Code: "E_FAILED", Message: "cargo built no module in " + j.Dir, Cause: `[lib] of Cargo.toml needs crate-type = ["cdylib"]`}
	}
	b, err := os.ReadFile(module)
	if err != nil {
		return err
	}
	return os.WriteFile(j.Out, b, 0o644)
}

// artefact is the module that cargo says it has made.
func artefact(messages []byte) (module string) {
	lines := bufio.NewScanner(bytes.NewReader(messages))
	lines.Buffer(nil, len(messages)+1)
	for lines.Scan() {
		var m struct {
			Reason    string
			Filenames []string
		}
		if json.Unmarshal(lines.Bytes(), &m) != nil || m.Reason != "compiler-artifact" {
			continue
		}
		if i := slices.IndexFunc(m.Filenames, func(f string) bool { return strings.HasSuffix(f, ".wasm") }); i >= 0 {
			module = m.Filenames[i] // the last: what it depends on comes before
		}
	}
	return module
}
