package section_test

import (
	"bytes"
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/jsonspan"
	"github.com/mcpctl/mcpctl/host/section"
)

// treeBuilder adds sections like a stage. The splitters of this package are simple, because
// the tests are about the host.
type treeBuilder struct {
	tree abi.Tree
	text []byte
	leaf int
}

func (b *treeBuilder) add(parent int, kind abi.SectionKind, start, end int, id, title string) int {
	b.tree.Sections = append(b.tree.Sections, abi.Section{Parent: parent, Kind: kind, Start: start, End: end, ID: id, Title: title})
	return len(b.tree.Sections) - 1
}

func (b *treeBuilder) full() bool { return len(b.tree.Sections) >= 60_000 }

// splitJSON makes sections of values down to the leaf size. If group is set, objects in an
// array are grouped by their field "type". Long strings are split too.
func splitJSON(text []byte, leaf int, group bool) abi.Tree {
	b := &treeBuilder{text: text, leaf: leaf, tree: abi.Tree{Type: "json"}}
	b.json(-1, jsonspan.SkipBlank(text, 0), 0, group)
	b.tree.Settle(0)
	return b.tree
}

func (b *treeBuilder) json(parent, at, depth int, group bool) {
	if depth > 50 || b.full() {
		return
	}
	groups := map[string]int{}
	n := 0
	jsonspan.Children(b.text, at, func(m jsonspan.Member) bool {
		value := b.text[m.Start:m.End]
		id, title, under := fmt.Sprint(n), string(value[:min(len(value), 90)]), parent
		if m.KeyEnd > 0 {
			key, _ := jsonspan.Unquote(b.text[m.KeyStart:m.KeyEnd])
			id, title = abi.Segment(string(key)), string(key)+": "+title
		} else if kind, ok := jsonspan.Lookup(value, "/type"); ok && group && jsonspan.KindAt(value, kind.Start) == jsonspan.String {
			text, _ := jsonspan.Unquote(value[kind.Start:kind.End])
			if _, ok := groups[string(text)]; !ok {
				groups[string(text)] = b.add(parent, abi.SectionGroup, 0, 0, "@type="+abi.Segment(string(text)), string(text))
			}
			under = groups[string(text)]
		}
		n++
		i := b.add(under, abi.SectionExact, m.Start, m.End, id, title)
		if m.End-m.Start > b.leaf {
			b.json(i, m.Start, depth+1, group)
			b.enter(i, m)
		}
		return !b.full()
	})
}

// enter splits a long decoded string at its blank lines.
func (b *treeBuilder) enter(i int, m jsonspan.Member) {
	if jsonspan.KindAt(b.text, m.Start) != jsonspan.String {
		return
	}
	text, err := jsonspan.Unquote(b.text[m.Start:m.End])
	if err != nil || bytes.Count(text, []byte("\n\n")) < 2 {
		return
	}
	for at := 0; at < len(text) && !b.full(); {
		end := len(text)
		if n := bytes.Index(text[at:], []byte("\n\n")); n >= 0 {
			end = at + n
		}
		if end > at {
			s := b.add(i, abi.SectionDecoded, at, end, "", "")
			b.tree.Sections[s].Literal = [2]int{m.Start, m.End}
		}
		at = end + 2
	}
}

var heading = regexp.MustCompile(`(?m)^(#{1,6}) +(.+)$`)

// splitMarkdown makes a section of each heading, nested by level.
func splitMarkdown(text []byte, leaf int) abi.Tree {
	b := &treeBuilder{text: text, leaf: leaf, tree: abi.Tree{Type: "markdown"}}
	var open []int // sections by level
	var levels []int
	closeTo := func(level, at int) {
		for len(levels) > 0 && levels[len(levels)-1] >= level {
			b.tree.Sections[open[len(open)-1]].End = at
			open, levels = open[:len(open)-1], levels[:len(levels)-1]
		}
	}
	for _, m := range heading.FindAllSubmatchIndex(text, -1) {
		level := m[3] - m[2]
		closeTo(level, m[0])
		parent := -1
		if len(open) > 0 {
			parent = open[len(open)-1]
		}
		open = append(open, b.add(parent, abi.SectionExact, m[0], len(text), "", string(text[m[4]:m[5]])))
		levels = append(levels, level)
	}
	closeTo(0, len(text))
	b.tree.Settle(0)
	return b.tree
}

// splitLines makes a section of each line, like a splitter of logs and CSV.
func splitLines(text []byte, typeName string) abi.Tree {
	b := &treeBuilder{text: text, tree: abi.Tree{Type: typeName}}
	at, n := 0, 0
	for line := range bytes.Lines(text) {
		n++
		b.add(-1, abi.SectionExact, at, at+len(line), fmt.Sprintf("L%d", n), string(line[:min(len(line), 100)]))
		at += len(line)
	}
	b.tree.Settle(0)
	return b.tree
}

// content is a text with the tree of a simple splitter.
type content struct {
	name string
	text []byte
	tree abi.Tree
}

func testdata(t testing.TB) []content {
	t.Helper()
	files, err := filepath.Glob("../../testdata/content/*-*")
	if err != nil || len(files) < 20 {
		t.Fatalf("found %d files of test data, error %v", len(files), err)
	}
	var list []content
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(file)
		c := content{name: name, text: text}
		switch filepath.Ext(name) {
		case ".json":
			c.tree = splitJSON(text, 3000, name == "ja-flows-atltvhead.json")
		case ".md", ".mdx":
			c.tree = splitMarkdown(text, 3000)
		case ".ndjson":
			c.tree = splitLines(text, "ndjson")
		case ".csv":
			c.tree = splitLines(text, "csv")
		}
		list = append(list, c)
	}
	return list
}

func splitOf(t testing.TB, name string) content {
	t.Helper()
	for _, c := range testdata(t) {
		if c.name == name {
			return c
		}
	}
	t.Fatalf("no %s in the test data", name)
	return content{}
}

// declaredSyntax returns the syntaxes that the built-in splitter declares.
func declaredSyntax(t testing.TB) string {
	t.Helper()
	text, err := os.ReadFile("../../plugins/src/section-split/syntax.json")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// validString reports whether lit is a JSON string. Unpaired surrogates are valid.
func validString(lit []byte) bool {
	_, err := jsonspan.Unquote(lit)
	return err == nil
}

func open(t testing.TB, c content, set section.Settings) *section.Doc {
	t.Helper()
	c.tree.Syntax = declaredSyntax(t)
	d, err := section.New(c.text, c.tree, set)
	if err != nil {
		t.Fatalf("%s: %v", c.name, err)
	}
	return d
}

// randomContent returns a random text with a valid tree that has sections of all kinds.
func randomContent(seed uint64) content {
	r := rand.New(rand.NewPCG(seed, 99))
	var text bytes.Buffer
	words := []string{"alpha", "ß", "日本", "x", "\n", "\n\n", "[x] ", " ", "42", `"`, `\`, "{", "}", "🙂", "<b>"}
	size := 200 + r.IntN(1<<(4+r.IntN(14)))
	for text.Len() < size {
		if r.IntN(12) == 0 {
			inner := strings.Repeat(words[r.IntN(len(words))]+"\n\n\"q\"", 1+r.IntN(60))
			text.Write(jsonspan.AppendQuote(nil, []byte(inner)))
		}
		text.WriteString(words[r.IntN(len(words))])
	}
	types := []string{"", "json", "markdown", "xml", "yaml", "mixed", "log"}
	b := &treeBuilder{text: text.Bytes(), tree: abi.Tree{Type: types[r.IntN(len(types))]}}
	b.random(r, -1, 0, len(b.text), 0)
	b.tree.Settle(0)
	return content{name: fmt.Sprint("random ", seed), text: b.text, tree: b.tree}
}

func (b *treeBuilder) random(r *rand.Rand, parent, start, end, depth int) {
	if depth > 6 || end-start < 8 || len(b.tree.Sections) > 3000 {
		return
	}
	// Groups and derived sections first, so that sections are added to any of them.
	under := []int{parent}
	for range r.IntN(4) {
		kind := abi.SectionGroup
		if r.IntN(4) == 0 {
			kind = abi.SectionDerived
		}
		g := b.add(under[r.IntN(len(under))], kind, 0, 0, "", randomTitle(r))
		if kind == abi.SectionDerived {
			b.tree.Sections[g].Body = []byte(strings.Repeat("[made] by a stage\n", 1+r.IntN(500)))
		}
		under = append(under, g)
	}
	last := parent
	for at := start; at < end; {
		from := nextBorder(b.text, at+r.IntN(1+(end-start)/8)*r.IntN(2))
		to := nextBorder(b.text, from+1+r.IntN(1+(end-start)/(1+r.IntN(20))))
		if to = min(to, end); from >= to {
			return
		}
		i := b.add(under[r.IntN(len(under))], abi.SectionExact, from, to, "", randomTitle(r))
		if r.IntN(5) == 0 {
			b.tree.Sections[i].Summary = "[Sum] of it. " + randomTitle(r)
		}
		last = cmp.Or(last, i)
		if !b.randomDecoded(r, i, from, to) {
			b.random(r, i, from, to, depth+1)
		}
		at = to
	}
}

// randomDecoded splits the first string in a section, if there is one.
func (b *treeBuilder) randomDecoded(r *rand.Rand, i, from, to int) bool {
	at := bytes.IndexByte(b.text[from:to], '"')
	if at < 0 {
		return false
	}
	end, err := jsonspan.ValueEnd(b.text[:to], from+at)
	if err != nil {
		return false
	}
	text, err := jsonspan.Unquote(b.text[from+at : end])
	if err != nil || len(text) < 8 {
		return false
	}
	parent := i
	if r.IntN(2) == 0 {
		parent = b.add(i, abi.SectionGroup, 0, 0, "", randomTitle(r))
	}
	for pos := 0; pos < len(text); {
		next := min(len(text), nextBorder(text, pos+1+r.IntN(200)))
		s := b.add(parent, abi.SectionDecoded, pos, next, "", randomTitle(r))
		b.tree.Sections[s].Literal = [2]int{from + at, end}
		pos = nextBorder(text, next+r.IntN(3))
	}
	return true
}

// nextBorder returns the first border between characters at or after at.
func nextBorder(text []byte, at int) int {
	for at < len(text) && !utf8.RuneStart(text[at]) {
		at++
	}
	return min(at, len(text))
}

func randomTitle(r *rand.Rand) string {
	titles := []string{"", "Setup", "setup", "a/b?c!", "[evil] (1K)\n[next] x (2K)", "\x1b[31mred\x1b[0m", "\u202egnol", "日本語のタイトル", "x]y", strings.Repeat("long ", 50), "deaf beef 0123456789abcdef"}
	return titles[r.IntN(len(titles))]
}
