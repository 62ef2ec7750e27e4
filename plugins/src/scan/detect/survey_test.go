package detect

import (
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/plugins/src/scan/markdown"
)

func TestLineStarts(t *testing.T) {
	for _, c := range []struct {
		rule, text string
		want       lineStarts
	}{
		{"code of no such line", "func f() {\n\treturn\n}\n", lineStarts{}},
		{"a value may be indented", "a\n \t[1]", lineStarts{value: true}},
		{"a block is no value", "a\n{\n\tb\n}\n[x]\n{", lineStarts{}},
		{"an object", "a\n{\n \"b\"", lineStarts{value: true}},
		{"value after text", "a [1]\nb {", lineStarts{}},
		{"a fence", "a\n```\n", lineStarts{fence: true, fenced: true}},
		{"an indented fence", "a\n  ~~~\n", lineStarts{fence: true}},
		{"a fence at the start", "~~~\na\n", lineStarts{fence: true}},
		{"two ticks", "``a``", lineStarts{}},
		{"a heading", "a\n# b\n", lineStarts{title: true}},
		{"a heading without text", "##", lineStarts{title: true}},
		{"a directive", "#include <a>\n#define B\n", lineStarts{}},
		{"an underline", "a\n---- \r\n", lineStarts{title: true}},
		{"a comment in a block", "f:\n    # b\n\t## c\n    ---\n", lineStarts{}},
		{"more marks than levels", "####### a\n", lineStarts{}},
		{"a list and a flag", "- a\n--b\n=c\n", lineStarts{}},
		{"a byte order mark", "\xef\xbb\xbf# a", lineStarts{title: true}},
		{"only blanks", " \t", lineStarts{}},
		{"a file of a diff", "a\ndiff -u b c\n", lineStarts{change: true}},
		{"a commit", "\xef\xbb\xbfcommit 0123", lineStarts{change: true}},
		{"documents of YAML", "a\n--- b\n", lineStarts{change: true, mark: true}},
		{"the end of one", "a\n...\n", lineStarts{mark: true}},
		{"no end of one", "a\n....\n ...\n.", lineStarts{}},
		{"indented lines do not count", " --- b\n\tdiff -u\n Index: c\n", lineStarts{}},
	} {
		got := readStarts([]byte(c.text))
		got.all, got.atx, got.other, got.header = 0, atx{}, false, false
		if got != c.want {
			t.Errorf("%s: %+v, want %+v", c.rule, got, c.want)
		}
	}
}

// If a text read as Markdown has headings or fences, its line starts show that, or a tag.
func FuzzLineStarts(f *testing.F) {
	for _, text := range []string{"a\n===", "# a\n", " ~~~\nb\n", "abcd\n~~~~\n", "> # a\n- # b\n", "---\na: b\n---\n", "# a\n# b\n\n## c\n#\n- d\n# e\n", "<!--\n# a\n-->\n", "#\x00", "#\ra", "<h1>a</h1>\n"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, doc := readStarts([]byte(text)), markdown.Scan([]byte(text))
		if len(doc.Headings) > 0 && !s.title && !s.fence && !s.other || len(doc.Fences) > 0 && !s.fence {
			t.Errorf("%+v of %d headings, %d fences", s, len(doc.Headings), len(doc.Fences))
		}
		var a atx
		for _, h := range doc.Headings {
			a.add([]byte(text), int(h.Start), int(h.End), int(h.Level))
		}
		if !s.fence && !s.other && a != s.atx {
			t.Errorf("headings %+v without reading Markdown, %+v with it", s.atx, a)
		}
		if fenced := strings.Contains(text, "\n```") || strings.Contains(text, "\n~~~"); fenced != s.fenced && !strings.HasPrefix(text, "\xef\xbb\xbf") {
			t.Errorf("%+v, want %t", s, fenced)
		}
	})
}
