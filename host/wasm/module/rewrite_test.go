package module

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/wasm/binary"
)

// FuzzRedirectImports verifies that redirecting imports changes only their namespace.
func FuzzRedirectImports(f *testing.F) {
	files, _ := filepath.Glob("../../../testdata/foreign/extism-*.wasm")
	for _, path := range files {
		if b, err := os.ReadFile(path); err == nil {
			f.Add(b)
		}
	}
	isRedirected := func(name string) bool { return strings.Contains(name, "_") }
	f.Fuzz(func(t *testing.T, file []byte) {
		_, parsed, err := Check("head", file)
		if err != nil || !parsed.hasImportFrom(ExtismEnvNamespace) || parsed.hasImportFrom(abi.NSCore) {
			return
		}
		again, err := Parse(parsed.RedirectImports(ExtismEnvNamespace, "other", isRedirected))
		if err != nil {
			t.Fatal(err)
		}
		for i := range again.Imports {
			i := &again.Imports[i]
			switch i.Module {
			case "other":
				if !isRedirected(i.Name) {
					t.Errorf("%s was redirected", i.Name)
				}
				i.Module = ExtismEnvNamespace
			case ExtismEnvNamespace:
				if isRedirected(i.Name) {
					t.Errorf("%s was not redirected", i.Name)
				}
			}
		}
		if !reflect.DeepEqual(again.Imports, parsed.Imports) || !reflect.DeepEqual(again.Exports, parsed.Exports) || !bytes.Equal(codeOf(t, again), codeOf(t, parsed)) || !slices.Equal(again.functions, parsed.functions) {
			t.Errorf("%+v became %+v", parsed, again)
		}
	})
}

// codeOf returns the code section of the module to compile.
func codeOf(t *testing.T, f *File) []byte {
	t.Helper()
	sections, err := binary.Sections(f.stripped)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range sections {
		if s.ID == binary.SectionCode {
			return s.Body
		}
	}
	return nil
}
