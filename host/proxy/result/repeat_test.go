package result

import "testing"

func TestTextsThatRepeatStructuredContent(t *testing.T) {
	for _, tc := range []struct {
		rule, structured, text string
		repeats                bool
	}{
		{"the same bytes", `{"a":1}`, `{"a":1}`, true},
		{"other white space", `{ "a": [1, 2] }`, "{\n  \"a\": [1,2]\n}\n", true},
		{"other escapes", `{"a":"\u00e9\/"}`, `{"a":"é/"}`, true},
		{"a string in it", `{"content":"one\n\u00e9"}`, "one\né", true},
		{"an element of a list in it, a string", `{"result":["a","b"]}`, "b", true},
		{"an element of a list in it, an object", `{"result":[{"a":1},{"a":2}]}`, `{"a": 2}`, true},
		{"a string deeper in it", `{"a":{"b":{"c":"text"}}}`, "text", false},
		{"a part of a string in it", `{"a":"one two"}`, "one", false},
		{"blank", `{}`, " \n", true},
		{"other data", `{"a":1}`, `{"a":2}`, false},
		{"more than it", `{"a":1}`, `{"a":1,"b":2}`, false},
		{"a key in it", `{"a":1}`, `a`, false},
		{"a number written otherwise", `{"a":1.0}`, `{"a":1}`, false},
		{"a key twice", `{"a":2}`, `{"a":1,"a":2}`, false},
		{"words", `{"a":1}`, "1 thing was found", false},
	} {
		t.Run(tc.rule, func(t *testing.T) {
			if got := valuesOf([]byte(tc.structured)).has([]byte(tc.text)); got != tc.repeats {
				t.Errorf("%q repeats %s: %t", tc.text, tc.structured, got)
			}
		})
	}
}
