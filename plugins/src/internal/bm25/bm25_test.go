package bm25

import (
	"slices"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/plugins/src/internal/passage"
)

func rank(query string, most int, passages ...string) []int {
	text := strings.Join(passages, "")
	var spans []passage.Span
	at := 0
	for _, p := range passages {
		spans = append(spans, passage.Span{Start: at, End: at + len(p)})
		at += len(p)
	}
	var order []int
	for _, h := range Rank([]byte(text), spans, Terms(query), most) {
		order = append(order, h.Passage)
	}
	return order
}

func TestRank(t *testing.T) {
	for _, c := range []struct {
		rule, query string
		passages    []string
		want        []int
	}{
		{"only passages with a word", "lamp", []string{"a lamp ", "a chair ", "two lamps "}, []int{0}},
		{"a rare word counts more", "the zigbee", []string{"the the the ", "zigbee ", "the "}, []int{1, 0, 2}},
		{"more of the words", "red lamp", []string{"lamp ", "red lamp ", "red "}, []int{1, 0, 2}},
		{"a short passage is better than a long one", "lamp", []string{"lamp and much that is about something else ", "lamp "}, []int{1, 0}},
		{"of equal ones the first", "lamp", []string{"lamp one ", "lamp two "}, []int{0, 1}},
		{"case does not count", "LÄMPCHEN lamp", []string{"lämpchen ", "Lamp "}, []int{0, 1}},
		{"keys and values of JSON are words", "kitchen_light on", []string{`{"id":"kitchen-light","on":1}`, `{"id":"hall"}`}, []int{0}},
		{"no blanks between words", "東京", []string{"私は東京に住む。", "大阪"}, []int{0}},
		{"no words in the query", "?!", []string{"lamp"}, nil},
	} {
		if got := rank(c.query, 10, c.passages...); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.rule, got, c.want)
		}
	}
}

func TestRankReturnsOnlyTheBest(t *testing.T) {
	if got := rank("lamp", 2, "x lamp y ", "lamp ", "x lamp ", "chair "); !slices.Equal(got, []int{1, 2}) {
		t.Errorf("%v, want the second and the third", got)
	}
}

func TestTermsAreBounded(t *testing.T) {
	if n := len(Terms(strings.Repeat("a b c d e f ", 1000) + "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29")); n != MaxTerms {
		t.Errorf("%d terms, want %d", n, MaxTerms)
	}
}
