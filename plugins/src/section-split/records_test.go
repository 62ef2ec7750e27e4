package sectionsplit

import (
	"fmt"
	"strings"
	"testing"
)

// A number is a poor title for a record, so its first texts follow it.
func TestTitleOfRecordIsMoreThanANumber(t *testing.T) {
	var rows []string
	for i := range 20 {
		rows = append(rows, fmt.Sprintf(`{"id":%d,"t":"place %c","note":%q}`, i, 'a'+i, strings.Repeat("word ", 100)))
	}
	for rule, between := range map[string]string{"lines": "\n", "glued": "", "blanks": "  "} {
		text := strings.Join(rows, between)
		r := run1(text, `{}`)
		checkLaws(t, rule, text, r)
		if got := r.Sections[11].Title; !strings.HasPrefix(got, "11, place l") {
			t.Errorf("%s: %q", rule, got)
		}
	}
}
