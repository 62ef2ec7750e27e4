package detect

import (
	"bytes"
	"slices"
	"testing"

	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
)

func TestParsedFollowsScanner(t *testing.T) {
	doc := &part.Doc{Count: "1 line"}
	prove := parsed("lines", func(b []byte, c part.Clues) (*part.Doc, bool) {
		return doc, c.Forced || c.GroupBy == "size" || c.File == "a.lines" && bytes.HasSuffix(b, []byte("\n"))
	})
	for _, c := range []struct {
		rule, text string
		o          Options
		want       bool
	}{
		{"file name and form", "a\n", Options{Hint: "a.lines"}, true},
		{"no form", "a", Options{Hint: "a.lines"}, false},
		{"no file name", "a\n", Options{}, false},
		{"forced", "a", Options{Force: "lines"}, true},
		{"field to group by", "a", Options{GroupBy: "size"}, true},
	} {
		r, ok := prove(&survey{b: []byte(c.text)}, c.o)
		if ok != c.want || ok && (r.Type != "lines" || r.Parts != doc) || !ok && r.Parts != nil {
			t.Errorf("%s: %t %+v", c.rule, ok, r)
		}
	}
}

func TestEachHintBelongsToOneProof(t *testing.T) {
	var seen []string
	for _, p := range proofs {
		for _, hint := range bytes.Fields([]byte(p.hints)) {
			if slices.Contains(seen, string(hint)) || typeNamed(string(hint)) != p.name {
				t.Errorf("%s and another proof claim %s", p.name, hint)
			}
			seen = append(seen, string(hint))
		}
	}
}
