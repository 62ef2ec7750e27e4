package xml

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
	"github.com/mcpctl/mcpctl/plugins/src/internal/part/parttest"
)

func TestGroups(t *testing.T) {
	elements := func(n int, format func(i int) string) string {
		var w strings.Builder
		for i := range n {
			w.WriteString(format(i))
		}
		return "<r>\n" + w.String() + "</r>"
	}
	for _, c := range []struct {
		rule, text string
		want       []string // the groups
	}{
		{"few children", elements(24, func(i int) string { return []string{"<a/>", "<b/>"}[i%2] }), nil},
		{"by tag", elements(30, func(i int) string { return fmt.Sprintf([]string{"<a n='%d'/>", "<b name='x%d'/>"}[i%2], i) }), []string{
			" a | 15 a", " b | 15 b: x1, x3, x5, x7, x9, x11, x13, x15, x17, x19, x21, x23, x25, x27, x29",
		}},
		{"by tag, then by a kind attribute", elements(60, func(i int) string {
			return fmt.Sprintf([]string{"<a type='t%d'>%d</a>", "<b><c>%d</c>%d</b>"}[i%2], i/2%2, i)
		}), []string{
			" a | 30 a: 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30, 32, 34, 36,...",
			"  a,type=t0 | 15 a: 0, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56",
			"  a,type=t1 | 15 a: 2, 6, 10, 14, 18, 22, 26, 30, 34, 38, 42, 46, 50, 54, 58", " b | 30 b",
		}},
		{"one tag, by the attribute with the most even groups", elements(40, func(i int) string {
			return fmt.Sprintf("<a x='%d' few='%t' even='%t'/>", i%2, i < 10, i < 20)
		}), []string{" even=true | 20 a", " even=false | 20 a"}},
		{"a kind attribute is preferred", elements(40, func(i int) string {
			return fmt.Sprintf("<a even='%t' kind='%t'/>", i < 20, i < 10)
		}), []string{" kind=true | 10 a", " kind=false | 30 a"}},
		{"no groups if one has most children", elements(40, func(i int) string { return fmt.Sprintf("<a kind='%t'/>", i < 4) }), nil},
		{"no groups if they are many", elements(60, func(i int) string { return fmt.Sprintf("<a kind='k%d'/>", i%30) }), nil},
		{"no groups by numbers", elements(40, func(i int) string { return fmt.Sprintf("<a x='%d'/>", i%2) }), nil},
		{"no groups if too few children have the attribute", elements(40, func(i int) string { return []string{"<a kind='1'/>", "<a kind='2'/>", "<a/>"}[i%3] }), nil},
		{"no groups in a property list", elements(40, func(i int) string { return []string{"<key>a</key>", "<string/>"}[i%2] }), nil},
	} {
		d, ok := Scan([]byte(c.text), part.Clues{})
		if !ok {
			t.Errorf("%s: refused", c.rule)
			continue
		}
		var got []string
		for i, line := range parttest.List(d) {
			if d.Parts[i].Kind == part.Group {
				got = append(got, line)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s:\n got %q\nwant %q", c.rule, got, c.want)
		}
		parttest.Check(t, []byte(c.text), d, between.Match)
	}
}

// Groups change neither the names nor the content of elements.
func TestGroupsKeepNames(t *testing.T) {
	item := func(i int) string {
		return fmt.Sprintf("<item kind='k%d'><name>n%d</name><!-- c --><v/>t</item>\n<other/>", i%3, i)
	}
	few := "<r>" + strings.Repeat(item(1), 3) + "</r>"
	var many strings.Builder
	for i := range 40 {
		many.WriteString(item(i))
	}
	for _, text := range []string{few, "<r>text" + many.String() + "<!-- end --></r>"} {
		d, ok := Scan([]byte(text), part.Clues{})
		if !ok {
			t.Fatal("refused")
		}
		parttest.Check(t, []byte(text), d, between.Match)
		items := 0
		for i, line := range parttest.List(d) {
			if p := d.Parts[i]; p.Kind != part.Group && strings.HasPrefix(text[p.Start:], "<item") {
				items++
				if !strings.HasPrefix(strings.TrimLeft(line, " "), "item=n") || !strings.HasSuffix(line, " v") {
					t.Errorf("%q", line)
				}
			}
		}
		if items != strings.Count(text, "<item") {
			t.Errorf("%d items", items)
		}
	}
}

// Children keep the order of the text, in groups or not, so that the number of an
// element among those of equal names does not depend on the groups.
func TestGroupsKeepOrder(t *testing.T) {
	var w strings.Builder
	for i := range 60 {
		fmt.Fprintf(&w, "<%c kind='k%d'><x>%d</x></%c><!-- %d -->", 'a'+i%2, i%3, i, 'a'+i%2, i)
	}
	text := "<r><s>" + w.String() + "</s>" + w.String() + "</r>"
	d, ok := Scan([]byte(text), part.Clues{})
	if !ok {
		t.Fatal("refused")
	}
	parttest.Check(t, []byte(text), d, between.Match)
	groups := 0
	at := int32(-1)
	for _, p := range d.Parts {
		if p.Kind == part.Group {
			groups++
			continue
		}
		if p.Start < at {
			t.Fatalf("%+v follows %d", p, at)
		}
		at = p.Start
	}
	if groups != 2*(2+2*3) {
		t.Errorf("%d groups", groups)
	}
	for i, p := range d.Parts {
		if p.Parent < 0 || d.Parts[p.Parent].Kind != part.Group || p.Kind == part.Group {
			continue
		}
		var group part.Name
		d.Name(int(p.Parent), &group)
		tag, kind, _ := strings.Cut(string(group.ID), ",kind=")
		if !strings.HasPrefix(text[p.Start:], "<"+tag+" kind='"+kind+"'") {
			t.Fatalf("part %d, %.20q, is in group %s", i, text[p.Start:], group.ID)
		}
	}
}

func TestGroupsByNamedField(t *testing.T) {
	var w strings.Builder
	for i := range 40 {
		fmt.Fprintf(&w, "<e kind='k%d' size='%d'><on>%t</on></e>", i%2, i%3, i < 10)
	}
	text := "<r>" + w.String() + "</r>"
	for by, want := range map[string]string{
		"":      "kind=k0 20, kind=k1 20", // a kind attribute
		"size":  "size=0 14, size=1 13, size=2 13",
		"on":    "on=true 10, on=false 30",
		"other": "kind=k0 20, kind=k1 20",
	} {
		d, ok := Scan([]byte(text), part.Clues{GroupBy: by})
		if !ok {
			t.Fatal("refused")
		}
		parttest.Check(t, []byte(text), d, between.Match)
		var got []string
		for i, p := range d.Parts {
			if p.Kind == part.Group {
				var n part.Name
				d.Name(i, &n)
				size, _, _ := strings.Cut(string(n.Title), " ")
				got = append(got, string(n.ID)+" "+size)
			}
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("by %q: %q, want %q", by, got, want)
		}
		if want := by == "size" || by == "on"; d.Grouped != want {
			t.Errorf("by %q: grouped is %t", by, d.Grouped)
		}
	}
}
