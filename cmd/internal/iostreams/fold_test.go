package iostreams

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestFold(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"a line that fits", "one two\n", "one two\n"},
		{"a sentence", "one two three four five six\n", "one two three four\n  five six\n"},
		{"a field", "name    one two three four five\n", "name    one two\n        three four\n        five\n"},
		{"an indented line", "    one two three four\n", "    one two three\n      four\n"},
		{"a long word", strings.Repeat("x", 45) + "\n", strings.Repeat("x", 20) + "\n  " + strings.Repeat("x", 18) + "\n  " + strings.Repeat("x", 7) + "\n"},
		{"a long word after another", "a " + strings.Repeat("x", 21) + "\n", "a\n  " + strings.Repeat("x", 18) + "\n  xxx\n"},
		{"no newline at the end", "one two three four five", "one two three four\n  five"},
		{"letters of several bytes", strings.Repeat("é", 21) + "\n", strings.Repeat("é", 20) + "\n  é\n"},
		{"only blanks", strings.Repeat(" ", 30) + "x\n", ""},
	} {
		var out bytes.Buffer
		f := NewFold(&out, 20)
		for _, b := range []byte(tt.in) { // in writes of any size
			_, _ = f.Write([]byte{b})
		}
		_ = f.Close()
		if tt.want != "" && out.String() != tt.want {
			t.Errorf("%s:\n%q\nwant\n%q", tt.name, out.String(), tt.want)
		}
		for line := range strings.Lines(out.String()) {
			if utf8.RuneCountInString(strings.TrimSuffix(line, "\n")) > 20 {
				t.Errorf("%s: a line of more than 20: %q", tt.name, line)
			}
		}
	}
}

func TestWrappedTableTruncatesNothing(t *testing.T) {
	tb := NewTable("NAME", "TYPE", "HELP").Wrap(30)
	tb.Row("a", "string", "one two three four five six")
	tb.Row("b", "n", strings.Repeat("y", 40))
	var out bytes.Buffer
	if err := tb.Fprint(&out); err != nil {
		t.Fatal(err)
	}
	want := "NAME  TYPE    HELP\n" +
		"a     string  one two three\n              four five six\n" +
		"b     n       yyyyyyyyyyyyyyyy\n              yyyyyyyyyyyyyyyy\n              yyyyyyyy\n"
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
}

func TestOutWidth(t *testing.T) {
	for _, tt := range []struct {
		columns        string
		terminal, want int
	}{{"", 0, 0}, {"", 120, 120}, {"80", 0, 80}, {"80", 120, 80}, {"x", 100, 100}, {"0", 100, 100}, {"5", 0, minWidth}, {"", 10, minWidth}} {
		if got := outWidth(tt.columns, tt.terminal); got != tt.want {
			t.Errorf("COLUMNS=%q on a terminal of %d: %d, want %d", tt.columns, tt.terminal, got, tt.want)
		}
	}
}
