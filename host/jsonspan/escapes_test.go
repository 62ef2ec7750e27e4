package jsonspan

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"
)

func TestMinimizeEscapes(t *testing.T) {
	for _, tc := range []struct{ rule, in, want string }{
		{"nothing to do", `{"a":"b\nc\"d\\e"}`, `{"a":"b\nc\"d\\e"}`},
		{"solidus", `{"a":"postgres:\/\/u:p@h"}`, `{"a":"postgres://u:p@h"}`},
		{"a letter, in either case of digits", `["\u0070\u006F\u006f"]`, `["poo"]`},
		{"a key", `{"\u0070ass":1}`, `{"pass":1}`},
		{"what must be escaped stays so", `["\u0022\u005c\u005C\/\u000a\u0000\u001f"]`, `["\"\\\\/\n\u0000\u001f"]`},
		{"an escaped backslash before u is text", `["\\u0070\\/"]`, `["\\u0070\\/"]`},
		{"a decoded backslash before u is text", `["\u005cu0070"]`, `["\\u0070"]`},
		{"surrogate pair", `["\ud83d\ude00\u20ac"]`, `["😀€"]`},
		{"half a surrogate pair stays", `["\ud83d\u0070\ude00\/"]`, `["\ud83dp\ude00/"]`},
		{"half a surrogate pair at the end", `["\ud83d"]`, `["\ud83d"]`},
	} {
		t.Run(tc.rule, func(t *testing.T) {
			if got := string(MinimizeEscapes([]byte(tc.in))); got != tc.want {
				t.Errorf("got %s, want %s", got, tc.want)
			}
		})
	}
}

func FuzzMinimizeEscapes(f *testing.F) {
	for _, seed := range []string{`{"\u0070":"\/\ud83d\ude00\ud83d"}`, `["\\u0070\u005c"]`, `\`, `\u`, `\u00`, `{"a":1}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		text := MinimizeEscapes(b)
		if Valid(b) != nil {
			return // no promise but not to panic
		}
		if err := Valid(text); err != nil {
			t.Fatalf("%q becomes %q: %v", b, text, err)
		}
		var before, after any
		if json.Unmarshal(b, &before) == nil && (json.Unmarshal(text, &after) != nil || !reflect.DeepEqual(before, after)) {
			t.Fatalf("%q becomes %q", b, text)
		}
		if again := MinimizeEscapes(text); !bytes.Equal(again, text) {
			t.Fatalf("%q, then %q", text, again)
		}
	})
}
