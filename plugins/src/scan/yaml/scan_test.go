package yaml

import (
	"regexp"
	"testing"

	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
	"github.com/mcpctl/mcpctl/plugins/src/internal/part/parttest"
)

// between reports whether a gap may lie between parts: it consists of lines of
// dashes and one key, and document marks.
func between(gap []byte) bool { return betweenLines.Match(gap) }

var tested = parttest.Scanner{Scan: Scan, Between: between}

func TestCorpusIsYAMLWithValidParts(t *testing.T) {
	for name, b := range parttest.ReadContents(t, "*.yaml") {
		doc, ok := Scan(b, part.Clues{})
		if !ok {
			t.Errorf("%s is not recognized as YAML", name)
			continue
		}
		parttest.Check(t, b, doc, between)
	}
}

// betweenLines matches lines of dashes and one key, and document marks.
var betweenLines = regexp.MustCompile(`\A(?:[ \t]*(?:- +|-$)*(?:(?:"[^"\\\n]*"|'[^'\n]*'|[^\s#"'{}\[\],:-][^\n#:"]*):|---|\.\.\.|-)?[ \t]*\r?(?:\n|\z))*\z`)
