package toolchain

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/cmd/internal/problem"
)

// wasmTarget is Rust's name of the target of a module.
const wasmTarget = "wasm32-unknown-unknown"

// findRust finds a compiler that has the target, which the first in PATH need not
// have, and the cargo that came with it.
func findRust(s System, _ string) (tools, error) {
	var compilers []string
	if own := s.env("RUSTC"); own != "" {
		compilers = append(compilers, own)
	}
	compilers = append(compilers, s.all("rustc")...)
	alone := "" // has the target, and no cargo
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
		alone = rustc
	}
	if alone != "" {
		why := "there is none in PATH, nor beside " + alone
		return nil, &Missing{Rust, "cargo", why, s.install("cargo", "rustup", rustPage)}
	}
	return nil, s.missingRust(compilers)
}

// rustPage describes how to install Rust.
const rustPage = "https://rustup.rs"

func (s System) cargoOf(rustc string) string {
	if beside := filepath.Join(filepath.Dir(rustc), "cargo"); isProgram(beside) {
		return beside
	}
	return s.first("cargo")
}

func (s System) missingRust(compilers []string) *Missing {
	m := &Missing{Rust, "rustc and cargo", "Rust compiles it; there is no rustc in PATH", s.install("cargo libstd-rust-dev-wasm32", "rustup", rustPage)}
	if len(compilers) == 0 {
		return m
	}
	m.Tool, m.Why = "Rust target "+wasmTarget, "no compiler has it: "+strings.Join(compilers, ", ")
	if s.first("rustup") != "" {
		m.Install = "rustup target add " + wasmTarget
	}
	return m
}

// debugProfile is the release profile without optimising the standard library and the
// stage as one unit, which takes most of the time of a build and does not change its
// results. The profile has its own name, so that the two builds keep each other's files.
var debugProfile = []string{
	"--profile", "mcpctl-dev",
	"--config", `profile.mcpctl-dev.inherits="release"`,
	"--config", `profile.mcpctl-dev.lto="off"`,
	"--config", `profile.mcpctl-dev.incremental=true`,
	"--config", `profile.mcpctl-dev.codegen-units=16`,
}

func buildRust(ctx context.Context, c Chain, j Job) error {
	args := []string{"build", "--offline", "--target", wasmTarget, "--message-format=json-render-diagnostics"}
	if j.Debug {
		args = append(args, debugProfile...)
	} else {
		args = append(args, "--release")
	}
	if j.Debug && mutePanics(j.Dir) {
		args = append(args, "--features", "mcpctl-stage/panic-message")
	}
	out, err := run(ctx, j, []string{"RUSTC=" + c.tools["rustc"]}, c.tools["cargo"], args...)
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

// mutePanics reports whether the crate leaves out the text of a panic, as templates do
// for a small module.
func mutePanics(dir string) bool {
	b, err := os.ReadFile(filepath.Join(dir, "Cargo.toml"))
	return err == nil && muteSDK.Match(b)
}

var muteSDK = regexp.MustCompile(`(?m)^mcpctl-stage\s*=.*default-features\s*=\s*false`)

// artefact returns the module in cargo's messages.
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
			module = m.Filenames[i] // the last one, because dependencies come first
		}
	}
	return module
}
