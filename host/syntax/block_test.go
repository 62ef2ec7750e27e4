package syntax

import (
	"strings"
	"testing"
)

// parseBlocks returns a syntax with blocks.
func parseBlocks(t *testing.T, blocks string) *Syntax {
	t.Helper()
	all, err := Parse(`[{"types":["x"],"blocks":"` + blocks + `"}]`)
	if err != nil {
		t.Fatal(err)
	}
	return all[0]
}

func TestBlocks(t *testing.T) {
	const tasks = "tasks:\n- name: a\n  run: |\n    # first\n    go: on\n- name: b # second\n\n  with:\n    name: inner\n  # about c\nlast: {name: flow}\n"
	const guide = "# Guide\n\ntext\n\n## Fixes ##\n\n- a\n\n```sh\n# Fixes\n```\n\n### Details\n\nmore\n\n## Bug Reports\n\n- b\n"
	for _, c := range []struct{ rule, blocks, text, name, want string }{
		{"key with a list in its column", "indentation", tasks, "tasks", tasks[:strings.Index(tasks, "last")]},
		{"keys of items", "indentation", tasks, "name", "- name: a\n|- name: b # second\n\n"},
		{"comment of what follows", "indentation", "a:\n  b: 1\n\n# c\nc: 2\n", "a", "a:\n  b: 1\n\n"},
		{"key below an item", "indentation", tasks, "with", "  with:\n    name: inner\n"},
		{"text with a comment in it", "indentation", tasks, "run", "  run: |\n    # first\n    go: on\n"},
		{"key in quotes", "indentation", "a:\n  \"b c\": 1\n  'd': 2\n", "b c", "  \"b c\": 1\n"},
		{"key with a colon", "indentation", "a:b: 1\n\"c:d\": 2\n", "c:d", "\"c:d\": 2\n"},
		{"value", "indentation", tasks, "a", ""},
		{"key in braces", "indentation", "last: {name: flow}\n", "name", ""},
		{"lines that end with CR LF", "indentation", "a:\r\n  b: 1\r\n  c: 2\r\n", "b", "  b: 1\r\n"},
		{"heading, not code", "#", guide, "Fixes", guide[strings.Index(guide, "## Fixes"):strings.Index(guide, "## Bug")]},
		{"heading of a lower level", "#", guide, "Details", "### Details\n\nmore\n\n"},
		{"slug of a heading", "#", guide, "bug-reports", "## Bug Reports\n\n- b\n"},
		{"whole text", "#", guide, "Guide", ""},
		{"name in a block with that name", "indentation", "name:\n  last: a\n  name: b\n", "name", "  name: b\n"},
		{"name in a block with that name and a comment", "indentation", "# names\nname:\n  last: a\n  name: b\n", "name", "  name: b\n"},
		{"text that looks like a key", "indentation", "a:\n  run: |\n    port: 1\n  other: 3\n", "port", ""},
		{"text in quotes that looks like a key", "indentation", "a:\n  b: \"text\n    port: 1\"\n  other: 3\n", "port", ""},
		{"wide dashes", "indentation", "l:\n-   n: 1\n    m: 2\n- n: 3\n", "n", "-   n: 1\n|- n: 3\n"},
		{"quote in quotes", "indentation", "a: 1\n'it''s': 2\n", "it's", "'it''s': 2\n"},
		{"escape in quotes", "indentation", "a: 1\n\"u\\u00e9\": 2\n", "u\u00e9", "\"u\\u00e9\": 2\n"},
		{"anchor of a heading", "#", "# A\n## read_file(path)\n## B\n", "read_filepath", "## read_file(path)\n"},
		{"heading with a link", "#", "# A\n## [1.2.0](https://a.example) - 2026\n", "1.2.0 - 2026", "## [1.2.0](https://a.example) - 2026\n"},
		{"name in an item", "indentation", "- name: b\n  last: c\n", "name", "- name: b\n"},
		{"text that is no heading", "#", guide, "text", ""},
		{"no declaration", "", tasks, "tasks", ""},
	} {
		var got []string
		for _, span := range parseBlocks(t, c.blocks).Blocks([]byte(c.text), 0, "", c.name, 64) {
			got = append(got, c.text[span[0]:span[1]])
		}
		if text := strings.Join(got, "|"); text != c.want {
			t.Errorf("%s: %q, want %q", c.rule, text, c.want)
		}
	}
}

func TestBlockItem(t *testing.T) {
	const list = "ports:\n  # public\n  - name: web\n    port: 80\n  # private\n  - name: admin\n    hosts:\n    - a\n    - b\nlast: 1\n"
	for _, c := range []struct {
		rule, text string
		column, n  int
		want       string
		unknown    bool
		name       string
	}{
		{"first", list, 0, 0, "  - name: web\n    port: 80\n", false, ""},
		{"second, with a list", list, 0, 1, "  - name: admin\n    hosts:\n    - a\n    - b\n", false, ""},
		{"after the last", list, 0, 2, "", false, ""},
		{"list in the column of its key", "a:\n- b\n- c\nd: 1\n", 0, 1, "- c\n", false, ""},
		{"list in a list", "- - a: 1\n    b: 2\n  - c\n", 0, 0, "- a: 1\n    b: 2\n", false, ""},
		{"second of it", "- - a: 1\n    b: 2\n  - c\n", 0, 1, "  - c\n", false, ""},
		{"list in a list in a list", "- - 1\n    - 2\n  - 3\n", 2, 1, "    - 2\n", false, ""},
		{"anchor and comment", "a: &x # list\n  - b\n", 0, 0, "  - b\n", false, ""},
		{"list below a key of a mapping", "a:\n  b: 1\n  c:\n  - d\n", 0, 0, "", false, ""},
		{"text on lines", "a: |\n  - b\n", 0, 0, "", true, ""},
		{"list in brackets", "a: [b, c]\n", 0, 0, "", true, ""},
		{"no list", "a: 1\n", 0, 0, "", true, ""},
		{"list of a key in another block", "a: &x\n  b:\n  - c\n  - d\n", 0, 1, "  - d\n", false, "b"},
		{"nothing", "# a\n", 0, 0, "", false, ""},
	} {
		span, ok, known := parseBlocks(t, "indentation").BlockItem([]byte(c.text), c.column, c.name, c.n)
		if got := c.text[span[0]:span[1]]; got != c.want || ok != (c.want != "") || known == c.unknown {
			t.Errorf("%s: %q, %t, %t, want %q", c.rule, got, ok, known, c.want)
		}
	}
	if _, ok, _ := parseBlocks(t, "#").BlockItem([]byte(list), 0, "", 0); ok {
		t.Error("headings have items")
	}
}

// FuzzBlocks checks that blocks are in order, inside the text, and begin with their name.
func FuzzBlocks(f *testing.F) {
	f.Add("a:\n- b: 1\n- b: 2\n", "b", 1)
	f.Add("# A\n## B\n", "b", 0)
	f.Fuzz(func(t *testing.T, text, name string, n int) {
		for _, blocks := range []string{blocksByIndentation, blocksByHeading} {
			s := parseBlocks(t, blocks)
			at := 0
			for _, span := range s.Blocks([]byte(text), 0, "", name, 1000) {
				if span[0] < at || span[1] <= span[0] || span[1] > len(text) {
					t.Fatalf("span %v of %q", span, text)
				}
				at = span[1]
				if first, _, _ := strings.Cut(text[span[0]:], "\n"); blocks == blocksByIndentation && !strings.Contains(first, name) {
					t.Fatalf("block %q of %q", first, name)
				}
			}
			if span, ok, _ := s.BlockItem([]byte(text), 0, "", max(n, 0)); ok && (span[0] < 0 || span[1] <= span[0] || span[1] > len(text)) {
				t.Fatalf("item %v of %q", span, text)
			}
		}
	})
}
