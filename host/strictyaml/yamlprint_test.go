package strictyaml

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"
)

// printSamples are strings that some YAML reader or printer has got wrong.
var printSamples = []string{
	"", " ", "a", "a b", " a", "a ", "~", "null", "Null", "true", "no", "on", "y", "n", "1", "1.0", "1e3", "0x1f", "0o7", "0b1", "1_000", "018", ".5", "5.",
	".inf", ".nan", "-", "- a", "-a", "--- a", "---", "...", "a: b", "a:", ":a", "a #b", "#a", "&a", "*a", "!a", "|", ">", "%a", "@a", "`a", "{a", "}a", "[a", "]a", ",a", "a,b",
	"?", "? a", "'", "\"", "\\", "\\n", "a'b", "a\"b", "${A}", "2026-11-21", "12:30:45", "=", "<<", "key: |", "1h", "60s", "16MiB",
	"a\nb", "a\nb\n", "a\nb\n\n", "\na", "\n", "a\n\nb", "a\n  b\n c", "  a\nb", "a\n\tb", "\ta\nb", "a \nb", "a\n b", "a\r\nb", "a\rb", "a\n# b", "a\n--- b\n---\n",
	"a\n...\nb", "\u0085", "\u2028", "\u2029", "\ufeff", "a\ufeff", "\u200b", "\u202e", "\x00", "\x07", "\x1b[31m", "\x7f", "é", "日本\n語\n", "😀", strings.Repeat("long ", 100),
}

// checkPrint prints a string in every place a value can stand and reads it back.
func checkPrint(t *testing.T, s string) {
	t.Helper()
	v := Builder{}.
		Add("plain", NewText(s)).
		Add("key", Builder{}.Add(s, NewText(s)).Add("x"+s, NewText("y")).Value()).
		Add("list", Value{Type: List, Items: []Value{NewText(s), NewText("b"), NewText(s)}}).
		Add("deep", Value{Type: List, Items: []Value{Builder{}.Add("a", NewText(s)).Add("b", NewText(s)).Value(), {Type: List, Items: []Value{Builder{}.Add("c", NewText(s)).Value(), NewText(s)}}}}).
		Add("last", NewText(s)).Value()
	printed := AppendYAML(nil, v)
	var errs Errors
	docs := Parse(NewSource("f", string(printed)), printed, &errs)
	if len(errs) > 0 || len(docs) != 1 {
		t.Fatalf("the printed form of %q does not read back: %v\n%s", s, errs, printed)
	}
	want, err := v.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	got, err := docs[0].Root.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%q reads back differently:\n%s\ngot  %s\nwant %s", s, printed, got, want)
	}
}

func TestPrintedStringsReadBack(t *testing.T) {
	for _, s := range printSamples {
		checkPrint(t, s)
	}
}

func FuzzPrintedStringsReadBack(f *testing.F) {
	for _, s := range printSamples {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if !utf8.ValidString(s) || len(s) > 4096 {
			return
		}
		checkPrint(t, s)
	})
}
