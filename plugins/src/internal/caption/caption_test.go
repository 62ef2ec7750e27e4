package caption

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestOf(t *testing.T) {
	for _, c := range []struct {
		text string
		max  int
		want string
	}{
		{" a \n\t b  c\r\n", 80, "a b c"},
		{"tab\tand\x00nul\x1b[0m", 80, "tab and nul"},
		{"\x1b[90m08:00\x1b[0m \x1b[1;32mINFO\x1b[0m\x1b[K ready, \x1b[38:5:9mred\x1b[m.", 80, "08:00 INFO ready, red."},
		{"\x1b[31mé\x1b[0m\x1b[0m", 80, "é"},
		{"\x1b[31m" + "0123456789" + "\x1b[0m", 10, "0123456789"},
		{"a \x1b[0m b\x1b[1mc", 80, "a bc"},
		{"no end \x1b[31", 80, "no end [31"},
		{"none \x1b[3\nx \x1b[\x1b[0my", 80, "none [3 x [y"},
		{"\x1b[" + strings.Repeat("1;", 40) + "m", 10, "[1;1;1;..."},
		{"\x1b[0m", 80, ""},
		{"été 日本 😀", 80, "été 日本 😀"},
		{"right\u202eleft\u200b", 80, "right left"},
		{"0123456789", 10, "0123456789"},
		{"0123456789a", 10, "0123456..."},
		{"日本日本", 10, "日本..."},
		{"one two three", 10, "one two..."},
		{"cut \xe6", 80, "cut"},
		{"", 80, ""},
	} {
		if got := Of([]byte(c.text), c.max); got != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}

func TestCount(t *testing.T) {
	for n, want := range map[int]string{0: "0 keys", 1: "1 key", 2: "2 keys"} {
		if got := Count(n, "key"); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}

// Each rune is unchanged, or a blank if it is white space or a control character.
func TestEveryRune(t *testing.T) {
	for r := rune(0x80); r <= unicode.MaxRune; r++ {
		want := string(r)
		if !utf8.ValidRune(r) || unicode.IsSpace(r) || unicode.In(r, unicode.Cc, unicode.Cf) || r == utf8.RuneError {
			want = " "
		}
		if got := Of([]byte("a"+string(r)+"é"+string(r)+"b"), 80); got != "a"+want+"é"+want+"b" {
			t.Fatalf("%U: %q", r, got)
		}
	}
}

func TestAppendNumber(t *testing.T) {
	for _, n := range []int32{0, 1, 9, 10, 11, 99, 100, 65_536, 999_999_999, 1_000_000_000, math.MaxInt32} {
		for _, room := range []int{0, 40} {
			if got, want := string(AppendNumber(append(make([]byte, 0, room), 'L'), n)), fmt.Sprintf("L%d", n); got != want {
				t.Errorf("%s, want %s", got, want)
			}
		}
	}
}
