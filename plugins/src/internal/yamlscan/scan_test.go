package yamlscan

import (
	"regexp"
	"testing"

	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
	"github.com/mcpctl/mcpctl/plugins/src/internal/part/parttest"
)

// between reports what may lie between parts: lines of dashes and one key, and
// document marks.
func between(gap []byte) bool { return betweenLines.Match(gap) }

var tested = parttest.Scanner{Scan: Scan, Between: between}

// covers P-092
func TestCorpusIsYAMLAndKeepsTheRulesOfParts(t *testing.T) {
	for name, b := range parttest.Contents(t, "*.yaml") {
		doc, ok := Scan(b, part.Clues{})
		if !ok {
			t.Errorf("%s is no YAML", name)
			continue
		}
		parttest.Check(t, b, doc, between)
	}
}

// betweenLines are lines of dashes and one key, and document marks.
var betweenLines = regexp.MustCompile(`\A(?:[ \t]*(?:- +|-$)*(?:(?:"[^"\\\n]*"|'[^'\n]*'|[^\s#"'{}\[\],:-][^\n#:"]*):|---|\.\.\.|-)?[ \t]*\r?(?:\n|\z))*\z`)
