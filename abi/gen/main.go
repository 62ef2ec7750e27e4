// Gen generates files from abi.json: the constants of package abi, the C header, the
// reference page and the raw bindings of the SDKs.
//
// It runs in the directory abi (go generate ./abi/...) and writes only the paths of
// files.
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

// files maps a path, relative to the directory abi, to its renderer.
var files = map[string]func(*Spec) ([]byte, error){
	"zz_abi_gen.go":                           renderConstants,
	"c/mcpctl.h":                              renderHeader,
	"../docs/abi.md":                          renderReference,
	"../sdk-go/internal/raw/zz_raw.go":        renderRawConstants,
	"../sdk-go/internal/raw/zz_raw_wasip1.go": renderRawGuest,
	"../sdk-go/internal/raw/zz_raw_native.go": renderRawNative,
	"../sdk-rust/src/raw/zz_raw.rs":           renderRawRust,

	"../sdk-assemblyscript/mcpctl-stage/raw/zz_raw.ts":  renderRawAS,
	"../sdk-assemblyscript/mcpctl-stage/test/zz_abi.js": renderHostJS,
}

func main() {
	if err := run("."); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func run(dir string) error {
	spec, err := readSpec(filepath.Join(dir, "abi.json"))
	if err != nil {
		return err
	}
	for path, render := range files {
		b, err := render(spec)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		path = filepath.Join(dir, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, b, 0o644); err != nil {
			return err
		}
	}
	return nil
}
