package code

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
	"github.com/mcpctl/mcpctl/plugins/src/internal/part/parttest"
)

// Texts that are made to be slow are read like others, whatever the language.
func TestHostileTexts(t *testing.T) {
	const n = 300_000
	for rule, text := range map[string]string{
		"deep brackets":           strings.Repeat("{", n) + strings.Repeat("}", n),
		"deep brackets on lines":  strings.Repeat("{\n", n/2) + strings.Repeat("}\n", n/2),
		"deep functions":          strings.Repeat("function f() {\n", n/15) + strings.Repeat("}\n", n/15),
		"deep indentation":        indented(700),
		"quotes that do not end":  strings.Repeat(`\'`, n),
		"marks of comments":       strings.Repeat("/* ", n),
		"comments in comments":    strings.Repeat("/*", n/2) + strings.Repeat("*/", n/2),
		"templates in templates":  strings.Repeat("`${", n),
		"heredocs without end":    strings.Repeat("<<EOF ", n/6) + strings.Repeat("\n<<EOF x EOF", n/12),
		"raw strings":             strings.Repeat(`R"x(`, n/4) + strings.Repeat(`r#"`, n/3),
		"ticks round nothing":     strings.Repeat("` a\nfun `` b\n", n/13),
		"long brackets":           strings.Repeat("[=[", n/3),
		"dollar quotes":           strings.Repeat("$a$$b$", n/6),
		"regular expressions":     strings.Repeat("=/", n/2),
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
		"statements not ended":    strings.Repeat("int a\n", n/6),
	} {
		b := []byte(text)
		for l := range languages {
			start := time.Now()
			d, ok := scan(b, l, part.Clues{Forced: true}, true)
			if took := time.Since(start); took > 5*time.Second {
				t.Errorf("%s as %s: %v for %d bytes", rule, l.name, took, len(b))
			}
			if ok && len(d.Parts) < 3000 {
				parttest.Check(t, b, d, nil)
			}
		}
	}
}

// indented is lines each deeper than the last.
func indented(n int) string {
	var text strings.Builder
	for i := range n {
		fmt.Fprintf(&text, "%*sdef f():\n", i, "")
	}
	return text.String()
}

// TestTinyFunctionsAreNotAllNoted: what is noted of a text takes little more memory
// than it does. All functions are counted, and those of the last class that is noted
// are part of it.
func TestTinyFunctionsAreNotAllNoted(t *testing.T) {
	for _, c := range []struct{ name, text, count string }{
		{"a.go", "package p\n" + strings.Repeat("func f() {}\n", 40_000), "40000 functions"},
		{"a.java", "class C {\n" + strings.Repeat("  void f() { g(); }\n", 40_000) + "}\n", "40000 functions, 1 type"},
	} {
		doc, ok := Scan([]byte(c.text), part.Clues{File: c.name})
		if !ok {
			t.Fatalf("%s: no code", c.name)
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
