package jsontext

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

// A string reads back unchanged, except that invalid UTF-8 becomes replacement characters.
func FuzzString(f *testing.F) {
	for _, s := range []string{"", "plain", "\"\\\n\r\t\x00\x1f\x7f", "größe 東京 <&>", "cut \xc3", "\u2028"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var got string
		if err := json.Unmarshal([]byte(String(s)), &got); err != nil {
			t.Fatalf("%q becomes %s: %v", s, String(s), err)
		}
		want := s
		if !utf8.ValidString(s) {
			want = strings.Map(func(r rune) rune { return r }, s)
		}
		if got != want {
			t.Errorf("%q reads as %q", s, got)
		}
	})
}

func TestObject(t *testing.T) {
	var o Object
	if o.String() != "{}" {
		t.Errorf("empty: %s", o.String())
	}
	o.Text("a\"", "b\n")
	o.Int("n", -3)
	o.Texts("list", []string{"x", "y"})
	o.Raw("raw", `{"k":null}`)
	if got, want := o.String(), `{"a\"":"b\n","n":-3,"list":["x","y"],"raw":{"k":null}}`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
