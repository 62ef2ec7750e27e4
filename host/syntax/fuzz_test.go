package syntax

import (
	"encoding/json"
	"testing"
)

// FuzzDelimiters checks that delimiters of a hostile stage lead to spans within the
// text, and to no panic.
func FuzzDelimiters(f *testing.F) {
	f.Add("<", "</", ">", "/>", `"'`, "<!--", "-->", `<a x=">"><b/>t</a>`, "b")
	f.Add("[a", "[/", "[", "", "", "[*", "*]", "[ab[/b[", "b")
	f.Add("[a", "[/", "[", "", "", "[*", "*]", "[ab[[/b[", "b") // the end is within close
	f.Add("aa", "ab", "a", "a", "a", "a", "a", "aabaabab", "a")
	f.Fuzz(func(t *testing.T, open, closing, end, empty, quotes, begin, until, text, name string) {
		declaration, err := json.Marshal([]map[string]any{{"types": []string{"x"}, "markup": []string{begin, until}, "elements": map[string]any{
			"open": open, "close": closing, "end": end, "empty": empty, "quotes": quotes, "opaque": [][2]string{{begin, until}},
		}}})
		if err != nil {
			t.Fatal(err)
		}
		list, err := Parse(string(declaration))
		if err != nil {
			return
		}
		s := list[0]
		spans := append(s.Children([]byte(text), name, 10), s.Inside([]byte(text), name, 10)...)
		for _, span := range spans {
			if span[0] < 0 || span[0] >= span[1] || span[1] > len(text) {
				t.Errorf("span %v in a text of %d bytes", span, len(text))
			}
		}
		if plain := s.PlainText([]byte(text)); len(plain) > len(text)+1 {
			t.Errorf("%q becomes %q", text, plain)
		}
		_, _, _ = s.Tag([]byte(text)), s.HasTag([]byte(text), name), s.CanName(name)
	})
}
