package config

import "testing"

func TestScalarsOfTheFile(t *testing.T) {
	for _, tc := range []struct {
		name, text, want string
		mistake          bool
	}{
		{"plain", "http://127.0.0.1:1", "http://127.0.0.1:1", false},
		{"plain with a comment", "a # b", "a", false},
		{"a hash in a word", "a#b", "a#b", false},
		{"double quotes", `"a"`, "a", false},
		{"a hash in double quotes, as Set writes it", `"a # b" # c`, "a # b", false},
		{"an escaped quote", `"a \" # b"`, `a " # b`, false},
		{"a hash in single quotes", "'a # b' # c", "a # b", false},
		{"a double quote that is not closed", `"a`, "", true},
		{"a single quote that is not closed", "'a", "", true},
		{"more behind a quote", `"a" b`, "", true},
	} {
		if got, err := scalar(tc.text); got != tc.want || (err != nil) != tc.mistake {
			t.Errorf("%s: %q, %v", tc.name, got, err)
		}
	}
}
