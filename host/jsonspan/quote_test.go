package jsonspan

import (
	"bytes"
	"encoding/json"
	"testing"
	"unicode/utf8"
)

func TestUnquote(t *testing.T) {
	tests := []struct {
		rule, lit, want string
		bad             bool
	}{
		{rule: "empty", lit: `""`},
		{rule: "plain", lit: `"abc"`, want: "abc"},
		{rule: "each short escape", lit: `"\"\\\/\b\f\n\r\t"`, want: "\"\\/\b\f\n\r\t"},
		{rule: "escape at both ends", lit: `"\nabc\n"`, want: "\nabc\n"},
		{rule: "hex of either case", lit: `"\u00E9\u00e9"`, want: "éé"},
		{rule: "surrogate pair", lit: `"\ud83d\ude00!"`, want: "😀!"},
		{rule: "NUL", lit: `"\u0000"`, want: "\x00"},
		{rule: "U+FFFD that was sent", lit: `"\ufffd"`, want: "\ufffd"},
		{rule: "high half alone", lit: `"\ud83d"`, bad: true},
		{rule: "low half alone", lit: `"\ude00"`, bad: true},
		{rule: "halves swapped", lit: `"\ude00\ud83d"`, bad: true},
		{rule: "no string", lit: `1`, bad: true},
		{rule: "nothing", lit: ``, bad: true},
		{rule: "one quote", lit: `"`, bad: true},
		{rule: "text after it", lit: `"a"b"`, bad: true},
		{rule: "escaped end", lit: `"a\"`, bad: true},
	}
	for _, tt := range tests {
		t.Run(tt.rule, func(t *testing.T) {
			got, err := Unquote([]byte(tt.lit))
			if (err != nil) != tt.bad || string(got) != tt.want {
				t.Fatalf("Unquote(%s) = %q, %v; want %q, error %v", tt.lit, got, err, tt.want, tt.bad)
			}
		})
	}
}

func TestUnquoteOfPlainTextDoesNotCopy(t *testing.T) {
	lit := []byte(`"plain"`)
	text, err := Unquote(lit)
	if err != nil || &text[0] != &lit[1] {
		t.Fatalf("Unquote(%s) = %q, %v: a copy", lit, text, err)
	}
}

func TestAppendQuoteEscapesOnlyWhereNeeded(t *testing.T) {
	got := string(AppendQuote([]byte("x="), []byte("<a href=\"é\">&\\\u2028\x7f\x01\n")))
	want := "x=\"<a href=\\\"é\\\">&\\\\\u2028\x7f\\u0001\\n\""
	if got != want {
		t.Fatalf("got %s, want %s", got, want)
	}
}

// FuzzQuote checks that Unquote reverses AppendQuote, and that encoding/json decodes the
// literal to the same text.
func FuzzQuote(f *testing.F) {
	f.Add([]byte("plain"))
	f.Add([]byte("\"\\\x00\x1f\b\f\n\r\té😀<>&\u2028"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if !utf8.Valid(text) {
			return
		}
		lit := AppendQuote(nil, text)
		got, err := Unquote(lit)
		if err != nil || !bytes.Equal(got, text) {
			t.Fatalf("round trip of %q: %q, %v", text, got, err)
		}
		var oracle string
		if err := json.Unmarshal(lit, &oracle); err != nil || oracle != string(text) {
			t.Fatalf("encoding/json reads %s as %q, %v", lit, oracle, err)
		}
	})
}

// FuzzUnquote compares Unquote with encoding/json, except for literals in which that
// replaces characters.
func FuzzUnquote(f *testing.F) {
	f.Add([]byte(`"\ud83d\ude00\u00e9\n\""`))
	f.Add([]byte(`"\ud800x"`))
	f.Fuzz(func(t *testing.T, lit []byte) {
		got, err := Unquote(lit)
		var oracle string
		valid := json.Unmarshal(lit, &oracle) == nil && len(lit) > 0 && lit[0] == '"' && lit[len(lit)-1] == '"'
		switch {
		case err == nil && !valid:
			t.Fatalf("Unquote(%q) = %q, encoding/json refuses", lit, got)
		case err == nil && utf8.Valid(lit) && string(got) != oracle:
			t.Fatalf("Unquote(%q) = %q, encoding/json %q", lit, got, oracle)
		case err != nil && valid && utf8.Valid(lit) && !bytes.ContainsRune([]byte(oracle), utf8.RuneError):
			t.Fatalf("Unquote(%q): %v, encoding/json %q", lit, err, oracle)
		}
	})
}
