// Package toolchain knows the compilers of stages: it detects the language of a plugin
// directory, finds the tools that this language needs, builds the module, and describes
// how to install a missing tool.
//
// It installs and downloads nothing.
package toolchain

import (
	"context"
	"maps"
	"path/filepath"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
)

// Language is one that stages are written in, as --lang takes it.
type Language string

// The languages.
const (
	Go             Language = "go"
	Rust           Language = "rust"
	AssemblyScript Language = "assemblyscript"
	C              Language = "c"
)

// Languages are all of them, in the order of help texts.
var Languages = []string{string(Go), string(Rust), string(AssemblyScript), string(C)}

// Title is how a sentence calls the language.
func (l Language) Title() string { return languages[l].title }

// Job is one build.
type Job struct {
	Dir   string // the plugin directory
	Name  string // of the role
	Out   string // the file to write, in a directory of this build; absolute
	Debug bool   // for one who waits and looks on: as fast as can be, and a panic of Rust has its text
}

// language describes how modules in one language are built.
type language struct {
	title string
	marks []string // patterns of files, one of which identifies the language
	find  func(s System, dir string) (tools, error)
	build func(ctx context.Context, c Chain, j Job) error
}

var languages = map[Language]language{
	Go:             {"Go", []string{"go.mod"}, findGo, buildGo},
	Rust:           {"Rust", []string{"Cargo.toml"}, findRust, buildRust},
	AssemblyScript: {"AssemblyScript", []string{"asconfig.json", "package.json"}, findAssemblyScript, buildAssemblyScript},
	C:              {"C", []string{"*.c"}, findC, buildC},
}

// tools are programs by name, where they were found.
type tools map[string]string

// Of returns the language of a plugin directory.
//
// Errors: abi.ErrNotFound if no file identifies one.
func Of(dir string) (Language, error) {
	for _, name := range Languages {
		for _, mark := range languages[Language(name)].marks {
			if found, _ := filepath.Glob(filepath.Join(quoteGlob(dir), mark)); len(found) > 0 { // fails for a bad pattern only
				return Language(name), nil
			}
		}
	}
	p := problem.New(abi.ErrNotFound, "directory %s contains no stage in a known language", dir)
	p.Cause = "a go.mod, a Cargo.toml, an asconfig.json or a .c file determines the language"
	return "", p.WithHint("mcpctl create stage my-stage --lang go")
}

// quoteGlob escapes a directory name, so that it is not read as a pattern.
func quoteGlob(dir string) string {
	var b []byte
	for i := range len(dir) {
		if c := dir[i]; c == '*' || c == '?' || c == '[' || c == '\\' {
			b = append(b, '\\')
		}
		b = append(b, dir[i])
	}
	return string(b)
}

// Chain is the tools of a language, found. Close it after builds with Job.Debug,
// which may leave a compiler running that the next of them is faster with; these
// are not for concurrent use.
type Chain struct {
	Language Language
	tools    tools
	resident *resident // of AssemblyScript, nil if there is none
}

// Same reports whether another chain has the same tools.
func (c Chain) Same(other Chain) bool {
	return c.Language == other.Language && maps.Equal(c.tools, other.tools)
}

// Close ends the programs that builds left running. The Chain can be used again.
func (c Chain) Close() {
	if c.resident != nil {
		c.resident.close()
	}
}

// Find finds the tools that a directory in a language needs. dir need not exist.
//
// Errors: *Missing.
func Find(s System, l Language, dir string) (Chain, error) {
	t, err := languages[l].find(s, dir)
	c := Chain{Language: l, tools: t}
	if l == AssemblyScript && err == nil {
		c.resident = residentOf(t)
	}
	return c, err
}

// Build writes the module of a directory, without a manifest, to j.Out.
//
// Errors: *problem.Problem whose cause contains the compiler's messages.
func (c Chain) Build(ctx context.Context, j Job) error {
	return languages[c.Language].build(ctx, c, j)
}
