package suggest

import (
	"strings"
	"testing"
)

func TestNearest(t *testing.T) {
	stages := []string{"passthrough", "paginate", "section-split", "summarize-tree", "summarize", "security-audit"}
	for _, c := range []struct{ name, want string }{
		{"secuirty-audit", "security-audit"},
		{"pagniate", "paginate"},
		{"Paginate", "paginate"},
		{"summarise", "summarize"},
		{"sumarize-tree", "summarize-tree"},
		{"section", "section-split"},
		{"paginate", ""},
		{"x", ""},
		{"", ""},
		{"completely-different", ""},
		{strings.Repeat("p", 100000), ""},
	} {
		if got := Nearest(c.name, stages); got != c.want {
			t.Errorf("Nearest(%.40q) = %q, want %q", c.name, got, c.want)
		}
	}
	if got := Nearest("ab", nil); got != "" {
		t.Errorf("Nearest without candidates = %q", got)
	}
}

// TestEditDistanceIsAMetricOnSamples verifies symmetry, and zero only for equal words.
func TestEditDistanceIsAMetricOnSamples(t *testing.T) {
	words := []string{"", "a", "ab", "ba", "abc", "acb", "timeout", "timout", "tiemout", "summarize"}
	for _, a := range words {
		for _, b := range words {
			d := distance(a, b)
			if d != distance(b, a) {
				t.Errorf("distance of %q and %q is not symmetric", a, b)
			}
			if (d == 0) != (a == b) {
				t.Errorf("distance of %q and %q is %d", a, b, d)
			}
		}
	}
}
