package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func spec(t *testing.T) *Spec {
	t.Helper()
	s, err := readSpec("../abi.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// The committed files are up to date with abi.json.
func TestGeneratedFilesAreUpToDate(t *testing.T) {
	for path, render := range files {
		want, err := render(spec(t))
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		got, err := os.ReadFile(filepath.Join("..", filepath.FromSlash(path)))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("abi/%s differs from abi.json: run go generate ./abi/...", path)
		}
	}
}

func TestHeaderDefinesNoNameTwice(t *testing.T) {
	b, err := renderHeader(spec(t))
	if err != nil {
		t.Fatal(err)
	}
	names := regexp.MustCompile(`(?m)^#define (\w+)|^(?:static inline )?\w+(?: \w+)* \*?(\w+)\(|^} (\w+);`)
	seen := map[string]bool{}
	count := 0
	for _, m := range names.FindAllStringSubmatch(string(b), -1) {
		name := m[1] + m[2] + m[3]
		if name == "MCPCTL_IMPORT" || name == "MCPCTL_EXPORT" { // for Wasm and for other targets
			continue
		}
		if seen[name] {
			t.Errorf("%s is defined twice", name)
		}
		seen[name] = true
		count++
	}
	if count < 150 {
		t.Errorf("%d names found, want all of the ABI", count)
	}
}

func TestReferenceNamesEverything(t *testing.T) {
	s := spec(t)
	b, err := renderReference(s)
	if err != nil {
		t.Fatal(err)
	}
	page := string(b)
	for _, ns := range s.Namespaces {
		for _, m := range ns.Imports {
			if !strings.Contains(page, "`"+signature(m)+"`") {
				t.Errorf("%s.%s is missing", ns.Name, m.Name)
			}
		}
	}
	for _, line := range strings.Split(page, "\n") {
		if strings.HasPrefix(line, "|") && !strings.HasSuffix(line, "|") {
			t.Errorf("row without an end: %s", line)
		}
	}
}

func TestBrokenSpecIsRefused(t *testing.T) {
	good := `{"version":{"major":1,"minor":0},"codes":[{"name":"A","value":-1}],"namespaces":[{"name":"n","imports":[IMPORTS]}]}`
	tests := []struct{ name, imports, want string }{
		{"unknown field", `{"name":"f","result":"0","doc":"d","since":"1.0","colour":"red"}`, `unknown field "colour"`},
		{"name in camel case", `{"name":"bufLen","result":"0","doc":"d","since":"1.0"}`, `"bufLen" is not a name`},
		{"name there twice", `{"name":"f","result":"0","doc":"d","since":"1.0"},{"name":"f","result":"0","doc":"d","since":"1.0"}`, "there twice"},
		{"no doc", `{"name":"f","result":"0","since":"1.0"}`, "needs doc"},
		{"since without a minor", `{"name":"f","result":"0","doc":"d","since":"1"}`, "needs doc, result and since"},
		{"unknown code", `{"name":"f","result":"0","doc":"d","since":"1.0","codes":["B"]}`, "code B unknown"},
		{"unknown type", `{"name":"f","result":"0","doc":"d","since":"1.0","params":[{"name":"p","type":"i64"}]}`, `type "i64" unknown`},
		{"pointer without a size", `{"name":"f","result":"0","doc":"d","since":"1.0","params":[{"name":"p","type":"ptr"}]}`, "size 0"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "abi.json")
			if err := os.WriteFile(path, []byte(strings.Replace(good, "IMPORTS", tt.imports, 1)), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := readSpec(path); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one with %s", err, tt.want)
			}
		})
	}
}

func TestNames(t *testing.T) {
	for in, want := range map[string]string{"buf_read": "BufRead", "json_i64": "JSONI64", "section_id": "SectionID"} {
		if got := camel(in); got != want {
			t.Errorf("camel(%s) is %s, want %s", in, got, want)
		}
	}
	for in, want := range map[string]string{"buf_read": "bufRead", "json_i64": "jsonI64", "section_id": "sectionId"} {
		if got := scriptCamel(in); got != want {
			t.Errorf("scriptCamel(%s) is %s, want %s", in, got, want)
		}
	}
	for in, want := range map[string]string{"LimitLLMRequests": "LIMIT_LLM_REQUESTS", "FuelPerImport": "FUEL_PER_IMPORT", "LimitRoles": "LIMIT_ROLES"} {
		if got := shout(in); got != want {
			t.Errorf("shout(%s) is %s, want %s", in, got, want)
		}
	}
}
