package code

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
	"github.com/mcpctl/mcpctl/plugins/src/internal/part/parttest"
	"github.com/mcpctl/mcpctl/plugins/src/scan/code/language"
)

// Texts that are designed to be slow take no longer than others, in any language.
func TestHostileTexts(t *testing.T) {
	const n = 300_000
	for rule, text := range map[string]string{
		"deep brackets":           strings.Repeat("{", n) + strings.Repeat("}", n),
		"deep brackets on lines":  strings.Repeat("{\n", n/2) + strings.Repeat("}\n", n/2),
		"deep functions":          strings.Repeat("function f() {\n", n/15) + strings.Repeat("}\n", n/15),
		"deep indentation":        indented(700),
		"unclosed quotes":         strings.Repeat(`\'`, n),
		"comment marks":           strings.Repeat("/* ", n),
		"nested comments":         strings.Repeat("/*", n/2) + strings.Repeat("*/", n/2),
		"nested templates":        strings.Repeat("`${", n),
		"heredocs without end":    strings.Repeat("<<EOF ", n/6) + strings.Repeat("\n<<EOF x EOF", n/12),
		"raw strings":             strings.Repeat(`R"x(`, n/4) + strings.Repeat(`r#"`, n/3),
		"empty backtick names":    strings.Repeat("` a\nfun `` b\n", n/13),
		"long brackets":           strings.Repeat("[=[", n/3),
		"dollar quotes":           strings.Repeat("$a$$b$", n/6),
		"rows without end":        strings.Repeat("COPY a FROM stdin;\n", n/19),
		"rows with another end":   strings.Repeat("COPY a FROM stdin;\n", n/19) + "\\.a",
		"empty rows":              strings.Repeat("COPY a FROM stdin;\n\\.\n", n/22),
		"regular expressions":     strings.Repeat("=/", n/2),
		"code in strings":         strings.Repeat("\"${", n/3) + strings.Repeat("$\"{", n/3) + strings.Repeat("\"\\(", n/3),
		"quotes":                  strings.Repeat("\"", n),
		"conditions":              strings.Repeat("#if x\n{\n", n/8),
		"one line":                "function f(){" + strings.Repeat("x=1;", n) + "}",
		"angle brackets":          strings.Repeat("template <", n/10),
		"angle brackets on lines": strings.Repeat("int f<<<<<<<<<<<<<<<<<(\n", n/25),
		"words":                   strings.Repeat("public ", n/7),
		"attributes":              strings.Repeat("@a\n", n/3),
		"comments":                strings.Repeat("# a\n", n/4),
		"closing words":           strings.Repeat("end\n", n/4),
		"blank lines":             "func f() {}\n" + strings.Repeat("\n", n),
		"blanks":                  strings.Repeat("x\n"+strings.Repeat(" ", 500)+"\n", n/500),
		"unterminated statements": strings.Repeat("int a\n", n/6),
	} {
		b := []byte(text)
		for l := range language.All {
			start := time.Now()
			d, ok := scanAs(b, l, part.Clues{Forced: true}, true)
			if took := time.Since(start); took > 5*time.Second {
				t.Errorf("%s as %s: %v for %d bytes", rule, l.Name, took, len(b))
			}
			if ok && len(d.Parts) < 3000 {
				parttest.Check(t, b, d, nil)
			}
		}
	}
}

// indented returns n lines, each indented more than the one before.
func indented(n int) string {
	var text strings.Builder
	for i := range n {
		fmt.Fprintf(&text, "%*sdef f():\n", i, "")
	}
	return text.String()
}

// The parts of a text take little more memory than the text. All functions are counted, and the
// functions that have no part are in the part of their class.
func TestManyTinyFunctions(t *testing.T) {
	for _, c := range []struct{ name, text, count string }{
		{"a.go", "package p\n" + strings.Repeat("func f() {}\n", 40_000), "40000 functions"},
		{"a.java", "class C {\n" + strings.Repeat("  void f() { g(); }\n", 40_000) + "}\n", "40000 functions, 1 type"},
	} {
		doc, ok := Scan([]byte(c.text), part.Clues{File: c.name})
		if !ok {
			t.Fatalf("%s: not recognized as code", c.name)
		}
		most := max(leastParts, len(c.text)/partBytes)
		if !strings.Contains(doc.Count, c.count) || len(doc.Parts) < most || len(doc.Parts) > most*9/8 {
			t.Errorf("%s: %s, %d parts of at most %d", c.name, doc.Count, len(doc.Parts), most)
		}
		if c.name == "a.java" && doc.Parts[len(doc.Parts)-1].End != doc.Parts[0].End {
			t.Errorf("%s: %d bytes of %d are in parts", c.name, doc.Parts[len(doc.Parts)-1].End, doc.Parts[0].End)
		}
	}
}
