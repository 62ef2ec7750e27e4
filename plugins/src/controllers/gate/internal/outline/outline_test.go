package outline

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

const rules = `---
title: x
---
Before.

# House *rules*

## Deploy

Text.

### Rollback

Undo.

` + "```sh\n# Fenced\n## Rollback\n```" + `

## Database

### Rollback

Restore.

## Key rotation

    # indented code

Setext heading
--------------

## Who may open what?

## Input/Output

## [Links](http://example.org) and ` + "`code`" + `

## Notes

## Notes

## Überblick
`

// ids returns the ids of some headings.
func ids(o *Outline, list []int) string {
	var names []string
	for _, i := range list {
		names = append(names, o.Headings[i].ID)
	}
	return strings.Join(names, " ")
}

func TestFind(t *testing.T) {
	o := Of([]byte(rules))
	for _, c := range []struct{ rule, name, want string }{
		{"title", "Key rotation", "house-rules/key-rotation"},
		{"title in another case", "KEY  Rotation", "house-rules/key-rotation"},
		{"slug", "key-rotation", "house-rules/key-rotation"},
		{"id", "house-rules/deploy/rollback", "house-rules/deploy/rollback"},
		{"heading copied with its marks", "## Key rotation", "house-rules/key-rotation"},
		{"anchor", "#key-rotation", "house-rules/key-rotation"},
		{"brackets of a copied line", "[house-rules/key-rotation]", "house-rules/key-rotation"},
		{"title without markup", "House rules", "house-rules"},
		{"title with markup", "House *rules*", "house-rules"},
		{"link and code", "Links and code", "house-rules/links-and-code"},
		{"link as written", "[Links](http://example.org) and `code`", "house-rules/links-and-code"},
		{"path", "Deploy/Rollback", "house-rules/deploy/rollback"},
		{"path with other separators", "Database > Rollback", "house-rules/database/rollback"},
		{"path that skips a level", "House rules/Rollback", "house-rules/deploy/rollback house-rules/database/rollback"},
		{"path of slugs", "database/rollback", "house-rules/database/rollback"},
		{"path with surrounding slashes", "/Deploy/Rollback/", "house-rules/deploy/rollback"},
		{"path in the wrong order", "Rollback/Deploy", ""},
		{"path whose parent is another one", "Key rotation/Rollback", ""},
		{"equal titles", "Rollback", "house-rules/deploy/rollback house-rules/database/rollback"},
		{"equal siblings", "notes", "house-rules/notes house-rules/notes-2"},
		{"number of an equal sibling", "house-rules/notes-2", "house-rules/notes-2"},
		{"title with a slash", "Input/Output", "house-rules/input-output"},
		{"title with a slash in a path", "House rules/Input/Output", "house-rules/input-output"},
		{"title with a question mark", "Who may open what?", "house-rules/who-may-open-what"},
		{"setext heading", "Setext heading", "house-rules/setext-heading"},
		{"letters beyond ASCII", "überblick", "house-rules/überblick"},
		{"heading in fenced code", "Fenced", ""},
		{"heading in indented code", "indented code", ""},
		{"front matter", "title: x", ""},
		{"beginning of a title", "Key", ""},
		{"nothing", " ", ""},
		{"only marks", "###", ""},
	} {
		if got := ids(o, o.Find(c.name)); got != c.want {
			t.Errorf("%s: Find(%q) = %q, want %q", c.rule, c.name, got, c.want)
		}
	}
}

func TestBegins(t *testing.T) {
	o := Of([]byte(rules))
	for _, c := range []struct{ rule, name, want string }{
		{"beginning of a title", "key", "house-rules/key-rotation"},
		{"beginning of a slug", "who-may", "house-rules/who-may-open-what"},
		{"beginnings in a path", "dep/roll", "house-rules/deploy/rollback"},
		{"beginning of several titles", "roll", "house-rules/deploy/rollback house-rules/database/rollback"},
		{"middle of a title", "rotation", ""},
		{"heading in fenced code", "Fenc", ""},
		{"nothing", "", ""},
	} {
		if got := ids(o, o.Begins(c.name)); got != c.want {
			t.Errorf("%s: Begins(%q) = %q, want %q", c.rule, c.name, got, c.want)
		}
	}
}

func TestNearest(t *testing.T) {
	o := Of([]byte(rules))
	for name, want := range map[string]string{
		"rotate the key":    "house-rules/key-rotation",
		"Rolback":           "house-rules/deploy/rollback",
		"Datbase":           "house-rules/database",
		"House/Key rotatin": "house-rules/key-rotation",
		"zzzzzz":            "house-rules",
	} {
		near := o.Nearest(name, 3)
		if len(near) != 3 || o.Headings[near[0]].ID != want {
			t.Errorf("Nearest(%q) = %s, want %s first", name, ids(o, near), want)
		}
	}
	if near := Of(nil).Nearest("x", 3); len(near) > 0 {
		t.Errorf("%d headings of an empty text", len(near))
	}
}

// TestOutlineLaws checks random texts: a heading contains the ones below it, siblings do not
// overlap, the text of a heading ends where the next one of its level begins, and the id and the
// path of titles of each heading find it.
func TestOutlineLaws(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	lines := []string{"# A", "## B", "## B", "### C/d", "#### *e* f", "text", "", "```", "# B-2", "Title\n===", "> # quoted", "- # item", "\xff# x", "######", "## !?"}
	for range 3000 {
		var b strings.Builder
		for range rnd.IntN(14) {
			b.WriteString(lines[rnd.IntN(len(lines))] + "\n")
		}
		o := Of([]byte(b.String()))
		for i, h := range o.Headings {
			if h.Start >= h.End || h.End > b.Len() {
				t.Fatalf("heading %d is [%d:%d) in %q", i, h.Start, h.End, b.String())
			}
			if h.parent >= 0 {
				if up := o.Headings[h.parent]; h.Start < up.Start || h.End > up.End {
					t.Fatalf("heading %d is outside of the one above in %q", i, b.String())
				}
			}
			if i > 0 && o.Headings[i-1].Start >= h.Start {
				t.Fatalf("headings are not in order in %q", b.String())
			}
			if found := o.Find(h.ID); len(found) != 1 || found[0] != i {
				t.Fatalf("Find(%q) = %v, want %d in %q", h.ID, found, i, b.String())
			}
		}
	}
}

// TestManyHeadings checks that hostile outlines are read in linear time and with short ids.
func TestManyHeadings(t *testing.T) {
	for rule, text := range map[string]string{
		"equal headings":      strings.Repeat("# A\n", 60_000),
		"numbers in headings": strings.Repeat("# A\n", 20_000) + numbered(20_000),
		"long titles":         strings.Repeat("###### "+strings.Repeat("x ", 2000)+"\n", 100),
	} {
		o := Of([]byte(text))
		size := 0
		for i := range o.Headings {
			size += len(o.Headings[i].ID)
		}
		if size > 2*len(text)+maxID*len(o.Headings) || len(o.Nearest(text[:100], 12)) != 12 {
			t.Errorf("%s: %d bytes of ids for %d bytes", rule, size, len(text))
		}
	}
}

func numbered(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "# A %d\n", i)
	}
	return b.String()
}

func FuzzOutline(f *testing.F) {
	f.Add([]byte(rules), "Deploy/Rollback")
	f.Add([]byte("# A\n# A\n# A-2\n"), "a-2")
	f.Fuzz(func(t *testing.T, text []byte, name string) {
		o := Of(text)
		for _, i := range append(append(o.Find(name), o.Begins(name)...), o.Nearest(name, 12)...) {
			if h := o.Headings[i]; h.Start < 0 || h.End > len(text) || h.Start > h.End {
				t.Errorf("heading [%d:%d) of %d bytes", h.Start, h.End, len(text))
			}
		}
	})
}
