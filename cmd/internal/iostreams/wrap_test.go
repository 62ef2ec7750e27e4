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
		{"empty text", "", 5, []string{""}},
		{"text that fits", "one two", 7, []string{"one two"}},
		{"text that does not fit", "one two three", 7, []string{"one two", "three"}},
		{"long word", "a wasi_snapshot b", 5, []string{"a", "wasi_snapshot", "b"}},
		{"width in characters, not bytes", "äöü äöü", 7, []string{"äöü äöü"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := Wrap(tt.text, tt.width); !slices.Equal(got, tt.want) {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}
