package module

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/wasm/binary"
	"github.com/mcpctl/mcpctl/host/wasm/fault"
)

// Info describes a module's file.
type Info struct {
	Name        string       `json:"name"` // as it was loaded
	Hash        string       `json:"hash"` // SHA-256 of the file, in hexadecimal
	Size        int          `json:"size"` // bytes of the file
	Format      Format       `json:"format"`
	MemoryBytes int          `json:"memoryBytes"`
	Manifest    abi.Manifest `json:"manifest"`
	HasManifest bool         `json:"hasManifest"` // false: Manifest is the default one
	Language    string       `json:"language"`    // as compilers and stage pack record it: go, rust, c, ...; empty if unknown
	SDK         string       `json:"sdk"`         // with its version; empty if unknown
	LLM         bool         `json:"llm"`         // imports functions that use an LLM
	Imports     []string     `json:"imports"`     // namespace.name, each once, in the order of the file
	Exports     []string     `json:"exports"`     // with their kind if not functions: "memory (memory)"
}

// Native reports whether the module was built for the ABI of this host.
func (i Info) Native() bool { return i.Format == FormatNative }

// Inspect reads a file and checks everything that can be checked without compiling.
//
// Errors: as for Check.
func Inspect(name string, file []byte) (Info, error) {
	info, _, err := Check(name, file)
	return info, err
}

// ReadManifest returns the manifest of a module and checks nothing else. It is faster than
// Inspect, and meant for modules that are part of the program.
//
// Errors: abi.ErrGuest if the file is damaged or has no manifest.
func ReadManifest(file []byte) (abi.Manifest, error) {
	sections, err := binary.Sections(file)
	if err != nil {
		return abi.Manifest{}, fmt.Errorf("%w: %w", abi.ErrGuest, err)
	}
	for _, s := range sections {
		if s.ID != binary.SectionCustom {
			continue
		}
		if r := binary.NewReader(s.Body); r.Name() == abi.ManifestSection {
			return parseManifest(s.Body[r.Offset():])
		}
	}
	return abi.Manifest{}, fmt.Errorf("%w: no section %s", abi.ErrGuest, abi.ManifestSection)
}

// Check is like Inspect and also returns the File. name identifies the module in
// messages and in a default manifest.
//
// Errors: abi.ErrGuest or abi.ErrLimit with the text `module "x": ...`.
func Check(name string, file []byte) (Info, *File, error) {
	f, err := Parse(file)
	if err != nil {
		return Info{}, nil, Refuse(name, err)
	}
	sum := sha256.Sum256(file)
	info := Info{Name: name, Hash: hex.EncodeToString(sum[:]), Size: len(file), MemoryBytes: int(f.MinPages) * binary.PageBytes, Language: f.language()}
	for _, t := range f.tools("sdk") {
		info.SDK = t.String()
	}
	imported := make(map[string]bool)
	for _, i := range f.Imports {
		if label := i.label(); !imported[label] { // a module may import a function several times
			imported[label] = true
			info.Imports = append(info.Imports, label)
		}
		info.LLM = info.LLM || i.Module == abi.NSLLM || i.Module == ExtismUserNamespace && i.Name == ExtismComplete
	}
	for _, e := range f.Exports {
		info.Exports = append(info.Exports, e.label())
	}
	if info.Format, err = f.format(); err != nil {
		return Info{}, nil, Refuse(name, err)
	}
	if info.Manifest, info.HasManifest, err = f.checkContract(name, info.Format); err != nil {
		return Info{}, nil, Refuse(name, err)
	}
	return info, f, nil
}

// maxRefusalBytes limits the message about a refused module: names in it may be of any
// length and contain any characters.
const maxRefusalBytes = 4 << 10

// Refuse returns the error for a module that is not accepted: its name, the text of
// err and the kind of err, abi.ErrGuest by default.
func Refuse(name string, err error) error {
	kind := abi.ErrGuest
	for _, k := range []error{abi.ErrLimit, abi.ErrUnavailable, context.Canceled, context.DeadlineExceeded} {
		if errors.Is(err, k) {
			kind = k
		}
	}
	return fault.New(kind, "module %q: %s", name, fault.Printable([]byte(err.Error()), maxRefusalBytes))
}

// language returns the language that a module was written in, as far as it can be
// determined.
func (f *File) language() string {
	declares := func(l string) bool {
		return slices.ContainsFunc(f.tools("language"), func(t Tool) bool { return t.Name == l })
	}
	switch {
	case f.hasProducer("TinyGo"):
		return "tinygo"
	case f.hasProducer("Go cmd/compile"), f.hasCustom("go:buildid"), f.hasCustom("go.buildid"), declares("Go"):
		return "go"
	case f.hasProducer("rustc"), declares("Rust"):
		return "rust"
	case f.hasProducer("Swift"), f.hasProducer("swift"):
		return "swift"
	case f.hasProducer("clang"), declares("C"):
		return "c"
	case slices.ContainsFunc(f.Imports, Import.isAbort), f.hasCustom("sourceMappingURL"), declares("AssemblyScript"):
		return "assemblyscript"
	}
	return ""
}

// hasCustom reports whether a custom section has a name, in any case.
func (f *File) hasCustom(name string) bool {
	return slices.ContainsFunc(f.customs, func(n string) bool { return strings.EqualFold(n, name) })
}
