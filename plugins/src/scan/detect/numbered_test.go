package detect

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
	"github.com/mcpctl/mcpctl/plugins/src/internal/part/parttest"
)

const numberedGo = "package a\n\nimport \"b\"\n\n// F does it.\nfunc F(x int) error {\n\tif x > 1 {\n\t\treturn b.C(x)\n\t}\n\n\treturn nil\n}\n\n/* { is\n\n   G */\ntype T struct {\n\tx int\n}\n"

// numberLines puts numbers before lines.
func numberLines(form string, first, step int, text string) string {
	var s strings.Builder
	for i, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		fmt.Fprintf(&s, form, first+i*step, line)
	}
	return s.String()
}

func TestCodeWithLineNumbers(t *testing.T) {
	for _, form := range []string{"%6d\t%s\n", "%d:%s\n", "%d: %s\n", "%6d→%s\n", "%d→%s\n", "%4d| %s\n", "%3d: %s\r\n"} {
		for _, first := range []int{1, 95} {
			b := []byte(numberLines(form, first, 1, numberedGo))
			r := Detect(b, options)
			if r.Type != Code {
				t.Errorf("%q from %d: %s", form, first, r.Type)
				continue
			}
			parttest.Check(t, b, r.Parts, nil)
			var names []string
			for i, p := range r.Parts.Parts {
				var n part.Name
				r.Parts.Name(i, &n)
				names = append(names, string(n.ID)+" "+string(n.Title))
				if p.Start > 0 && b[p.Start-1] != '\n' || b[p.End-1] != '\n' {
					t.Errorf("%q: %q is not whole lines", form, b[p.Start:p.End])
				}
			}
			if got, want := strings.Join(names, "; "), `L1 package a import "b"; F func F(x int) error // does it; T type T struct // { is`; got != want {
				t.Errorf("%q from %d: %s, want %s", form, first, got, want)
			}
		}
	}
}

func TestLineNumbersAreNoKeys(t *testing.T) {
	prose := strings.Repeat("the server reads what it finds: a name, a table\nand writes { it } before the next one\n", 20)
	for _, c := range []struct {
		rule, hint, text string
		yaml             bool
	}{
		{"text with its numbers", "", numberLines("%d: %s\n", 1, 1, prose), false},
		{"some lines of a text", "", numberLines("%d:%s\n", 3, 7, numberedGo), false},
		{"named YAML", "a.yaml", numberLines("%d: %s\n", 1, 1, strings.Repeat("a b\n", 20)), true},
		{"numbers that do not ascend", "", "404: not found\n200: all is well\n301: moved\n500: failed\n401: who\n403: no\n", true},
		{"blocks below numbers", "", numberLines("%d:\n  name: %s\n  size: 2\n", 1, 1, strings.Repeat("a\n", 20)), true},
	} {
		if got := Detect([]byte(c.text), Options{JSON: options.JSON, Hint: c.hint}).Type; (got == YAML) != c.yaml || got == Code {
			t.Errorf("%s: %s", c.rule, got)
		}
	}
}

// A table may have a column of ascending numbers.
func TestNumberedRecordsAreTables(t *testing.T) {
	for _, form := range []string{"%d\tname %s\t2\n", "%d,name %s,2\n", "%d|name %s|2\n"} {
		if got := Detect([]byte(numberLines(form, 1, 1, strings.Repeat("a\n", 40))), options).Type; got != CSV {
			t.Errorf("%q: %s", form, got)
		}
	}
}

func FuzzNumbered(f *testing.F) {
	f.Add(numberLines("%6d\t%s\n", 1, 1, numberedGo))
	f.Add("1:func a() {\n2:}\n3:func b() {\n4:}\n\n6:func c() {\n")
	f.Add("\ufeff1→\n2→def f():\n3→  x\nclass\n4→class A:\n5→ x\n6→\n\n")
	f.Fuzz(func(t *testing.T, text string) {
		b := []byte(text)
		if r, ok := proveNumbered(&survey{b: b}, options); ok {
			parttest.Check(t, b, r.Parts, nil)
		}
	})
}
