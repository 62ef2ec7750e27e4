package language

import (
	"slices"
	"strings"
	"testing"
)

// Extensions lists the extensions of all languages, and each extension belongs to one language.
func TestExtensions(t *testing.T) {
	var own []string
	for l := range All {
		for w := range strings.FieldsSeq(l.Files) {
			ext, _, _ := strings.Cut(w, "=")
			if slices.Contains(own, ext) {
				t.Errorf("%s: %s belongs to another language too", l.Name, ext)
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
			t.Errorf("%s belongs to no language", ext)
			continue
		}
		own = slices.Delete(own, i, i+1)
	}
	if len(own) > 0 {
		t.Errorf("%q are not in Extensions", own)
	}
}
