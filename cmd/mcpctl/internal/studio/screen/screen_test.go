package screen

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// hostile are texts that terminals measure differently, or that move the cursor.
var hostile = []string{"plain", "日本語テキスト", "👩‍👩‍👧‍👦", "❤️", "🇩🇪🇫🇷🇩", "👍🏽", "e\u0301\u0301\u0301\u0301\u0301\u0301", "\t", "a\tb", "\x1b[31mred\x1b[0m",
	"\x1b]52;c;aGk=\a", "\u202eevil\u202c", "\u200b\u200b", "\U000e0041\U000e0042", "\r", "\x9b2J", "\xff\xfe", "ﷺ", "각", "ᄀ", "\u0600", "\u00ad", "\ufe0f\ufe0f", "\u061c", "𝄞", "\u2028", "\u3164", "\u115f", "ｈ", "ก็็็็็", "🏴\U000e0067\U000e007f", "\ue000", "❤\ufe0e\ufe0f"}

func randomText(r *rand.Rand) string {
	var b strings.Builder
	for range r.IntN(30) {
		if r.IntN(4) == 0 {
			b.WriteRune(rune(r.IntN(0x1ffff)))
		}
		b.WriteString(hostile[r.IntN(len(hostile))])
	}
	return b.String()
}

// widest returns the width of a text by the method that yields more.
func widest(s string) int { return max(ansi.StringWidth(s), ansi.StringWidthWc(s)) }

func TestLinesFitExactly(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		width := r.IntN(40)
		l := Line{{Clean(randomText(r)), Red}, {Clean(randomText(r)), Plain}, {Clean(randomText(r)), Reverse}}
		got := l.Fit(width)
		if got.Width() != width {
			t.Fatalf("%q: %d cells, want %d", got.String(), got.Width(), width)
		}
		if w := widest(got.Render()); w > width {
			t.Fatalf("%q: %d cells on a terminal, want %d", got.Render(), w, width)
		}
	}
}

func TestWrappedTextKeepsEveryByte(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		s := randomText(r)
		rows := Rows(s, Plain)
		first := rows[0].Text
		rows[0].Marks = []Mark{{0, runeAt(first, len(first)/3), Bold}, {runeAt(first, len(first)/2), len(first), Red}}
		width := 2 + r.IntN(30)
		text := Wrap(rows, width)
		var all strings.Builder
		for i, l := range text.Window(0, text.Len()) {
			if w := widest(l.Render()); w > width {
				t.Fatalf("%q: line %d takes %d cells of %d", s, i, w, width)
			}
			if one := text.Window(i, 1); len(one) != 1 || one[0].Render() != l.Render() {
				t.Fatalf("%q: line %d drawn alone is %q, want %q", s, i, one, l.Render())
			}
			all.WriteString(l.String())
		}
		if want := strings.ReplaceAll(joinRows(rows), "\n", ""); all.String() != want {
			t.Fatalf("%q: lines are %q, want %q", s, all.String(), want)
		}
	}
}

// runeAt returns the start of the rune that contains byte i.
func runeAt(s string, i int) int {
	for i > 0 && i < len(s) && !utf8.RuneStart(s[i]) {
		i--
	}
	return i
}

func joinRows(rows []Row) string {
	var b strings.Builder
	for _, r := range rows {
		b.WriteString(r.Text)
	}
	return b.String()
}

func TestCleanTextHasNoControls(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 2000 {
		s := randomText(r)
		got := Clean(s)
		if strings.ContainsAny(got, "\x1b\a\n\r\t\u202e\u200b") || !utf8.ValidString(got) || ansi.Strip(got) != got {
			t.Fatalf("%q is %q", s, got)
		}
	}
}

func TestLineOfOneMegabyteIsDrawnInParts(t *testing.T) {
	for _, s := range []string{strings.Repeat("x", 1<<20), strings.Repeat("語", 1<<20/3)} {
		text := Wrap(Rows(s, Plain), 80)
		if want := (Width(s) + 79) / 80; text.Len() != want {
			t.Errorf("%d lines, want %d", text.Len(), want)
		}
		if got := text.Window(text.Len()-2, 10); len(got) != 2 || !strings.HasSuffix(s, got[1].String()) {
			t.Errorf("the end is %q", got)
		}
	}
}

func TestClean(t *testing.T) {
	for _, tc := range []struct{ name, in, want string }{
		{"tab to the next stop", "ab\tc", "ab      c"},
		{"emoji presentation is dropped", "❤️!", "❤!"},
		{"joined emoji are separate", "👩‍👧", `👩\u200d👧`},
		{"tag characters", "a\U000e0041", `a\U000e0041`},
		{"combining mark", "e\u0301", "e\u0301"},
		{"fifth combining mark", "e\u0301\u0301\u0301\u0301\u0301", "e\u0301\u0301\u0301\u0301\\u0301"},
		{"colour", "\x1b[31m", `\x1b[31m`},
		{"line break", "a\r\nb", `a\r\nb`},
	} {
		if got := Clean(tc.in); got != tc.want {
			t.Errorf("%s: %q, want %q", tc.name, got, tc.want)
		}
	}
}
