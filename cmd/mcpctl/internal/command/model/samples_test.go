package model

import "testing"

func TestInputOfAnExample(t *testing.T) {
	for _, tc := range []struct {
		rule, archive, input string
		ok                   bool
	}{
		{"between two others", "words\n-- config --\n{}\n-- input --\na\n---\nb\n-- want --\nc\n", "a\n---\nb\n", true},
		{"at the end", "-- want --\nc\n-- input --\na", "a", true},
		{"empty", "-- input --\n-- want --\n", "", true},
		{"none", "-- input-file --\nx\n", "", false},
		{"an example of a failure", "-- input --\na\n-- fail --\nbroken\n", "a\n", false},
	} {
		if input, ok := inputOf(tc.archive); ok != tc.ok || ok && input != tc.input {
			t.Errorf("%s: %q, %v", tc.rule, input, ok)
		}
	}
}
