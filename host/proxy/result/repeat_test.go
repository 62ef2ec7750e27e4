package result

import "testing"

func TestTextsThatRepeatStructuredContent(t *testing.T) {
	for _, tc := range []struct {
		rule, structured, text string
		repeats                bool
	}{
		{"equal", `{"a":1}`, `{"a":1}`, true},
		{"different white space", `{ "a": [1, 2] }`, "{\n  \"a\": [1,2]\n}\n", true},
		{"different escapes", `{"a":"\u00e9\/"}`, `{"a":"é/"}`, true},
		{"string", `{"content":"one\n\u00e9"}`, "one\né", true},
		{"string in an array", `{"result":["a","b"]}`, "b", true},
		{"object in an array", `{"result":[{"a":1},{"a":2}]}`, `{"a": 2}`, true},
		{"string at a lower level", `{"a":{"b":{"c":"text"}}}`, "text", false},
		{"part of a string", `{"a":"one two"}`, "one", false},
		{"blank", `{}`, " \n", true},
		{"different value", `{"a":1}`, `{"a":2}`, false},
		{"additional member", `{"a":1}`, `{"a":1,"b":2}`, false},
		{"key", `{"a":1}`, `a`, false},
		{"different spelling of a number", `{"a":1.0}`, `{"a":1}`, false},
		{"duplicate key", `{"a":2}`, `{"a":1,"a":2}`, false},
		{"prose", `{"a":1}`, "1 thing was found", false},
	} {
		t.Run(tc.rule, func(t *testing.T) {
			if got := valuesOf([]byte(tc.structured)).has([]byte(tc.text)); got != tc.repeats {
				t.Errorf("%q repeats %s: %t", tc.text, tc.structured, got)
			}
		})
	}
}
