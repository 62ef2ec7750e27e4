package section_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/section"
)

// TestNewInvalid checks that New returns an error for a tree that violates the contract.
func TestNewInvalid(t *testing.T) {
	text := []byte(`{"a":"x\ny","b":"日本"} tail`)
	exact := func(parent, start, end int, id string) abi.Section {
		return abi.Section{Parent: parent, Start: start, End: end, ID: id}
	}
	decoded := func(parent, start, end int, lit [2]int) abi.Section {
		return abi.Section{Parent: parent, Kind: abi.SectionDecoded, Start: start, End: end, ID: "d", Literal: lit}
	}
	deep := make([]abi.Section, 65)
	for i := range deep {
		deep[i] = exact(i-1, 0, 20, "a")
	}
	for rule, tree := range map[string][]abi.Section{
		"later parent":                                   {exact(1, 0, 5, "a"), exact(-1, 0, 9, "b")},
		"invalid parent":                                 {exact(-2, 0, 5, "a")},
		"section as its own parent":                      {exact(0, 0, 5, "a")},
		"end after the original":                         {exact(-1, 0, len(text)+1, "a")},
		"negative start":                                 {exact(-1, -1, 5, "a")},
		"empty section":                                  {exact(-1, 5, 5, "a")},
		"end before the start":                           {exact(-1, 7, 5, "a")},
		"end after the parent":                           {exact(-1, 0, 5, "a"), exact(0, 3, 9, "b")},
		"start inside a character":                       {exact(-1, 19, 23, "a")},
		"end inside a character":                         {exact(-1, 17, 18, "a")},
		"overlapping siblings":                           {exact(-1, 0, 5, "a"), exact(-1, 4, 9, "b")},
		"overlapping members of two groups":              {{Parent: -1, Kind: 1, ID: "@g"}, {Parent: -1, Kind: 1, ID: "@h"}, exact(0, 0, 5, "a"), exact(1, 4, 9, "b")},
		"overlap with a child of a derived section":      {{Parent: -1, Kind: 3, ID: "g", Body: []byte("x")}, exact(0, 0, 5, "a"), exact(-1, 4, 9, "b")},
		"equal ids below one owner":                      {exact(-1, 0, 2, "a"), exact(-1, 4, 9, "a")},
		"equal ids in two groups":                        {{Parent: -1, Kind: 1, ID: "@g"}, exact(0, 0, 2, "a"), exact(-1, 4, 9, "a")},
		"empty id":                                       {exact(-1, 0, 2, "")},
		"slash in an id":                                 {exact(-1, 0, 2, "a/b")},
		"bracket in an id":                               {exact(-1, 0, 2, "a]")},
		"line break in an id":                            {exact(-1, 0, 2, "a\nb")},
		"blank in an id":                                 {exact(-1, 0, 2, "a b")},
		"no-break space in an id":                        {exact(-1, 0, 2, "a\u00a0b")},
		"bidirectional control in an id":                 {exact(-1, 0, 2, "a\u202eb")},
		"id that is not UTF-8":                           {exact(-1, 0, 2, "a\xff")},
		"id like that of a gap":                          {exact(-1, 0, 2, "~1")},
		"id like that of a fold":                         {exact(-1, 0, 2, "@a..b")},
		"id like a search":                               {exact(-1, 0, 2, "a?")},
		"id of 5,000 bytes":                              {exact(-1, 0, 2, strings.Repeat("a", 5000))},
		"group without @ in its id":                      {{Parent: -1, Kind: 1, ID: "g"}},
		"unknown kind":                                   {{Parent: -1, Kind: 7, ID: "a", End: 3}},
		"derived text that is not UTF-8":                 {{Parent: -1, Kind: 3, ID: "a", Body: []byte("\xff")}},
		"65 levels":                                      deep,
		"decoded part of a text that is not a string":    {exact(-1, 0, 20, "a"), decoded(0, 0, 2, [2]int{0, 5})},
		"decoded part of an incomplete string":           {exact(-1, 0, 20, "a"), decoded(0, 0, 2, [2]int{5, 9})},
		"decoded part of a string outside the parent":    {exact(-1, 0, 3, "a"), decoded(0, 0, 2, [2]int{5, 11})},
		"decoded part after the end of its string":       {exact(-1, 0, 20, "a"), decoded(0, 0, 4, [2]int{5, 11})},
		"decoded part of another string than its parent": {exact(-1, 0, 25, "a"), decoded(0, 0, 2, [2]int{5, 11}), decoded(1, 0, 1, [2]int{16, 24})},
		"exact part of a decoded part":                   {exact(-1, 0, 20, "a"), decoded(0, 0, 2, [2]int{5, 11}), exact(1, 5, 6, "b")},
		"string that overlaps an exact sibling":          {exact(-1, 0, 20, "a"), decoded(0, 0, 2, [2]int{5, 11}), exact(0, 6, 8, "b")},
		"too many sections":                              make([]abi.Section, 65537),
	} {
		if _, err := section.New(text, abi.Tree{Type: "json", Sections: tree}, section.Settings{}); !errors.Is(err, abi.ErrGuest) {
			t.Errorf("%s: New returned %v, want abi.ErrGuest", rule, err)
		}
	}
}

// TestHostileTexts checks that lines are valid for any titles, summaries and types.
func TestHostileTexts(t *testing.T) {
	evil := []string{
		"x](5B)\n[evil] y", "\r\n[a] b (1B)", "\u2028[a] b (1B)", "\u0085[a] b (1B)", "\x1b]8;;http://x\x07", "\u202e\u2066", "\x00\x7f",
		"[", "]", "] (9M)", strings.Repeat("[x] ", 200), strings.Repeat("\u0301", 300), "\xff\xfe", strings.Repeat("\n", 256), "日" + strings.Repeat("\u200b", 90),
	}
	text := []byte(strings.Repeat("[evil] line (3B)\n", 1000))
	for i, s := range evil {
		tree := abi.Tree{Type: s, Sections: []abi.Section{
			{Parent: -1, Kind: abi.SectionGroup, ID: "@g", Title: s, Summary: s},
			{Parent: 0, Start: 0, End: 8500, Title: s, Summary: s + ". " + s},
			{Parent: -1, Kind: abi.SectionDerived, Title: s, Summary: s, Body: []byte(strings.ToValidUTF8(strings.Repeat(s, 20), ""))},
			{Parent: 1, Start: 17, End: 170, Title: s},
			{Parent: 2, Start: 8500, End: 17000, Title: s},
		}}
		tree.Settle(0)
		c := content{name: fmt.Sprint("title ", i), text: text, tree: tree}
		d := open(t, c, section.Settings{})
		if err := crawled(d, text).Err(); err != nil {
			t.Errorf("%q: %v", s, err)
		}
		for _, id := range []string{"", "@g", tree.Sections[1].ID, tree.Sections[2].ID, "?evil", "?" + s, s} {
			a := d.Read(ref, id)
			if a.Meta.Kind == flow.AnswerLeaf || a.Meta.Kind == flow.AnswerDerived {
				continue
			}
			if strings.ContainsAny(string(a.Text), "\x00\x07\x1b\x7f\u0085\u2028\u202e\u2066") {
				t.Errorf("%q: the answer to %q contains a control character: %q", s, id, a.Text)
			}
			lines := 0
			for line := range strings.Lines(string(a.Text)) {
				if strings.HasPrefix(line, "[") {
					lines++
				}
			}
			if lines != len(a.Meta.Offers) {
				t.Errorf("%q: the answer to %q has %d bracket lines, %d offers:\n%s", s, id, lines, len(a.Meta.Offers), a.Text)
			}
		}
	}
}

func FuzzRead(f *testing.F) {
	contents := []content{flows(), randomContent(3), randomContent(8), {name: "plain", text: []byte(strings.Repeat("some text of no type\n", 2000))}}
	for _, id := range []string{
		"", "nodes/n1", "settings/ports[1].tls", "?lamp", "nodes?x", "notes!", "notes!3-9", "~L1-2@5-9", "~B3-40", "~D222:0-9", "@0..3", "nodes/@0..1",
		"~1", "~999999999999999999", "~L0-0", "~L9-1", "!99999999999-1", "a//b", "%", "%zz", "[x] y", "0//", "settings//", "settings//!1-4", "settings//?x", "....", "[[[", "?", "!", "!!", "?!", "~", "@..", "-1", "0!", "0 !", "%0\x7f", ") x", "func ) x", "func (s *T) A()", "x[1]", "x[last()]", "a::b", "x-2",
	} {
		for i := range contents {
			f.Add(i, id)
		}
	}
	docs := make([]*section.Doc, len(contents))
	for i, c := range contents {
		docs[i] = open(f, c, section.Settings{})
	}
	f.Fuzz(func(t *testing.T, i int, id string) {
		i = ((i % len(docs)) + len(docs)) % len(docs)
		a := docs[i].Read(ref, id)
		checkAnswer(t, docs[i], contents[i], a)
		if !a.IsError && a.Meta.Kind != flow.AnswerSearch && len(a.Meta.Section) < 1000 {
			// The section of the answer has the same answer.
			b := docs[i].Read(ref, a.Meta.Section)
			if string(b.Text) != string(a.Text) || b.Meta.Section != a.Meta.Section {
				t.Fatalf("Read(%q) is about %q, and Read of that about %q\n%.300s\n%.300s", id, a.Meta.Section, b.Meta.Section, a.Text, b.Text)
			}
		}
	})
}

// checkAnswer checks the guarantees of every answer.
func checkAnswer(t *testing.T, d *section.Doc, c content, a flow.Answer) {
	t.Helper()
	if a.Meta.Kind == flow.AnswerLeaf {
		if b := a.Meta.Bytes; string(c.text[b[0]:b[1]]) != string(a.Text) || len(a.Text) > 40_000 {
			t.Fatalf("leaf %q of %d bytes differs from the bytes %v", a.Meta.Section, len(a.Text), *b)
		}
		return
	}
	if a.Meta.Kind == flow.AnswerIndex || a.Meta.Kind == flow.AnswerSearch {
		if n := abi.EstimateTokens(a.Text); n > 1000 || len(a.Text) > 4096 || len(a.Meta.Offers) > 24 {
			t.Fatalf("index has %d tokens, %d bytes, %d lines", n, len(a.Text), len(a.Meta.Offers))
		}
	}
	for _, offer := range a.Meta.Offers {
		if d.Read(ref, offer).IsError {
			t.Fatalf("answer offers %q, which is unknown:\n%s", offer, a.Text)
		}
	}
}

// FuzzNew checks that any tree is either invalid or satisfies the law of leaves.
func FuzzNew(f *testing.F) {
	f.Add([]byte("0123456789"), []byte{0, 0, 0, 5, 0, 0, 5, 10})
	f.Add([]byte("\v"), []byte("00000000000000"))
	f.Add([]byte("key::"), []byte("00000000"))
	f.Add([]byte("\fJ:"), []byte("00000000"))
	f.Add([]byte("<~>"), []byte("<\xf8\xd7~\x98\x00\x00"))
	f.Add([]byte(`{"a":"b\nc","d":[1,2]}`), []byte{0, 0, 5, 11, 1, 2, 0, 3, 0, 1, 0, 0, 3, 0, 12, 15})
	f.Fuzz(func(t *testing.T, text, spec []byte) {
		text = []byte(strings.ToValidUTF8(string(text), "?"))
		tree := abi.Tree{Type: []string{"", "json", "xml", "yaml", "markdown"}[len(spec)%5]}
		for ; len(spec) >= 4 && len(tree.Sections) < 200; spec = spec[4:] {
			s := abi.Section{Parent: int(spec[0]) - 1, Kind: abi.SectionKind(spec[1] % 5), Start: int(spec[2]), End: int(spec[3])}
			switch s.Kind {
			case abi.SectionGroup:
				s.Start, s.End = 0, 0
			case abi.SectionDerived:
				s.Body = text
			case abi.SectionDecoded:
				s.Literal = [2]int{int(binary.LittleEndian.Uint16(spec[2:]) % 64), s.End}
			}
			if s.Parent >= len(tree.Sections) {
				s.Parent = len(tree.Sections) - 1
			}
			tree.Sections = append(tree.Sections, s)
		}
		tree.Settle(0)
		d, err := section.New(text, tree, section.Settings{LeafSize: 64, MaxLines: 4})
		if err != nil {
			if !errors.Is(err, abi.ErrGuest) {
				t.Fatal(err)
			}
			return
		}
		if err := crawled(d, text).Err(); err != nil {
			t.Fatal(err)
		}
	})
}
