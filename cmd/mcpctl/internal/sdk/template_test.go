package sdk

import (
	"go/format"
	"go/parser"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/toolchain"
)

// With any name of a plugin, its sources are valid Go without the name of the example.
func TestTemplateTakesAnyName(t *testing.T) {
	for _, tc := range []struct{ stage, fn, file string }{
		{"shout", "shout", "shout"},
		{"my-stage", "myStage", "my-stage"},
		{"summarize+index", "summarizeIndex", "summarize-index"},
		{"a.b_c", "aBC", "a.b-c"},
		{"only_linux", "onlyLinux", "only-linux"},
		{"3d", "run3d", "3d"},
		{"main", "runMain", "main"},
		{"func", "runFunc", "func"},
		{"stage", "runStage", "stage"},
	} {
		t.Run(tc.stage, func(t *testing.T) {
			files, err := Files(abi.KindStage, toolchain.Go, tc.stage, "/sdk dir/go")
			checkFiles(t, files, err, "func "+tc.fn+"(c *stage.Ctx) error", tc.file, "testdata/basic.txtar", "testdata/llm-fails.txtar", "try.yaml", "session.yaml")
			files, err = Files(abi.KindController, toolchain.Go, tc.stage, "/sdk dir/go")
			checkFiles(t, files, err, `controller.Register("`+tc.stage+`", `, tc.file, "try.yaml", "session.yaml")
		})
	}
}

// In other languages a plugin gets a name that is valid there, equal to the role if
// possible.
func TestTemplatesOfOtherLanguages(t *testing.T) {
	const dir = `/sdk "dir"/x`
	for _, tc := range []struct{ name, crate, lib, fn, npm string }{
		{"shout", "shout", "shout", "shout", "shout"},
		{"my-stage", "my-stage", "my_stage", "my_stage", "my-stage"},
		{"a.b_c+d", "a-b_c-d", "a_b_c_d", "a_b_c_d", "a.b_c-d"},
		{"3d", "stage-3d", "stage_3d", "run_3d", "3d"},
		{"match", "stage-match", "stage_match", "run_match", "match"},
		{"assemblyscript", "assemblyscript", "assemblyscript", "assemblyscript", "stage-assemblyscript"},
	} {
		for w := range examples {
			if w.language == toolchain.Go {
				continue
			}
			files, err := Files(w.kind, w.language, tc.name, dir)
			if err != nil {
				t.Fatal(err)
			}
			text := map[string]string{}
			for _, f := range files {
				text[f.Name] = string(f.Text)
				if at := leftover.Find(f.Text); at != nil {
					t.Errorf("%s of a %s in %s still says %q", f.Name, w.kind, w.language, at)
				}
				if strings.Contains(string(f.Text), "../../..") || strings.Contains(string(f.Text), "\x00") {
					t.Errorf("%s of a %s in %s has a folder of the repository, or a mark:\n%s", f.Name, w.kind, w.language, f.Text)
				}
			}
			has := func(file, want string) {
				t.Helper()
				if !strings.Contains(text[file], want) {
					t.Errorf("%s of %s in %s has no %s:\n%s", file, tc.name, w.language, want, text[file])
				}
			}
			has("plugin.yaml", "name: "+tc.name+"\n")
			has("try.yaml", "\nmetadata: {name: "+tc.name+"}\n")
			has("session.yaml", "--project "+tc.name+"\n")
			if n := strings.Count(text["README.md"], "\n"); n > 15 {
				t.Errorf("README.md of a %s in %s has %d lines, limit 15", w.kind, w.language, n)
			}
			switch w.language {
			case toolchain.Rust:
				has("Cargo.toml", `name = "`+tc.crate+`"`)
				has("Cargo.toml", `path = "/sdk \"dir\"/x"`)
				has("README.md", "/release/"+tc.lib+".wasm -o "+tc.name+".wasm")
				if w.kind == abi.KindController {
					has("src/lib.rs", `controller!("`+tc.name+`", HOOKS)`)
					continue
				}
				has("src/lib.rs", "fn "+tc.fn+"(c: &mut Ctx)")
				has("src/lib.rs", `stage!("`+tc.name+`", `+tc.fn+`)`)
			case toolchain.AssemblyScript:
				has("asconfig.json", `"path": ["/sdk \"dir\"/x"]`)
				has("asconfig.json", `"outFile": "`+tc.name+`.wasm"`)
				has("assembly/index.ts", `register("`+tc.name+`", `)
				has("assembly/tsconfig.json", "assemblyscript/std/assembly.json") // without it an editor knows neither i32 nor the SDK
				has("README.md", `/sdk \"dir\"/x/README.md`)
				if w.kind == abi.KindStage {
					has("package.json", `"name": "`+tc.npm+`"`)
					has(tc.name+".test.js", `runStage("`+tc.name+`.wasm", "`+tc.name+`"`)
				}
			case toolchain.C:
				has("compile_flags.txt", `-I/sdk "dir"/x`)
				has("Makefile", tc.name+".wasm: $(SOURCES) ")
				has(tc.name+".c", "/* "+tc.name+" is a ")
			}
		}
	}
}

// checkFiles: the files that all plugins have and more, one of them with the code.
func checkFiles(t *testing.T, files []File, err error, code, file string, more ...string) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range files {
		names = append(names, f.Name)
		check(t, f, code)
	}
	for _, want := range append(more, "README.md", "Makefile", "plugin.yaml", "go.mod", ".gitignore", ".github/workflows/test.yml", file+".go", file+"_test.go") {
		if !slices.Contains(names, want) {
			t.Errorf("no %s in %v", want, names)
		}
	}
}

// The example's name may be a word of the new name and of the path of the SDK.
func TestTemplateReplacesItsNameOnce(t *testing.T) {
	for w, e := range examples {
		files, err := Files(w.kind, w.language, "my-"+e.role, "/home/"+e.role+"/$1/sdk")
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			switch text := string(f.Text); {
			case strings.Contains(text, "my-my-"):
				t.Errorf("%s has the name twice:\n%s", f.Name, text)
			case f.Name == "go.mod" && (!strings.HasPrefix(text, "module stages.local/my-"+e.role+"\n") || !strings.Contains(text, "=> /home/"+e.role+"/$1/sdk\n")):
				t.Errorf("go.mod:\n%s", text)
			}
		}
	}
}

var leftover = regexp.MustCompile(`(?i)\b(lead|brake)\b`)

func check(t *testing.T, f File, code string) {
	t.Helper()
	if at := leftover.Find(f.Text); at != nil {
		t.Errorf("%s still says %q", f.Name, at)
	}
	switch {
	case path.Ext(f.Name) == ".go":
		if _, err := parser.ParseFile(token.NewFileSet(), f.Name, f.Text, 0); err != nil {
			t.Error(err)
		}
		if nice, err := format.Source(f.Text); err != nil || string(nice) != string(f.Text) {
			t.Errorf("%s is not formatted: %v", f.Name, err)
		}
		if !strings.HasSuffix(f.Name, "_test.go") && !strings.Contains(string(f.Text), code) {
			t.Errorf("%s has no %s:\n%s", f.Name, code, f.Text)
		}
	case f.Name == "go.mod" && !strings.Contains(string(f.Text), "=> `/sdk dir/go`"):
		t.Errorf("go.mod does not name the SDK:\n%s", f.Text)
	case f.Name == "README.md" && strings.Count(string(f.Text), "\n") > 15:
		t.Errorf("README.md has %d lines, limit 15", strings.Count(string(f.Text), "\n"))
	}
}
