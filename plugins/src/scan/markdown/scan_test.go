package markdown

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

// mark returns a heading in a form that both parsers can produce: its level and the offset
// of its text.
func mark(level, at int) string { return fmt.Sprintf("h%d@%d", level, at) }

func scanned(b []byte) []string {
	var out []string
	for _, h := range Scan(b).Headings {
		at := int(h.Text.Start)
		if h.Text.Start == h.Text.End {
			at = -1
		}
		out = append(out, mark(int(h.Level), at))
	}
	return out
}

// oracle returns the headings that goldmark finds outside of quotes and list items.
func oracle(b []byte) []string {
	var out []string
	root := goldmark.DefaultParser().Parse(text.NewReader(b))
	for n := root.FirstChild(); n != nil; n = n.NextSibling() {
		h, ok := n.(*ast.Heading)
		if !ok {
			continue
		}
		at := -1
		if h.Lines().Len() > 0 {
			at = h.Lines().At(0).Start
		}
		out = append(out, mark(h.Level, at))
	}
	return out
}

func diff(t *testing.T, name string, b []byte, got, want []string) {
	t.Helper()
	if g, w := strings.Join(got, " "), strings.Join(want, " "); g != w {
		t.Errorf("%s: %.300q\n got %s\nwant %s", name, b, g, w)
	}
}

func TestHeadingsOfCorpusMatchGoldmark(t *testing.T) {
	files, _ := filepath.Glob("../../../../testdata/content/*.md*")
	if len(files) == 0 {
		t.Fatal("no corpus")
	}
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		front := int(Scan(b).Front.End) // goldmark reads it as text
		want := oracle(append([]byte(strings.Repeat("\n", front)), b[front:]...))
		diff(t, filepath.Base(name), nil, scanned(b), want)
	}
}

// fragments are lines that look like headings or change the meaning of the next line.
var fragments = []string{
	"# one", "## two ##", "   ### three", "    # code", "#no", "#", "###### six", "####### seven", "\t# tab", "# a \\#", "## ", "#\ttab", "## #  ##", " # a#\t#",
	"text", "more text", "    indented", "===", "---", "--", "- - -", "***", "=== =", " ---  ", "",
	"```", "```go", "~~~", "````", "``` a`b", "  ```", "    ```",
	"> quote", "> # in quote", ">", "> ```", "> ---", "- item", "- # in item", "  # inside item", "  ---", "  text", "1. one", "2. two", "10) ten", "+", "*", "- ```", "  ```", "      deep",
	"<div>", "</div>", "<!-- comment", "-->", "<pre>", "text</pre>", "<b>", "<a href='x'>", "text <b>", "<?php", "?>", "<Script>", "text</SCRIPT>", "<H1/>", "<!DOCTYPE x", "<a-b c=\"d\" />", "<blockquotes>",
	"[link]: /url", "[link]: /url 'title'", "[x] box", "| a | b |", "|---|---|",
}

func TestHeadingsOfRandomLinesMatchGoldmark(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		var md strings.Builder
		for range 1 + rnd.IntN(8) {
			md.WriteString(fragments[rnd.IntN(len(fragments))] + "\n")
		}
		b := []byte(md.String())
		if Scan(b).Front.End > 0 {
			continue
		}
		diff(t, "random lines", b, scanned(b), oracle(b))
	}
}

// CommonMark has no headings in HTML, but READMEs do.
func TestHeadingsInHTML(t *testing.T) {
	for _, c := range []struct {
		rule, text, want string // level and text of each heading
	}{
		{"line of its own", "<h1 align=\"center\">Name of it</h1>\n\ntext\n\n## Next\n", "1 Name of it, 2 Next"},
		{"inside a block", "<div align=center>\n<h2>One</h2>\n<p>text</p>\n<H3>Two</H3>\n</div>\n", "2 One, 3 Two"},
		{"longest text between tags", "<h1><img src=a.png> <a href=x>The Name</a> v1</h1>\n", "1 The Name"},
		{"without text", "<h1><img src=a.png></h1>\n", ""},
		{"on several lines", "<h3 name=\"n\">\nName of it\n</h3>\n\ntext\n", "3 Name of it"},
		{"without an end", "<h1>\nName\n\n</h1>\n", ""},
		{"other levels", "<h1>Name</h2>\n<h7>Name</h7>\n<h>Name</h>\n", ""},
		{"in a paragraph of text", "text <h1>Name</h1>\n", ""},
		{"in a comment", "<!--\n<h1>Name</h1>\n-->\n", ""},
		{"in preformatted text", "<pre>\n<h1>Name</h1>\n</pre>\n", ""},
		{"in code", "    <h1>Name</h1>\n\n```\n<h1>Name</h1>\n```\n", ""},
	} {
		var got []string
		for _, h := range Scan([]byte(c.text)).Headings {
			got = append(got, fmt.Sprint(h.Level, " ", c.text[h.Text.Start:h.Text.End]))
		}
		if s := strings.Join(got, ", "); s != c.want {
			t.Errorf("%s: %q, want %q", c.rule, s, c.want)
		}
	}
}

// Underlines of tildes, and headings in HTML, are the only differences from CommonMark.
func TestUnderlinesOfTildes(t *testing.T) {
	for _, c := range []struct {
		rule, text string
		headings   int
	}{
		{"as long as the line above", "Größe\n~~~~~\n\ntext\n\nMore of it\n~~~~~~~~~~\n\ntext\n", 2},
		{"a fence longer than the line above", "Size\n~~~~~\n# x\n~~~~~\n", 0},
		{"three are a fence", "abc\n~~~\n# x\n~~~\n", 0},
		{"a fence with a language", "abcd\n~~~~ go\n# x\n~~~~\n", 0},
		{"a fence below a blank line", "abcd\n\n~~~~\n# x\n~~~~\n", 0},
		{"a fence below two lines", "ab\ncd\n~~~~~\n# x\n~~~~~\n", 0},
	} {
		if got := Scan([]byte(c.text)).Headings; len(got) != c.headings {
			t.Errorf("%s: %d headings, want %d", c.rule, len(got), c.headings)
		}
	}
}
