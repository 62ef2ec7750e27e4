package html

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
	"github.com/mcpctl/mcpctl/plugins/src/internal/part/parttest"
)

var tested = parttest.Scanner{Scan: Scan, Between: round.Match}

// round matches the text around the content of a script or style: its tags.
var round = regexp.MustCompile(`(?is)^(<(script|style)(>|[^a-z].*>)|</(script|style).*)$`)

func TestParts(t *testing.T) {
	for _, c := range []struct{ rule, text, want string }{
		{"headings nest by level", "<!DOCTYPE html><html><head><title>T</title></head><body>\n<h1>A &amp; <b>B</b></h1>text<h3>C</h3>c<h2>D</h2>d</body></html>", `
head | T
 | A & B
 intro | text
  | C
  | D`},
		{"the id of a heading is the target of links to it", "<body><h1 id=top>A</h1>a<h2><a name='b-1'>B</a></h2>b<a id=c></a>\n<h2>C</h2><h2 id='{no}'>D</h2>", `
head | <body>
top | A
 intro | a
 b-1 | B
 c | C
  | D`},
		{"headings in comments, scripts and values do not count", "<div><!-- <h1>a</h1> --><script>'<h1>b</h1>'</script><p title='<h1>'>c</p><h2>D</h2></div>", `
head | c
 div | <div>
 script | <script>
  content | '<h1>b</h1>'
 p | c
 | D`},
		{"headings without an end tag", "<p>x</p><h1>A<p>a<h2>B</h3>b<h2>", `
head | x
 | A
 intro | a
  | B
  | <h2>`},
		{"blocks, rows and items", "<h1>A</h1><p>one<p>two<table id=t><tr><td>1<td>2<tr><td>3</table>three<ul><li>x<ul><li>y<li>z</ul><li>w</ul>", `
 | A
 p | one
 p | two
 t | 2 items: 1 2 3
  tr | 1 2
  tr | 3
 text | three
 ul | 2 items: x y z w
  li | x y z
   li | y
   li | z
  li | w`},
		{"a single block is not a part of its parent", "<h1>A</h1><ul><li><p>one<p>two</ul>", `
 | A
 p | one
 p | two`},
		{"scripts have their names as ids", "<script type='text/html' data-name='one two'>a</script><script src='/x/y.js'></script><script>b</script><!-- c --><h1>A</h1><h2>B</h2>", `
head | script 3
 one two | <script type='text/html' data-name='one two'>
  content | a
 y.js | <script src='/x/y.js'>
 script | <script>
  content | b
 text | c
 | A
 intro | A
  | B`},
		{"no headings", "<body><div class='a'><p>one</p></div>\n<script type='application/ld+json'> {\"a\":1} </script>two<style>a{}</style>", `
p | one
script | <script type='application/ld+json'>
 content | {"a":1}
text | two
style | <style>
 content | a{}`},
		{"a page without blocks", "<html>text", "\nhead | text"},
	} {
		tested.Names(t, c.rule, c.text, part.Clues{}, c.want)
	}
}

func TestRecognition(t *testing.T) {
	text := strings.Repeat("Some words that go on for a while. ", 20)
	for _, c := range []struct {
		rule, text string
		want       bool
	}{
		{"document type", "\ufeff\n<!doctype html><foo>" + text, true},
		{"older document type", `<!-- c --><!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01//EN"><foo>` + text, true},
		{"XHTML", `<?xml version="1.0"?><html xmlns="u"><x/></html>`, true},
		{"fragment", "<div>" + text + "</div>", true},
		{"paragraphs that are not closed", "<p>" + text + "<p>" + text, true},
		{"templates", "<script type='text/html'>" + text + "</script>", true},
		{"components among known tags", strings.Repeat("<div><p>", 20) + "<app-root></app-root>", true},
		{"custom elements", "<div>" + strings.Repeat("<md-card>a</md-card>", 20) + text + "</div>", true},
		{"other elements", "<div>" + strings.Repeat("<card>a</card>", 20) + text + "</div>", false},
		{"template of Twirl", "@(message: String)\n\n@main(\"a\") {\n<div>" + text + "</div>\n}\n", true},
		{"template of Razor", "@using a.b\n@model c.d\n<div>" + text + "</div>\n", true},
		{"drawings that a template defines above its page", "{{define \"a\"}}\n<svg><path/></svg>\n{{end}}\n<!DOCTYPE html>\n<foo>" + text, true},
		{"a template of a drawing", "{{if .a}}\n<svg><path/></svg>\n{{end}}\n", false},
		{"addresses in brackets", "<h1>A</h1>\n<pre>\n<http://example.org/a?b=\"c> d <ftp://e/>\n</pre>", true},
		{"an address in brackets at the start", "<http://example.org/>\n" + text, false},
		{"annotation", "@ngdoc content\n<div>" + text + "</div>\n", false},
		{"empty text", "", false},
		{"text", text, false},
		{"README", "<p align=center><img src=a></p>\n\n# Name\n\n" + text, false},
		{"details in Markdown", "<details><summary>a</summary>b</details>\n\n" + text, false},
		{"README with an open tag", "<div>\n<a href=b><img src=a><a/>\n\n# Name\n\n" + text, false},
		{"README with an open link", "<p><a href=b><a/></p>\n\n" + text, false},
		{"comments in code", "<div><pre>a\n# b\n## c</pre></div>", true},
		{"front matter of a template", "---\na: b\n---\n\n<div>" + text + "</div>", true},
		{"front matter of Markdown", "---\na: b\n---\n\n" + text, false},
		{"MDX", "<Card title={a}>" + text + "</Card>", false},
		{"XML", "<project><name>a</name></project>", false},
		{"XML with known tags", `<?xml version="1.0"?><div><p>a</p></div>`, false},
		{"XML with tags of HTML", "<data><object><title>a</title></object></data>", false},
		{"another document type", "<!DOCTYPE svg><svg/>", false},
		{"SVG", "<svg><title>a</title><a><text>b</text></a></svg>", false},
		{"an e-mail address", "<me@example.org> wrote:\n" + text, false},
		{"one character", "<", false},
	} {
		if _, ok := Scan([]byte(c.text), part.Clues{}); ok != c.want {
			t.Errorf("%s: %t", c.rule, ok)
		}
	}
	for text, want := range map[string]bool{"a <b>c": true, "{% x %}<p>": true, "no tag": false, "": false, "a < b": false} {
		if _, ok := Scan([]byte(text), parttest.Forced); ok != want {
			t.Errorf("%q forced: %t", text, ok)
		}
	}
}

var isHeading = regexp.MustCompile(`^<h[1-6]`)

// All headings of a manual are sections, and their ids are the targets of its links.
func TestManual(t *testing.T) {
	b := parttest.ReadContent(t, "h-lua-manual.html")
	d, ok := Scan(b, part.Clues{})
	if !ok {
		t.Fatal("refused")
	}
	parttest.Check(t, b, d, round.Match)
	want := regexp.MustCompile(`(?s)<h[1-6]>.*?</h[1-6]>`).FindAllIndex(b, -1)
	var starts, ids []string
	for i, p := range d.Parts {
		var n part.Name
		if d.Name(i, &n); isHeading.Match(b[p.Start:p.End]) && (len(ids) == 0 || starts[len(starts)-1] != fmt.Sprint(p.Start)) {
			starts, ids = append(starts, fmt.Sprint(p.Start)), append(ids, string(n.ID))
		}
	}
	for i, at := range want {
		if i >= len(starts) || starts[i] != fmt.Sprint(at[0]) {
			t.Fatalf("heading %d of %d at %d: %v", i, len(want), at[0], starts[min(i, len(starts)):])
		}
	}
	for _, id := range []string{"2.5.7", "lua_Alloc", "pdf-string.format"} {
		if !slices.Contains(ids, id) {
			t.Errorf("no %s in %v", id, ids)
		}
	}
}

func TestRandomTags(t *testing.T) {
	words := []string{
		"<h1>", "</h1>", "<h2 id=a>", "<h3>", "</h3>", "<p>", "</p>", "<div class='x>y'>", "</div>", "<ul>", "<li>", "</ul>", "<table>", "<tr>", "<td>",
		"</table>", "<script>", "</script>", "<style>", "</STYLE>", "<!-- ", "-->", "<br/>", "text ", "é日本", "\n", "&amp;", "<", ">", "\"", "<a name=b>", "<x-y z", "<title>", "</title>",
	}
	tested.Random(t, 2000, 40, func(rnd *rand.Rand) string {
		return words[rnd.IntN(len(words))]
	})
}

func TestExtremeTexts(t *testing.T) {
	for rule, text := range map[string]string{
		"depth 100,000":             strings.Repeat("<div>", 100_000) + strings.Repeat("</div>", 100_000),
		"lists 100,000 deep":        strings.Repeat("<ul><li>", 100_000),
		"50,000 items":              "<ul>" + strings.Repeat("<li>item", 50_000),
		"50,000 headings":           strings.Repeat("<h1><h2><h6>", 50_000/3),
		"2 MB on one line":          "<p>" + strings.Repeat("text <b>text</b>", 130_000),
		"values without end":        strings.Repeat("<p a='", 50_001),
		"comments without end":      "<p>" + strings.Repeat("<!-- ", 50_000),
		"scripts without end":       strings.Repeat("<script>", 50_000),
		"end tags without a script": "<script>" + strings.Repeat("</", 500_000),
	} {
		d, ok := Scan([]byte(text), part.Clues{})
		if !ok {
			t.Errorf("%s: refused", rule)
			continue
		}
		parttest.NameFirst(d)
	}
}

func FuzzScan(f *testing.F) {
	tested.Fuzz(f, []string{
		"<!doctype html><title>a</title><h1 id=a>b</h1><p>c<ul><li>d</ul>e<script>f</script>", "<h1>", "<a", "<p a='", "<!--", "<script></", "<h2>&#65;</h2>",
	}, func(t *testing.T, b []byte) {
		if _, ok := Scan(b, part.Clues{}); ok && !strings.Contains(string(b), "<") {
			t.Fatal("a text without tags is accepted")
		}
	})
}

func BenchmarkScan(b *testing.B) {
	text := parttest.ReadContent(b, "h-lua-manual.html")
	tested.Bench(b, text)
}

// The title of a part without visible text lists its tags.
func TestTitlesOfMarkup(t *testing.T) {
	for _, c := range []struct{ rule, text, want string }{
		{"one tag", "<div><p><img src=a.png></p>", "<img src=a.png>"},
		{"the head of a page", "<!DOCTYPE html><html><head><meta a=b><meta c=d><link><title>T</title>", "meta 2, link"},
		{"the head of a page with only a title", "<!DOCTYPE html><html><head><title>T</title>", "T"},
		{"a drawing with a title", "<svg><title>Logo &amp; name</title><path/><g><path/></g></svg>", "Logo & name: svg, path 2, g"},
		{"a label", `<button class=x title="Dark mode"><svg><line/><line/></svg></button>`, "button Dark mode, svg, line 2"},
		{"tags in scripts do not count", "<br><script>'<b>'</script><br>", "br 2, script"},
		{"only tags that contain others", "<header><div>", "<header>"},
		{"a comment", "<!-- a <b> -->", "a <b>"},
		{"an unfinished tag", "<", "<"},
	} {
		s := scanner{b: []byte("<title>T</title>"), title: span{7, 8}, document: true}
		o := &outline{scanner: &s}
		if got := string(o.appendMarkup(nil, []byte(c.text))); got != c.want {
			t.Errorf("%s: %q, want %q", c.rule, got, c.want)
		}
	}
}

// Parts take little more memory than the text. The rest of the text belongs to the last
// part, and all headings are counted.
func TestManyTinyParts(t *testing.T) {
	for _, c := range []struct {
		unit, count string
		most        int
	}{
		{"<h2>a</h2>b", "40000 headings", minCuts / 2},
		{"<p>a</p>", "32768 blocks", minCuts},
	} {
		text := []byte("<!doctype html><html><body>" + strings.Repeat(c.unit, 40_000) + "</body></html>")
		doc, ok := Scan(text, part.Clues{})
		if !ok {
			t.Fatal("refused")
		}
		last := doc.Parts[len(doc.Parts)-1]
		if doc.Count != c.count || len(doc.Parts) > c.most+1 || int(last.End) != len(text) {
			t.Errorf("%s: %s, %d parts up to %d of %d", c.unit, doc.Count, len(doc.Parts), last.End, len(text))
		}
	}
}
