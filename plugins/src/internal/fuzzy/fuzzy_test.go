package fuzzy

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/plugins/src/internal/nearname"
)

func find(pattern, text string, ratio float64) (found []Match) {
	p, ok := New(pattern, ratio)
	if !ok {
		return nil
	}
	p.Find([]byte(text), func(m Match) bool { found = append(found, m); return true })
	return found
}

func TestFind(t *testing.T) {
	for _, c := range []struct {
		rule, pattern, text string
		want                []string
	}{
		{"equal", "zigbee", "a zigbee lamp", []string{"zigbee"}},
		{"case does not count", "ZigBee", "zIGBEE", []string{"zIGBEE"}},
		{"a letter is missing", "zigbee", "a zigbe lamp", []string{"zigbe"}},
		{"a letter is wrong", "zigbee", "a zigbea lamp", []string{"zigbe"}},
		{"two letters are twisted", "temperature", "the temepraturE sensor", []string{"temepraturE"}},
		{"letters of more bytes", "größe", "die grösse und die größe", []string{"größe"}},
		{"too many changes", "zigbee", "a bigger lamp", nil},
		{"short words must be equal", "cat", "cut cat", []string{"cat"}},
		{"not over a line end", "zigbee", "zig\nbee", nil},
		{"one of each place", "lamp", "lamp lamp\nlamp", []string{"lamp", "lamp", "lamp"}},
		{"empty text", "lamp", "", nil},
	} {
		var got []string
		for _, m := range find(c.pattern, c.text, 0.7) {
			got = append(got, c.text[m.Start:m.End])
		}
		if strings.Join(got, "|") != strings.Join(c.want, "|") {
			t.Errorf("%s: %q in %q: %q, want %q", c.rule, c.pattern, c.text, got, c.want)
		}
	}
}

func TestPatternTooLong(t *testing.T) {
	if _, ok := New(strings.Repeat("x", MaxPattern+1), 0.7); ok {
		t.Error("65 characters taken")
	}
	if _, ok := New("", 0.7); ok {
		t.Error("empty pattern taken")
	}
	if got := find(strings.Repeat("é", MaxPattern), "x"+strings.Repeat("é", MaxPattern), 1); len(got) != 1 || got[0].Ratio != 1 {
		t.Errorf("64 characters: %v", got)
	}
}

// The ratio is that of the Levenshtein distance, and each match is found with its ratio
// or a better one.
func TestRatioAgreesWithLevenshteinDistance(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	word := func(n int) string {
		b := make([]rune, n)
		for i := range b {
			b[i] = []rune("abcä")[rnd.IntN(4)]
		}
		return string(b)
	}
	for range 3000 {
		pattern, text := word(1+rnd.IntN(8)), word(rnd.IntN(14))
		best := 0.0
		runes := []rune(text)
		for i := range runes {
			for j := i + 1; j <= len(runes); j++ {
				best = max(best, ratio(pattern, string(runes[i:j])))
			}
		}
		found := find(pattern, text, 0.7)
		got := 0.0
		for _, m := range found {
			if want := ratio(pattern, text[m.Start:m.End]); math.Abs(m.Ratio-want) > 1e-9 {
				t.Fatalf("%q in %q: %q has ratio %v, want %v", pattern, text, text[m.Start:m.End], m.Ratio, want)
			}
			got = max(got, m.Ratio)
		}
		if best == 1 && got != 1 || best >= 0.7 && len(found) == 0 {
			t.Fatalf("%q in %q: %v, there is one of %v", pattern, text, found, best)
		}
	}
}

func ratio(a, b string) float64 {
	return 1 - float64(nearname.Distance(a, b))/float64(max(utf8.RuneCountInString(a), utf8.RuneCountInString(b)))
}
