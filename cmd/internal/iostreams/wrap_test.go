package iostreams

import (
	"slices"
	"testing"
)

func TestWrapBreaksAtBlanks(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		width      int
		want       []string
	}{
		{"nothing is one line", "", 5, []string{""}},
		{"what fits stays", "one two", 7, []string{"one two"}},
		{"what does not goes on below", "one two three", 7, []string{"one two", "three"}},
		{"a long word has its own line", "a wasi_snapshot b", 5, []string{"a", "wasi_snapshot", "b"}},
		{"characters are counted, not bytes", "äöü äöü", 7, []string{"äöü äöü"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := Wrap(tt.text, tt.width); !slices.Equal(got, tt.want) {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}
