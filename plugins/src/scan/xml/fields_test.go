package xmlscan

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
)

func TestFields(t *testing.T) {
	repeat := func(n int, format func(i int) string) string {
		var w strings.Builder
		for i := range n {
			w.WriteString(format(i))
		}
		return w.String()
	}
	for _, c := range []struct{ rule, children, want string }{
		{"attributes and children, their types and values", repeat(30, func(i int) string {
			return fmt.Sprintf("<e id='x%d' n='%d' f='-1.%d' on='true'><v>%s</v><w><x/></w></e>", i, 5+i, i%5, []string{"a", "b"}[i%2])
		}), "fields: @id text | @n int 5..34 | @f number -1.4..-1.0 | @on text true | v text a/b | w element"},
		{"how many have it, if most do", repeat(40, func(i int) string {
			return "<e k='v'>" + []string{"<a>1</a>", "<a>x</a><b>2</b>", "<a>1</a>", ""}[i%4] + "</e>"
		}), "fields: @k text v | a mixed 75%"},
		{"many values are counted, what nearly all differ in is not", repeat(40, func(i int) string {
			return fmt.Sprintf("<e k='k%d' l='l%d'/>", i%8, i%20)
		}), "fields: @k text 8 values | @l text"},
		{"several in an element", repeat(30, func(i int) string { return "<e><a>1</a><a>2</a></e>" }), "fields: a list"},
		{"zeros in front are no number, nor are dates and other scripts", repeat(30, func(i int) string {
			return "<e a='007' b='2026-01-01' c='1e5' d='٣' e='-' f=''/>"
		}), "fields: @a text 007 | @b text 2026-01-01 | @c text 1e5 | @d text ٣ | @e text -"},
		{"one in ten may differ", "<f/><g/>" + repeat(30, func(i int) string { return "<e k='v'/>" }), "fields: @k text v"},
		{"those before the last that differs are read too", "<f/>" + repeat(30, func(i int) string { return fmt.Sprintf("<e n='%d'/>", i) }), "fields: @n int 0..29"},
		{"not more", "<f/><g/>" + repeat(24, func(i int) string { return []string{"<e k='v'/>", "<h/>"}[i/20] }), ""},
		{"few children need none", repeat(20, func(i int) string { return "<e k='v'/>" }), ""},
		{"nothing in common", repeat(30, func(i int) string { return "<e>x</e>" }), ""},
		{"the first of many", repeat(maxRows+1, func(i int) string { return fmt.Sprintf("<e n='%d'/>", i) }), "fields of the first 500: @n int 0..499"},
	} {
		for _, text := range []string{"<r>" + c.children + "</r>", "<!-- c --><r><s>text" + c.children + "</s></r>"} {
			d, ok := Scan([]byte(text), part.Clues{})
			if !ok {
				t.Fatalf("%s: refused", c.rule)
			}
			if got := strings.Join(d.Lines, "|"); got != c.want {
				t.Errorf("%s: %q, want %q", c.rule, got, c.want)
			}
		}
	}
}

// An element that is not the only one tells the fields of its children where it is
// opened; one that is read as a whole needs not.
func TestFieldsOfOneElement(t *testing.T) {
	row := "<e k='" + strings.Repeat("v", 70) + "'/>"
	text := "<r><s>" + strings.Repeat(row, 90) + "</s><s>" + strings.Repeat(row, 30) + "</s></r>"
	d, ok := Scan([]byte(text), part.Clues{})
	if !ok || len(d.Lines) > 0 {
		t.Fatalf("%t, %q", ok, d.Lines)
	}
	var said []string
	for i := range d.Parts {
		var n part.Name
		if d.Name(i, &n); len(n.Summary) > 0 {
			said = append(said, fmt.Sprintf("%s: %s", n.ID, n.Summary))
		}
	}
	if len(said) != 1 || said[0] != "s: fields: @k text" {
		t.Errorf("%q", said)
	}
}

// A line of fields stays short.
func TestManyFields(t *testing.T) {
	var e strings.Builder
	for i := range 40 {
		fmt.Fprintf(&e, " %s%d='%s'", strings.Repeat("name", 10), i, strings.Repeat("v", 30))
	}
	text := "<r>" + strings.Repeat("<e"+e.String()+"/>", 30) + "</r>"
	d, ok := Scan([]byte(text), part.Clues{})
	if !ok || len(d.Lines) != 1 || len(d.Lines[0]) > maxFields+10 || !strings.HasSuffix(d.Lines[0], " | ...") {
		t.Errorf("%t, %q", ok, d.Lines)
	}
}
