package passage

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestChunks(t *testing.T) {
	for _, c := range []struct {
		rule, text string
		size       int
		want       []string
	}{
		{"a short text is one", "one two", 40, []string{"one two"}},
		{"after a paragraph", "one two three\nfour five\n\nsix seven eight nine ten eleven", 40, []string{"one two three\nfour five\n", "\nsix seven eight nine ten eleven"}},
		{"else after a line", "one two three four\nfive six seven eight", 30, []string{"one two three four\n", "five six seven eight"}},
		{"else after a sentence", "One two. Three four five. Six seven", 30, []string{"One two. Three four five. ", "Six seven"}},
		{"else after a word", "onetwothree fourfivesix seven", 26, []string{"onetwothree fourfivesix ", "seven"}},
		{"records stay whole", `[{"a":1,"b":2},{"a":3,"b":4},{"a":5,"b":6}]`, 32, []string{`[{"a":1,"b":2},{"a":3,"b":4},`, `{"a":5,"b":6}]`}},
		{"brackets in a string are text", `["}}}}]]]]",{"a":"\"]]]]"},{"b":1}]`, 28, []string{`["}}}}]]]]",{"a":"\"]]]]"},`, `{"b":1}]`}},
		{"empty", "", 40, nil},
	} {
		var got []string
		for _, s := range Chunks([]byte(c.text), c.size) {
			got = append(got, c.text[s.Start:s.End])
		}
		if strings.Join(got, "|") != strings.Join(c.want, "|") {
			t.Errorf("%s:\n%q, want\n%q", c.rule, got, c.want)
		}
	}
}

// The chunks of any text join to it, are no larger than allowed and no smaller than a
// quarter of that, and split no character.
func FuzzChunks(f *testing.F) {
	f.Add([]byte("größe\n\n東京 one. two"), 16)
	f.Add([]byte(`{"a":["\\\"",{"b":[[[]]]}]}`), 20)
	f.Fuzz(func(t *testing.T, text []byte, size int) {
		if size < 16 || !utf8.Valid(text) {
			return
		}
		at := 0
		for _, s := range Chunks(text, size) {
			if s.Start != at || s.End <= s.Start || s.End-s.Start > size || !utf8.Valid(text[s.Start:s.End]) || s.End < len(text) && s.End-s.Start < size/4 {
				t.Fatalf("chunk %v after %d, size %d", s, at, size)
			}
			at = s.End
		}
		if at != len(text) {
			t.Fatalf("%d of %d bytes", at, len(text))
		}
	})
}

func TestAround(t *testing.T) {
	const text = "# One\nFirst. Second is HERE! Third.\nmore\n\nnext paragraph\n\n## Two\nlast"
	for _, c := range []struct {
		unit Unit
		want string
	}{
		{Sentence, "Second is HERE! "},
		{Lines, "First. Second is HERE! Third.\n"},
		{Paragraph, "# One\nFirst. Second is HERE! Third.\nmore\n"},
		{Section, "# One\nFirst. Second is HERE! Third.\nmore\n\nnext paragraph\n\n"},
	} {
		at := strings.Index(text, "HERE")
		s := Around([]byte(text), Span{at, at + 4}, c.unit, 1000)
		if got := text[s.Start:s.End]; got != c.want {
			t.Errorf("%s: %q, want %q", c.unit, got, c.want)
		}
	}
}

func TestAroundIsBounded(t *testing.T) {
	text := []byte(strings.Repeat("ä", 500) + "HERE" + strings.Repeat("ä", 500))
	for _, u := range []Unit{Sentence, Lines, Paragraph, Section} {
		s := Around(text, Span{1000, 1004}, u, 101)
		if s.End-s.Start > 206 || !utf8.Valid(text[s.Start:s.End]) {
			t.Errorf("%s: %v", u, s)
		}
	}
}

func TestLinesAround(t *testing.T) {
	const text = "one\ntwo\nthree\nfour\nfive"
	for _, c := range []struct {
		rule, place string
		n           int
		want        string
	}{
		{"its own line", "re", 0, "three\n"},
		{"one before and after", "re", 1, "two\nthree\nfour\n"},
		{"more lines than there are", "re", 9, text},
		{"the first line", "one", 1, "one\ntwo\n"},
		{"the last line", "five", 1, "four\nfive"},
		{"a match that ends with its line", "three\n", 0, "three\n"},
		{"a match of two lines", "three\nfo", 0, "three\nfour\n"},
	} {
		at := strings.Index(text, c.place)
		s := LinesAround([]byte(text), Span{at, at + len(c.place)}, c.n, 1000)
		if got := text[s.Start:s.End]; got != c.want {
			t.Errorf("%s: %q, want %q", c.rule, got, c.want)
		}
	}
}

// Records of an array stay whole if they fit.
func TestRecordsAreNotSplit(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	var b bytes.Buffer
	b.WriteString(`{"items":[`)
	for i := range 200 {
		if i > 0 {
			b.WriteByte(',')
		}
		r, _ := json.Marshal(map[string]any{"id": i, "text": strings.Repeat("x, ]}", rnd.IntN(20))})
		b.Write(r)
	}
	b.WriteString(`]}`)
	chunks := Chunks(b.Bytes(), 800)
	for _, s := range chunks[1 : len(chunks)-1] {
		list := "[" + strings.TrimSuffix(b.String()[s.Start:s.End], ",") + "]"
		if !json.Valid([]byte(list)) {
			t.Fatalf("cut: %s", list)
		}
	}
}
