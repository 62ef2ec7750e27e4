package code

import (
	"slices"
	"strings"
	"testing"
)

// What is hinted at code has one language, and each language is hinted at.
func TestExtensions(t *testing.T) {
	var own []string
	for l := range languages {
		for w := range strings.FieldsSeq(l.files) {
			ext, _, _ := strings.Cut(w, "=")
			if slices.Contains(own, ext) {
				t.Errorf("%s: %s is also another language's", l.name, ext)
			}
			own = append(own, ext)
		}
	}
	for ext := range strings.FieldsSeq(Extensions) {
		if strings.Contains(ext, "/") {
			continue
		}
		i := slices.Index(own, ext)
		if i < 0 {
			t.Errorf("%s is no language's", ext)
			continue
		}
		own = slices.Delete(own, i, i+1)
	}
	if len(own) > 0 {
		t.Errorf("%q are not hinted at", own)
	}
}
