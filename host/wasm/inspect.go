package wasm

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
)

// Info is what a module's file says about itself, without running it.
type Info struct {
	Name        string       `json:"name"` // as it was loaded
	Hash        string       `json:"hash"` // SHA-256 of the file, in hexadecimal
	Size        int          `json:"size"` // bytes of the file
	Format      Format       `json:"format"`
	MemoryBytes int          `json:"memoryBytes"`
	Manifest    abi.Manifest `json:"manifest"`
	HasManifest bool         `json:"hasManifest"` // false: Manifest is the default one
	Language    string       `json:"language"`    // by what compilers and stage pack leave: go, rust, c, ...; empty if unknown
	SDK         string       `json:"sdk"`         // with its version; empty if the module does not say
	LLM         bool         `json:"llm"`         // imports mcpctl:llm/v1, or what an extism module has of it
	Imports     []string     `json:"imports"`     // namespace.name, in the order of the file
	Exports     []string     `json:"exports"`     // with what they are if not functions: "memory (memory)"
}

// Native reports whether the module was built for our ABI.
func (i Info) Native() bool { return i.Format == FormatNative }

// Inspect reads a file and checks all that can be checked without compiling.
//
// Errors: as of Load.
func Inspect(name string, file []byte) (Info, error) {
	info, _, err := inspect(name, file)
	return info, err
}

func inspect(name string, file []byte) (Info, *shape, error) {
	s, err := readShape(file)
	if err != nil {
		return Info{}, nil, refusal(name, err)
	}
	sum := sha256.Sum256(file)
	info := Info{Name: name, Hash: hex.EncodeToString(sum[:]), Size: len(file), MemoryBytes: int(s.minPages) * pageBytes, Language: language(s)}
	for _, t := range s.tools("sdk") {
		info.SDK = t.String()
	}
	for _, i := range s.imports {
		info.Imports = append(info.Imports, i.label())
		info.LLM = info.LLM || i.module == abi.NSLLM || i.module == extismUser && i.name == userComplete
	}
	for _, e := range s.exports {
		info.Exports = append(info.Exports, e.label())
	}
	if info.Format, err = s.format(); err != nil {
		return Info{}, nil, refusal(name, err)
	}
	if info.Manifest, info.HasManifest, err = admit(name, s, info.Format); err != nil {
		return Info{}, nil, refusal(name, err)
	}
	return info, s, nil
}

func (i moduleImport) label() string { return i.module + "." + i.name }

func (e moduleExport) label() string {
	if e.kind == externFunc {
		return e.name
	}
	return e.name + " (" + externNames[e.kind] + ")"
}

// language tells what a module was written in, or guesses it.
func language(s *shape) string {
	says := func(l string) bool {
		return slices.ContainsFunc(s.tools("language"), func(t Tool) bool { return t.Name == l })
	}
	switch {
	case s.made("TinyGo"):
		return "tinygo"
	case s.made("Go cmd/compile"), contains(s.customs, "go:buildid"), contains(s.customs, "go.buildid"), says("Go"):
		return "go"
	case s.made("rustc"), says("Rust"):
		return "rust"
	case s.made("Swift"), s.made("swift"):
		return "swift"
	case s.made("clang"), says("C"):
		return "c"
	case importsAbort(s), contains(s.customs, "sourceMappingURL"), says("AssemblyScript"):
		return "assemblyscript"
	}
	return ""
}

// importsAbort reports whether a module ends as AssemblyScript's do.
func importsAbort(s *shape) bool {
	return slices.ContainsFunc(s.imports, func(i moduleImport) bool { return i.module == "env" && i.name == "abort" })
}

func contains(names []string, want string) bool {
	for _, n := range names {
		if strings.EqualFold(n, want) {
			return true
		}
	}
	return false
}
