package sdk

import (
	"bytes"
	"fmt"
	"go/token"
	"slices"
	"strings"
)

// names are the forms of a role's name: any name is fine for a role, not for a
// function, a file or a package.
type names struct {
	Role    string // my-stage
	Func    string // myStage: a function in Go
	File    string // my-stage, without .go; never my_linux, which builds on Linux alone
	Snake   string // my_stage: a function in Rust
	Crate   string // my-stage: a package of Cargo
	Lib     string // my_stage: the file that Cargo builds
	Package string // my-stage: a package of npm
}

func newNames(role string) names {
	n := names{Role: role, File: dashed(role, "_+")}
	words := strings.FieldsFunc(role, func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	for i, word := range words {
		if i > 0 {
			word = strings.ToUpper(word[:1]) + word[1:]
		}
		n.Func += word
	}
	if taken := n.Func == "main" || n.Func == "init" || n.Func == "stage"; taken || !token.IsIdentifier(n.Func) {
		n.Func = "run" + strings.ToUpper(n.Func[:1]) + n.Func[1:]
	}
	n.Snake = strings.Join(words, "_")
	if slices.Contains(rustWords, n.Snake) || n.Snake[0] <= '9' {
		n.Snake = "run_" + n.Snake
	}
	n.Crate = dashed(role, ".+")
	if slices.Contains(rustWords, n.Crate) || n.Crate[0] <= '9' {
		n.Crate = "stage-" + n.Crate
	}
	n.Lib = strings.ReplaceAll(n.Crate, "-", "_")
	n.Package = dashed(role, "+")
	if slices.Contains(npmNames, n.Package) {
		n.Package = "stage-" + n.Package
	}
	return n
}

// dashed replaces characters by a dash.
func dashed(s, chars string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(chars, r) {
			return '-'
		}
		return r
	}, s)
}

// rustWords are names that a function or a package of Rust cannot have, or that mean
// something else there.
var rustWords = []string{
	"abstract", "alloc", "as", "async", "await", "become", "box", "break", "const", "continue", "core", "crate", "do", "dyn", "else", "enum", "extern",
	"false", "final", "fn", "for", "if", "impl", "in", "let", "loop", "macro", "match", "mcpctl-stage", "mod", "move", "mut", "override", "priv",
	"proc-macro", "pub", "ref", "return", "self", "stage", "static", "std", "struct", "super", "test", "tests", "trait", "true", "try", "type", "typeof",
	"unsafe", "unsized", "use", "virtual", "where", "while", "yield",
}

// npmNames are those of packages that an AssemblyScript stage needs itself.
var npmNames = []string{"assemblyscript", "mcpctl-stage", "node_modules"}

// marks replace texts that must not be changed any more.
type marks struct{ texts []string }

// put gives the mark of a text.
func (m *marks) put(text string) string {
	m.texts = append(m.texts, text)
	return fmt.Sprintf("\x00%d\x00", len(m.texts)-1)
}

func (m *marks) replace(text []byte) []byte {
	for i, t := range m.texts {
		text = bytes.ReplaceAll(text, fmt.Appendf(nil, "\x00%d\x00", i), []byte(t))
	}
	return text
}

// withMarks returns the names with all but the role's own name replaced by marks.
func (n names) withMarks(m *marks) names {
	for _, s := range []*string{&n.Func, &n.File, &n.Snake, &n.Crate, &n.Lib, &n.Package} {
		*s = m.put(*s)
	}
	return n
}
