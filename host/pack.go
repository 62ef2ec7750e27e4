package host

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
	"github.com/mcpctl/mcpctl/host/object"
	"github.com/mcpctl/mcpctl/host/reloop"
	"github.com/mcpctl/mcpctl/host/wasm/module"
)

// ModuleInfo is what a module file says about itself.
type ModuleInfo = module.Info

// InspectModule reads what a module file says about itself, without running it.
func InspectModule(file string, b []byte) (ModuleInfo, error) {
	return module.Inspect(moduleName(file), b)
}

// PackOptions of Pack.
type PackOptions struct {
	File          string // the path of the module, which errors name; empty: they name the manifest
	Name, Version string // of the module; empty ones are those of the folder

	// Language and SDK are written into a module that does not say what it was made
	// with. An empty Language writes nothing.
	Language string // as a person writes it: Rust
	SDK      module.Tool
}

// Packed is a module with its manifest.
type Packed struct {
	Module   []byte
	Manifest abi.Manifest
	Flow     reloop.Result // what was done about its control flow
}

// Pack appends the manifest of a plugin folder to a compiled module. A folder
// without a plugin.yaml of its own stands for the plugin folders in it. A module
// that Go's compiler made gets its control flow restored, which makes it faster.
//
// Errors: object.Errors for mistakes in a plugin.yaml; abi.ErrGuest if the
// module does not fit its manifest.
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

func readManifest(dir string, opts PackOptions) (abi.Manifest, error) {
	file := filepath.Join(dir, "plugin.yaml")
	b, err := os.ReadFile(file)
	if err == nil {
		m, err := object.ParsePlugin(b, file)
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

func mergeManifests(dir string, opts PackOptions) (abi.Manifest, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*", "plugin.yaml")) // in lexical order
	if err != nil {
		return abi.Manifest{}, err
	}
	if len(files) == 0 {
		return abi.Manifest{}, fmt.Errorf("%w: no plugin.yaml in %s nor in its folders", abi.ErrNotFound, dir)
	}
	var parts []abi.Manifest
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			return abi.Manifest{}, err
		}
		m, err := object.ParsePlugin(b, f)
		if err != nil {
			return abi.Manifest{}, err
		}
		parts = append(parts, m)
	}
	if opts.Name == "" { // "." is no name of a module
		whole, err := filepath.Abs(dir)
		if err != nil {
			return abi.Manifest{}, err
		}
		opts.Name = strings.ToLower(filepath.Base(whole))
	}
	return object.MergePlugins(abi.Manifest{Name: opts.Name, Version: opts.Version}, parts...)
}
