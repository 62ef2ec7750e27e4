package nearname

import (
	"slices"
	"testing"
)

func TestOf(t *testing.T) {
	names := []string{"get_flows", "get_flow", "delete_flow", "read_file", "list_directory"}
	for _, c := range []struct {
		rule, word string
		want       []string
	}{
		{"a typo", "raed_file", []string{"read_file"}},
		{"the word is a part of names, in their order", "flow", []string{"get_flows", "get_flow", "delete_flow"}},
		{"the nearest first", "get_flov", []string{"get_flow", "get_flows"}},
		{"case does not count", "READ_FILE", []string{"read_file"}},
		{"nothing like it", "weather", nil},
		{"no word", "", nil},
	} {
		if got := Of(c.word, names, 3); !slices.Equal(got, c.want) {
			t.Errorf("%s: Of(%q) = %q, want %q", c.rule, c.word, got, c.want)
		}
	}
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"abc", "", 3}, {"kitten", "sitting", 3}, {"flaw", "lawn", 2}, {"größe", "grösse", 2},
	} {
		if got := Distance(c.a, c.b); got != c.want {
			t.Errorf("Distance(%q, %q) = %d, want %d", c.a, c.b, got, c.want)
		}
		if there, back := Distance(c.a, c.b), Distance(c.b, c.a); there != back {
			t.Errorf("Distance(%q, %q) = %d, the other way %d", c.a, c.b, there, back)
		}
	}
}
