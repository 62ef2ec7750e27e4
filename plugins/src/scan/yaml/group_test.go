package yaml

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
	"github.com/mcpctl/mcpctl/plugins/src/internal/part/parttest"
	"github.com/mcpctl/mcpctl/plugins/src/rows"
)

// many returns n entries.
func many(n int, entry func(i int) string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(entry(i))
	}
	return b.String()
}

// counted returns the count of a document and the field by which it is grouped.
func counted(d *part.Doc) string {
	if d.By == "" {
		return d.Count
	}
	return d.Count + ", grouped by " + d.By
}

func TestGroups(t *testing.T) {
	kinds := []string{"Service", "Role", "Secret"}
	for _, c := range []struct {
		rule, text, count string
		want              []string // titles of groups
	}{
		{"documents by kind", many(30, func(i int) string {
			return fmt.Sprintf("---\nkind: %s\nmetadata:\n  name: n%d\n", kinds[i%3], i)
		}), "30 documents, grouped by kind", []string{
			"kind=Service Service: 10 documents: n0, n3, n6, n9, n12, n15, n18, n21, n24, n27",
			"kind=Role Role: 10 documents: n1, n4, n7, n10, n13, n16, n19, n22, n25, n28",
			"kind=Secret Secret: 10 documents: n2, n5, n8, n11, n14, n17, n20, n23, n26, n29",
		}},
		{"items by type, below a key", "a:\n" + many(40, func(i int) string { return fmt.Sprintf("- id: n%d\n  type: %s\n", i, kinds[i/20]) }), "1 key", []string{
			"type=Service Service: 20 items: n0, n1, n2, n3, n4, n5, n6, n7, n8, n9, n10, n11, n12, n13...",
			"type=Role Role: 20 items: n20, n21, n22, n23, n24, n25, n26, n27, n28, n29, n30, n31, n...",
		}},
		{"keys by prefix", many(30, func(i int) string { return fmt.Sprintf("%c.%d:\n  name: x\n", 'a'+i/10, i) }), "30 keys, grouped by key prefix", []string{
			"a.* a.*: 10 keys: x, x, x, x, x, x, x, x, x, x", "b.* b.*: 10 keys: x, x, x, x, x, x, x, x, x, x", "c.* c.*: 10 keys: x, x, x, x, x, x, x, x, x, x",
		}},
		{"keys by prefix, after a prefix that nearly all share", "other: 1\n" + many(30, func(i int) string { return fmt.Sprintf("com.shop.%c.%d: 1\n", 'a'+i/15, i) }), "31 keys, grouped by key prefix", []string{
			"com.shop.a.* com.shop.a.*: 15 keys: com.shop.a.0, com.shop.a.1, com.shop.a.2, com.shop.a.3...", "com.shop.b.* com.shop.b.*: 15 keys: com.shop.b.15, com.shop.b.16, com.shop.b.17, com.shop....",
		}},
		{"no groups if all share the only prefix", many(30, func(i int) string { return fmt.Sprintf("com.shop.%d: 1\n", i) }), "30 keys", nil},
		{"items by the field that divides them most evenly", many(60, func(i int) string {
			return fmt.Sprintf("- name: task %d\n  run: echo %d\n  zone: z%d\n  team: %s\n  on: true\n", i, i, min(i/40, 1), []string{"red", "blue"}[i%2])
		}), "60 items, grouped by team", []string{
			"team=red red: 30 items: task 0, task 2, task 4, task 6, task 8, task 10, task 12, task...",
			"team=blue blue: 30 items: task 1, task 3, task 5, task 7, task 9, task 11, task 13, tas...",
		}},
		{"no groups by numbers, times and texts", many(60, func(i int) string {
			return fmt.Sprintf("- n: %d\n  at: 2026-11-%02d\n  text: %s\n", i%12, 1+i%2, strings.Repeat("word ", 9+i%2))
		}), "60 items", nil},
		{"no groups of few entries", many(24, func(i int) string { return "- type: " + kinds[i%3] + "\n" }), "24 items", nil},
		{"no groups if one has most entries", many(40, func(i int) string { return "- type: " + kinds[min(i/33, 1)] + "\n" }), "40 items", nil},
		{"no groups if there are too many", many(60, func(i int) string { return fmt.Sprintf("- type: t%d\n", i/2) }), "60 items", nil},
		{"no groups if many entries lack the field", many(60, func(i int) string { return []string{"- type: a\n", "- x\n"}[i%2] }), "60 items", nil},
	} {
		b := []byte(c.text)
		doc, ok := Scan(b, part.Clues{Forced: true})
		if !ok || counted(doc) != c.count {
			t.Errorf("%s: %t %v, want %q", c.rule, ok, doc, c.count)
			continue
		}
		parttest.Check(t, b, doc, between)
		var got []string
		for i, p := range doc.Parts {
			if p.Kind == part.Group {
				var n part.Name
				doc.Name(i, &n)
				got = append(got, string(n.ID)+" "+string(n.Title))
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s:\n got %q\nwant %q", c.rule, got, c.want)
		}
	}
}

// The config may name the field to group by. It need not be one that classifies
// entries, and it may make more groups than fit on a screen.
func TestGroupsByNamedField(t *testing.T) {
	zones := []string{"b", "a", "c"}
	items := many(60, func(i int) string { return fmt.Sprintf("- id: n%d\n  type: t%d\n  zone: %s\n", i, i%2, zones[i%3]) })
	for _, c := range []struct {
		rule, text, field, count string
		want                     []string // ids of groups
	}{
		{"items", items, "zone", "60 items, grouped by zone", []string{"zone=b", "zone=a", "zone=c"}},
		{"items below a key", "a:\n" + items, "zone", "1 key", []string{"zone=b", "zone=a", "zone=c"}},
		{"keys of mappings", many(60, func(i int) string { return fmt.Sprintf("k%d:\n  zone: %s\n", i, zones[i%3]) }), "zone", "60 keys, grouped by zone", []string{"zone=b", "zone=a", "zone=c"}},
		{"documents", many(60, func(i int) string { return fmt.Sprintf("---\nkind: x\nzone: %s\n", zones[i%3]) }), "zone", "60 documents, grouped by zone", []string{"zone=b", "zone=a", "zone=c"}},
		{"entries without the field form a group", many(60, func(i int) string { return fmt.Sprintf("- id: n%d\n", i) + []string{"  zone: a\n", ""}[i%2] }), "zone", "60 items, grouped by zone", []string{"zone=a", "zone="}},
		{"a field that no entry has", items, "zones", "60 items, grouped by type", []string{"type=t0", "type=t1"}},
		{"a field with one value", strings.ReplaceAll(items, "zone: ", "zone: x # "), "zone", "60 items, grouped by type", []string{"type=t0", "type=t1"}},
		{"a field that few entries have", strings.Replace(items, "zone:", "wing:", 1), "wing", "60 items, grouped by type", []string{"type=t0", "type=t1"}},
		{"a field of texts", strings.ReplaceAll(items, "zone: ", "zone: "+strings.Repeat("x", rows.MaxID)), "zone", "60 items, grouped by type", []string{"type=t0", "type=t1"}},
		{"a field of unique values", many(1000, func(i int) string { return fmt.Sprintf("- type: t%d\n  zone: %d\n", i%2, i) }), "zone", "1000 items, grouped by type", []string{"type=t0", "type=t1"}},
		{"few entries", many(24, func(i int) string { return "- zone: " + zones[i%3] + "\n" }), "zone", "24 items", nil},
	} {
		b := []byte(c.text)
		doc, ok := Scan(b, part.Clues{GroupBy: c.field})
		if !ok {
			t.Fatalf("%s: refused", c.rule)
		}
		parttest.Check(t, b, doc, between)
		var got []string
		for i, p := range doc.Parts {
			if p.Kind == part.Group {
				var n part.Name
				doc.Name(i, &n)
				got = append(got, string(n.ID))
			}
		}
		if counted(doc) != c.count || !slices.Equal(got, c.want) || doc.Grouped != (len(got) > 0 && strings.HasPrefix(got[0], c.field+"=")) {
			t.Errorf("%s: %q %q %t, want %q %q", c.rule, counted(doc), got, doc.Grouped, c.count, c.want)
		}
	}
}

func TestNamedFieldMakesManyGroups(t *testing.T) {
	text := many(200, func(i int) string { return fmt.Sprintf("- type: t%d\n  zone: z%d\n", i%2, i/2) })
	doc, _ := Scan([]byte(text), part.Clues{GroupBy: "zone"})
	groups := 0
	for _, p := range doc.Parts {
		if p.Kind == part.Group {
			groups++
		}
	}
	if groups != 100 {
		t.Errorf("%d groups of two, want 100", groups)
	}
}

// The id of an entry does not depend on whether its siblings are in groups.
func TestGroupsKeepNames(t *testing.T) {
	text := "a:\n" + many(40, func(i int) string {
		return fmt.Sprintf("- id: n%d\n  type: %s\n  b: {}\n", i/2*i, []string{"x", "y", "z"}[i%3])
	})
	names := func(text string) (out []string) {
		doc, _ := Scan([]byte(text), part.Clues{})
		for i, p := range doc.Parts {
			var n part.Name
			if doc.Name(i, &n); p.Kind == part.Record {
				out = append(out, fmt.Sprintf("%d %s", p.Start, n.ID))
			}
		}
		slices.Sort(out)
		return out
	}
	grouped, plain := names(text), names(strings.ReplaceAll(text, "type:", "name:"))
	if len(grouped) != 40 || !slices.Equal(grouped, plain) {
		t.Errorf("%q, without groups %q", grouped, plain)
	}
}
