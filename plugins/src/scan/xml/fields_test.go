package xml

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
		{"share of the rows, if most have the field", repeat(40, func(i int) string {
			return "<e k='v'>" + []string{"<a>1</a>", "<a>x</a><b>2</b>", "<a>1</a>", ""}[i%4] + "</e>"
		}), "fields: @k text v | a mixed 75%"},
		{"many values are counted, unique values are not", repeat(40, func(i int) string {
			return fmt.Sprintf("<e k='k%d' l='l%d'/>", i%8, i%20)
		}), "fields: @k text 8 values | @l text"},
		{"repeated child", repeat(30, func(i int) string { return "<e><a>1</a><a>2</a></e>" }), "fields: a list"},
		{"leading zeros, dates and other scripts are not numbers", repeat(30, func(i int) string {
			return "<e a='007' b='2026-01-01' c='1e5' d='٣' e='-' f=''/>"
		}), "fields: @a text 007 | @b text 2026-01-01 | @c text 1e5 | @d text ٣ | @e text -"},
		{"one in ten children has another tag", "<f/><g/>" + repeat(30, func(i int) string { return "<e k='v'/>" }), "fields: @k text v"},
		{"rows before the last other tag are read", "<f/>" + repeat(30, func(i int) string { return fmt.Sprintf("<e n='%d'/>", i) }), "fields: @n int 0..29"},
		{"more children have another tag", "<f/><g/>" + repeat(24, func(i int) string { return []string{"<e k='v'/>", "<h/>"}[i/20] }), ""},
		{"few children", repeat(20, func(i int) string { return "<e k='v'/>" }), ""},
		{"no common fields", repeat(30, func(i int) string { return "<e>x</e>" }), ""},
		{"first rows of many", repeat(maxRows+1, func(i int) string { return fmt.Sprintf("<e n='%d'/>", i) }), "fields of the first 500: @n int 0..499"},
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

// The fields of an element that has siblings are its summary, unless it is short.
func TestFieldsAsSummary(t *testing.T) {
	row := "<e k='" + strings.Repeat("v", 70) + "'/>"
	text := "<r><s>" + strings.Repeat(row, 90) + "</s><s>" + strings.Repeat(row, 30) + "</s></r>"
	d, ok := Scan([]byte(text), part.Clues{})
	if !ok || len(d.Lines) > 0 {
		t.Fatalf("%t, %q", ok, d.Lines)
	}
	var summaries []string
	for i := range d.Parts {
		var n part.Name
		if d.Name(i, &n); len(n.Summary) > 0 {
			summaries = append(summaries, fmt.Sprintf("%s: %s", n.ID, n.Summary))
		}
	}
	if len(summaries) != 1 || summaries[0] != "s: fields: @k text" {
		t.Errorf("%q", summaries)
	}
}

// A line of fields is short, however many there are.
func TestManyFields(t *testing.T) {
	var e strings.Builder
	for i := range 40 {
		fmt.Fprintf(&e, " %s%d='%s'", strings.Repeat("name", 10), i, strings.Repeat("v", 30))
	}
	text := "<r>" + strings.Repeat("<e"+e.String()+"/>", 30) + "</r>"
	d, ok := Scan([]byte(text), part.Clues{})
	if !ok || len(d.Lines) != 1 || len(d.Lines[0]) > 490 || !strings.HasSuffix(d.Lines[0], " | ...") {
		t.Errorf("%t, %q", ok, d.Lines)
	}
}
