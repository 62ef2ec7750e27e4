package yamlscan

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
	"github.com/mcpctl/mcpctl/plugins/src/internal/part/parttest"
)

// between reports what may lie between parts: lines of dashes and one key, and
// document marks.
func between(gap []byte) bool { return betweenLines.Match(gap) }

func corpus(t testing.TB) map[string][]byte {
	t.Helper()
	files, _ := filepath.Glob("../../../../testdata/content/*.yaml")
	if len(files) == 0 {
		t.Fatal("no corpus")
	}
	docs := make(map[string][]byte)
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		docs[filepath.Base(name)] = b
	}
	return docs
}

// covers P-092
func TestCorpusIsYAMLAndKeepsTheRulesOfParts(t *testing.T) {
	for name, b := range corpus(t) {
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
