package language

import (
	"slices"
	"strings"
	"testing"
)

// Extensions lists the extensions of all languages, and each extension belongs to one language.
// Files of some languages are read by scanners of their own, and as code only if these refuse them.
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
	own = slices.DeleteFunc(own, func(ext string) bool {
		return slices.Contains([]string{"tf", "hcl", "tfvars", "mk", "makefile", "gnumakefile", "dockerfile", "containerfile"}, ext)
	})
	if len(own) > 0 {
		t.Errorf("%q are not in Extensions", own)
	}
}
