package section_test

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/tiktoken-go/tokenizer"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/section"
)

// trueTokens is the limit of a first answer, counted with a tokenizer.
const trueTokens = 1100

// denseTitles returns functions that make titles with many tokens a byte.
func denseTitles() map[string]func(r *rand.Rand) string {
	random := func(r *rand.Rand, n int) []byte {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		return b
	}
	pick := func(letters string) func(r *rand.Rand) string {
		runes := []rune(letters)
		return func(r *rand.Rand) string {
			var b strings.Builder
			for range 60 {
				b.WriteRune(runes[r.IntN(len(runes))])
			}
			return b.String()
		}
	}
	wide := func(from, to rune) func(r *rand.Rand) string {
		return func(r *rand.Rand) string {
			var b strings.Builder
			for range 60 {
				b.WriteRune(from + rune(r.IntN(int(to-from))))
			}
			return b.String()
		}
	}
	return map[string]func(r *rand.Rand) string{
		"hex":          func(r *rand.Rand) string { return hex.EncodeToString(random(r, 40)) },
		"base64":       func(r *rand.Rand) string { return base64.StdEncoding.EncodeToString(random(r, 60)) },
		"digits":       pick("0123456789"),
		"coordinates":  func(r *rand.Rand) string { return fmt.Sprint(r.Float64(), r.Float64(), r.Float64(), r.Float64()) },
		"punctuation":  pick(`!"#$%&'()*+,-./:;<=>?@\^_{|}~`),
		"mixed case":   pick("aBcDeFgHiJkLmNoPqRsTuVwXyZ"),
		"short words":  pick("ab cd ef gh "),
		"Chinese":      wide(0x4e00, 0x9fa5),
		"Hangul":       wide(0xac00, 0xd7a3),
		"Cyrillic":     wide(0x410, 0x44f),
		"Devanagari":   wide(0x905, 0x939),
		"emoji":        wide(0x1f300, 0x1f5ff),
		"cuneiform":    wide(0x12000, 0x12399),
		"mathematical": wide(0x1d400, 0x1d6a3),
		"box drawing":  wide(0x2500, 0x257f),
	}
}

// TestTokensOfFirstAnswer checks the limit of a first answer with a tokenizer.
func TestTokensOfFirstAnswer(t *testing.T) {
	if testing.Short() {
		t.Skip("has one goroutine, and takes long with the race detector")
	}
	codec, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		t.Fatal(err)
	}
	check := func(name string, d *section.Doc) {
		t.Helper()
		text, _ := d.Finish([]byte("json-array, 384 objects, 115095 bytes\n"), []abi.Mark{{Offset: 38, Section: -1}}, ref)
		answers := map[string][]byte{"first": text}
		for _, id := range []string{"", "?a"} {
			if a := d.Read(ref, id); a.Meta.Kind != flow.AnswerLeaf {
				answers[id] = a.Text
			}
		}
		for id, answer := range answers {
			n, err := codec.Count(string(answer))
			if err != nil {
				t.Fatal(err)
			}
			if n > trueTokens {
				t.Errorf("%s, %q: %d tokens, estimated %d, %d bytes:\n%.700s", name, id, n, abi.EstimateTokens(answer), len(answer), answer)
			}
		}
	}
	for _, c := range testdata(t) {
		check(c.name, open(t, c, section.Settings{}))
		check(c.name+" in windows", open(t, content{text: c.text}, section.Settings{}))
	}
	for name, title := range denseTitles() {
		r := rand.New(rand.NewPCG(5, uint64(len(name)))) // one per kind, because the order of a map is random
		for _, n := range []int{20, 24, 30, 500} {
			b := &treeBuilder{tree: abi.Tree{Type: "json-array"}}
			var text bytes.Buffer
			for i := range n {
				s := title(r)
				text.WriteString(s)
				id := abi.Segment(s)
				if n == 30 {
					id = fmt.Sprint(i)
				}
				b.add(-1, abi.SectionExact, text.Len()-len(s), text.Len(), id, s)
				text.WriteString(strings.Repeat(" ", 2000))
			}
			b.tree.Settle(0)
			c := content{name: fmt.Sprintf("%s, %d sections", name, n), text: text.Bytes(), tree: b.tree}
			check(c.name, open(t, c, section.Settings{}))
		}
		var long strings.Builder
		for long.Len() < 1<<20 {
			long.WriteString(title(r))
		}
		check(name+" in windows", open(t, content{text: []byte(long.String())}, section.Settings{}))
	}
}

// TestBudgetOfLongPaths checks that Sections with the longest ids at the deepest levels
// fit into an index.
func TestBudgetOfLongPaths(t *testing.T) {
	var text bytes.Buffer
	b := &treeBuilder{tree: abi.Tree{Type: "json"}}
	parent := -1
	key := strings.Repeat("k", 59)
	for range 60 {
		parent = b.add(parent, abi.SectionExact, text.Len(), 0, key, key)
		text.WriteString(strings.Repeat("x", 50))
	}
	for i := range 40 {
		start := text.Len()
		text.WriteString(strings.Repeat("y", 4000))
		b.add(parent, abi.SectionExact, start, text.Len(), fmt.Sprint("leaf", i), key)
	}
	for i := range 60 {
		b.tree.Sections[i].End = text.Len()
	}
	c := content{name: "deep", text: text.Bytes(), tree: b.tree}
	d := open(t, c, section.Settings{})
	r := crawled(d, c.text)
	if err := r.Err(); err != nil {
		t.Error(err)
	}
	checkBudget(t, "deep", r, section.Settings{})
	path := strings.Repeat(key+"/", 60) + "leaf7"
	if a := d.Read(ref, path); len(a.Text) != 4000 {
		t.Errorf("Read of the whole path returned %d bytes, want 4000", len(a.Text))
	}
}
