package lab

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/manifest"
	"github.com/mcpctl/mcpctl/host/reloop"
	"github.com/mcpctl/mcpctl/host/wasm/module"
)

// ModuleInfo is the description in a module file.
type ModuleInfo = module.Info

// InspectModule reads the description in a module file without running it.
func InspectModule(file string, b []byte) (ModuleInfo, error) {
	return module.Inspect(moduleName(file), b)
}

// PackOptions of Pack.
type PackOptions struct {
	File          string // path of the module, for errors; if empty, they contain the name in the manifest
	Name, Version string // of the module; default: those of the directory

	// Language and SDK are written into a module without information about its
	// compiler. If Language is empty, nothing is written.
	Language string // for example Rust
	SDK      module.Tool
}

// Packed is a module with its manifest.
type Packed struct {
	Module   []byte
	Manifest abi.Manifest
	Flow     reloop.Result // changes to its control flow
}

// Pack appends the manifest of a plugin directory to a compiled module. If the directory
// has no plugin.yaml, the manifests of its subdirectories are merged. In a module of the
// Go compiler the control flow is restored, which makes the module faster.
//
// Errors: strictyaml.Errors for an invalid plugin.yaml; abi.ErrGuest if the module does not
// fit its manifest.
func Pack(dir string, file []byte, opts PackOptions) (Packed, error) {
	m, err := readManifest(dir, opts)
	if err != nil {
		return Packed{}, err
	}
	text, err := json.Marshal(m)
	if err != nil {
		return Packed{}, err
	}
	if err := module.CheckSections(moduleName(cmp.Or(opts.File, m.Name)), file); err != nil {
		return Packed{}, err
	}
	file, flow, err := reloop.Module(file)
	if err != nil {
		return Packed{}, err
	}
	if opts.Language != "" {
		by := module.Producers{Language: module.Tool{Name: opts.Language}, SDK: opts.SDK, ProcessedBy: module.Tool{Name: "mcpctl"}}
		if file, err = module.WithProducers(file, by); err != nil {
			return Packed{}, err
		}
	}
	file, err = module.WithManifest(file, text)
	if err != nil {
		return Packed{}, err
	}
	if _, err := module.Inspect(m.Name, file); err != nil {
		return Packed{}, err
	}
	return Packed{Module: file, Manifest: m, Flow: flow}, nil
}

// readManifest reads the manifest of a plugin directory.
func readManifest(dir string, opts PackOptions) (abi.Manifest, error) {
	file := filepath.Join(dir, "plugin.yaml")
	b, err := os.ReadFile(file)
	if err == nil {
		m, err := manifest.Parse(b, file)
		if opts.Name != "" {
			m.Name = opts.Name
		}
		if opts.Version != "" {
			m.Version = opts.Version
		}
		return m, err
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return abi.Manifest{}, err
	}
	return mergeManifests(dir, opts)
}

// mergeManifests merges the manifests of the subdirectories of dir.
func mergeManifests(dir string, opts PackOptions) (abi.Manifest, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*", "plugin.yaml")) // in lexical order
	if err != nil {
		return abi.Manifest{}, err
	}
	if len(files) == 0 {
		return abi.Manifest{}, fmt.Errorf("%w: no plugin.yaml in %s or its subdirectories", abi.ErrNotFound, dir)
	}
	var parts []abi.Manifest
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			return abi.Manifest{}, err
		}
		m, err := manifest.Parse(b, f)
		if err != nil {
			return abi.Manifest{}, err
		}
		parts = append(parts, m)
	}
	if opts.Name == "" { // "." is not a valid name
		whole, err := filepath.Abs(dir)
		if err != nil {
			return abi.Manifest{}, err
		}
		opts.Name = strings.ToLower(filepath.Base(whole))
	}
	return manifest.Merge(abi.Manifest{Name: opts.Name, Version: opts.Version}, parts...)
}
