package host

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
)

// quotedJSON returns text as a JSON string.
func quotedJSON(t testing.TB, text []byte) []byte {
	t.Helper()
	return []byte(marshal(t, string(text)))
}

// nested returns contents that contain documents of other types: in strings,
// between lines of text, in code fences.
func nested(t testing.TB) []document {
	t.Helper()
	byName := make(map[string][]byte)
	for _, d := range corpus(t) {
		byName[d.name] = d.bytes
	}
	nodes, guide, nav, feed := byName["ja-flows-atltvhead.json"], byName["p-18f-infra.md"], byName["y-18f-nav.yaml"], byName["x-gson-parent-pom.xml"]
	wrap := func(before string, text []byte, after string) []byte {
		return bytes.Join([][]byte{[]byte(before), text, []byte(after)}, nil)
	}
	var issues bytes.Buffer
	for i := range 40 {
		fmt.Fprintf(&issues, `{"number":%d,"title":"Issue %d","body":%s},`, i, i, quotedJSON(t, guide[:9000+100*i]))
	}
	return []document{
		{name: "Markdown in a string", bytes: wrap(`{"content":`, quotedJSON(t, guide), `}`)},
		{name: "JSON in a string", bytes: wrap(`{"content":`, quotedJSON(t, nodes), `}`)},
		{name: "YAML in a string", bytes: wrap(`{"n":1,"content":`, quotedJSON(t, nav), `}`)},
		{name: "XML in a string", bytes: wrap(`[1,`, quotedJSON(t, feed), `]`)},
		{name: "a string alone", bytes: quotedJSON(t, guide)},
		{name: "JSON in JSON in JSON", bytes: wrap(`{"a":`, quotedJSON(t, wrap(`{"b":`, quotedJSON(t, nodes), `}`)), `}`)},
		{name: "records with texts", bytes: wrap(`{"items":[`, bytes.TrimSuffix(issues.Bytes(), []byte(",")), `]}`)},
		{name: "unpaired surrogate", bytes: wrap(`{"n":1,"text":"`, bytes.Repeat([]byte(`# A\n\nword \ud800\n\n`), 900), `"}`)},
		{name: "text round JSON", bytes: wrap("Found these:\n\n", nodes, "\n\nThose were 384 of 7698.\n")},
		{name: "fences", bytes: wrap("# Files\n\nThe nodes:\n\n```json\n", nodes, "\n```\n\nThe navigation:\n\n```yaml\n"+string(nav)+"```\n\nThat is all.\n")},
		{name: "fences without headings", bytes: wrap("Here it is:\n\n```yaml\n", nav, "```\n"+strings.Repeat("And more of it was found.\n", 90))},
	}
}

// A nested document can be read completely.
func TestNestedDrillDown(t *testing.T) {
	skipShort(t)
	r := newRig(t, files{"projects/home.yaml": project("ungated-subindex")})
	for _, d := range nested(t) {
		t.Run(d.name, func(t *testing.T) {
			r.drill(t, &d)
			report := r.crawl(t, &d)
			t.Logf("%s, first %d tokens, %d leaves in %d calls", d.first.Run.Type, tokens(t, d.first.Text), report.Leaves, report.Calls)
		})
	}
}

// A file wrapped in an object is indexed with the first answer.
func TestWrappedFileIsIndexedAtOnce(t *testing.T) {
	r := newRig(t, files{"projects/home.yaml": project("ungated-subindex")})
	docs := nested(t)
	for i, want := range []string{"[content/amazon-web-services", "[content/@z=7805686.aa4fd98] GLOVE_FLOW: 66 nodes", "[content/primary/0] text: About TTS"} {
		c := toolResult(docs[i].bytes, "/srv/file")
		c.Part.Kind = abi.PartStructured
		if shown := r.show(t, c); !strings.Contains(string(shown.Text), want) {
			t.Errorf("%s: no %s in\n%s", docs[i].name, want, shown.Text)
		}
	}
}
