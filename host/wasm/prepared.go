package wasm

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/wasm/fault"
	"github.com/mcpctl/mcpctl/host/wasm/fuel"
	"github.com/mcpctl/mcpctl/host/wasm/module"
	"github.com/mcpctl/mcpctl/internal/atomicfile"
)

// prepared describes a module as it is before compilation. It is stored on disk, with the
// code to compile, so that a module that was loaded before is neither scanned nor rewritten.
type prepared struct {
	Info       module.Info
	Trusted    bool
	Entries    map[string]string // the export of each role
	MinPages   uint32
	CanRestore bool // its guests can be restored from a snapshot
	Globals    int  // mutable ones
	CodeSize   int64
	CodeSum    [sha256.Size]byte // of the code to compile

	path     string // of the files, without their extensions; empty: it is not kept
	isStored bool   // it was read from the cache, which has the compiled code, too
	code     func() ([]byte, error)
}

// preparedDir is the directory of the files in the cache.
const preparedDir = "prepared"

// prepare scans a module, or reads its description from the cache in dir. Without dir there
// is no cache.
//
// Errors: abi.ErrGuest or abi.ErrLimit with the text `module "x": ...`, abi.ErrUnavailable if the
// file cannot be read.
func prepare(dir, name, hash string, read func() ([]byte, error), trusted bool) (*prepared, error) {
	path := ""
	if dir != "" {
		path = filepath.Join(dir, preparedDir, preparedName(name, hash, trusted))
		if p := readPrepared(path); p != nil {
			if trusted { // a part of the program: its code is not kept
				p.code = func() ([]byte, error) {
					again, err := prepare("", name, hash, read, true)
					if err != nil {
						return nil, err
					}
					return again.code()
				}
			}
			return p, nil
		}
	}
	file, err := read()
	if err != nil {
		return nil, fault.New(abi.ErrUnavailable, "module %q: %v", name, err)
	}
	info, f, err := module.Check(name, file)
	if err != nil {
		return nil, err
	}
	p := &prepared{Info: info, Trusted: trusted && info.Format == module.FormatNative, Entries: make(map[string]string), MinPages: f.MinPages, path: path}
	for _, role := range info.Manifest.Roles {
		if p.Entries[role.Name], err = f.Entry(info.Format, role.Name); err != nil {
			return nil, module.Refuse(name, err)
		}
	}
	p.CanRestore, p.Globals = info.Format == module.FormatNative && !f.KeepsState(), f.MutableGlobals()
	if p.Trusted {
		p.code = func() ([]byte, error) { return f.WithGlobals(), nil }
		return p, nil
	}
	p.code = func() ([]byte, error) { // reads the file again: until then, it takes no memory
		file, err := read()
		if err != nil {
			return nil, fault.New(abi.ErrUnavailable, "%v", err)
		}
		_, f, err := module.Check(name, file)
		switch {
		case err != nil:
			return nil, err
		case info.Format == module.FormatExtism:
			return rewriteExtism(f)
		}
		return fuel.Rewrite(f.WithGlobals(), fuel.Slice)
	}
	return p, nil
}

// extismStartFuel is the fuel of a start function, which cannot call fuel.Yield: the SDK
// has no plugin for the call before the start function has returned.
const extismStartFuel = 256 * fuel.Slice

// rewriteExtism returns the module to compile.
func rewriteExtism(f *module.File) ([]byte, error) {
	file := f.RedirectImports(module.ExtismEnvNamespace, replacedNamespace, func(name string) bool { return envFuncs[name] != nil })
	return fuel.Rewrite(file, extismStartFuel)
}

// preparedName identifies a module, as this program prepares it.
func preparedName(name, hash string, trusted bool) string {
	by := sha256.Sum256(fmt.Appendf(nil, "%s\x00%t\x00%s", name, trusted, programIdentity()))
	return hash + "-" + hex.EncodeToString(by[:8])
}

// programIdentity differs between builds: another one may scan, rewrite and compile
// differently.
var programIdentity = sync.OnceValue(func() string {
	path, err := os.Executable()
	if err != nil {
		return ""
	}
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	return fmt.Sprint(path, info.Size(), info.ModTime().UnixNano(), runtime.GOARCH)
})

// readPrepared returns a module that was stored, or nil.
func readPrepared(path string) *prepared {
	data, err := os.ReadFile(path + ".json")
	if err != nil {
		return nil
	}
	p := &prepared{path: path, isStored: true}
	if json.Unmarshal(data, p) != nil {
		return nil
	}
	if p.Trusted {
		return p
	}
	if info, err := os.Stat(p.codePath()); err != nil || info.Size() != p.CodeSize {
		return nil
	}
	p.code = func() ([]byte, error) { return readCode(p.codePath(), p.CodeSum) }
	return p
}

// isPrepared reports whether there is a description at path. It may still be invalid.
func isPrepared(path string) bool {
	_, err := os.Stat(path + ".json")
	return err == nil
}

// readCode reads the code of a module that was stored.
//
// Errors: abi.ErrNotFound if it is missing or damaged.
func readCode(path string, sum [sha256.Size]byte) ([]byte, error) {
	code, err := os.ReadFile(path)
	if err != nil || sha256.Sum256(code) != sum {
		return nil, fault.New(abi.ErrNotFound, "its prepared code is missing or damaged")
	}
	return code, nil
}

func (p *prepared) codePath() string { return p.path + ".wasm" }

// store keeps the description of a module whose code was compiled, and the code of one that
// is not trusted.
func (p *prepared) store(file []byte) error {
	if p.path == "" {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(p.path), 0o700); err != nil {
		return err
	}
	if !p.Trusted {
		p.CodeSize, p.CodeSum = int64(len(file)), sha256.Sum256(file)
		if err := atomicfile.Write(p.codePath(), file, 0o600); err != nil {
			return err
		}
	}
	var description bytes.Buffer
	e := json.NewEncoder(&description) // gob omits a pointer to false, which manifests have
	e.SetEscapeHTML(false)             // keeps the defaults of settings as they are
	if err := e.Encode(p); err != nil {
		return err
	}
	return atomicfile.Write(p.path+".json", description.Bytes(), 0o600) // after the code, because a description says that its code exists
}

// remove forgets the module.
func (p *prepared) remove() {
	if p.path != "" {
		_ = os.Remove(p.path + ".json")
		_ = os.Remove(p.codePath())
	}
}
