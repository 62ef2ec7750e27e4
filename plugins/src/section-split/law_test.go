package sectionsplit

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/plugins/src/internal/example"
	scanjson "github.com/mcpctl/mcpctl/plugins/src/scan/json"
	"github.com/mcpctl/mcpctl/sdk-go/stage"
	"github.com/mcpctl/mcpctl/sdk-go/stagetest"
)

// span is an exact section.
type span struct{ start, end int }

// leaves returns the exact sections without exact descendants, in order.
func leaves(sections []stagetest.Section) []span {
	inner := make(map[int]bool) // sections with exact descendants
	for _, s := range sections {
		if s.Kind != stage.Exact {
			continue
		}
		for p := s.Parent; p >= 0; p = sections[p].Parent {
			inner[p] = true
		}
	}
	var out []span
	for i, s := range sections {
		if s.Kind == stage.Exact && !inner[i] {
			out = append(out, span{s.Start, s.End})
		}
	}
	slices.SortFunc(out, func(a, b span) int { return a.start - b.start })
	return out
}

// checkLaws fails if leaves overlap or the text between them is more than
// structure. stagetest checks, like the host, that spans nest and end at rune boundaries.
func checkLaws(t *testing.T, name, input string, r stagetest.Result) {
	t.Helper()
	if r.Outcome == stagetest.Fail {
		t.Fatalf("%s: %s", name, r.Reason)
	}
	inner := documents(r)
	at := 0
	for _, l := range append(leaves(r.Sections), span{len(input), len(input)}) {
		if l.start < at {
			t.Fatalf("%s: leaf at %d begins before %d", name, l.start, at)
		}
		for at < l.start && len(r.Sections) > 0 {
			doc, end := innermost(inner, span{at, l.start})
			if gap := input[at:end]; !structure(gap, doc.kind) {
				t.Fatalf("%s: %.80q before byte %d, of %s, is in no leaf", name, gap, end, doc.kind)
			}
			at = end
		}
		at = l.end
	}
}

// typed is a span of the text with a type.
type typed struct {
	span
	kind string
}

// documents returns the whole text, and the sections whose title or summary names
// a type with structure between its leaves.
func documents(r stagetest.Result) []typed {
	out := []typed{{span{0, math.MaxInt}, r.Meta["type"]}}
	for _, s := range r.Sections {
		for _, text := range []string{s.Title, s.Summary} {
			kind, _, ok := strings.Cut(text, ", ")
			if ok && s.Kind == stage.Exact && slices.Contains([]string{"json-array", "json-object", "ndjson", "yaml", "xml", "html"}, kind) {
				out = append(out, typed{span{s.Start, s.End}, kind})
			}
		}
	}
	return out
}

// innermost returns the smallest document in which a gap begins, and the end of
// the gap or of its part in that document.
func innermost(docs []typed, gap span) (doc typed, end int) {
	doc, end = docs[0], gap.end
	for _, d := range docs {
		for _, border := range []int{d.start, d.end} {
			if gap.start < border && border < end {
				end = border
			}
		}
		if d.start <= gap.start && gap.start < d.end && d.end-d.start <= doc.end-doc.start {
			doc = d
		}
	}
	return doc, end
}

// markup matches tags, processing instructions and document types.
var markup = regexp.MustCompile(`(?s)^(\s|</?[^\s<>!?/]([^<>"']|"[^"]*"|'[^']*')*>|<\?.*?\?>|<!(?i:doctype)\s.*>)*$`)

// bareYAML matches lines of dashes and one key, and document marks.
var bareYAML = regexp.MustCompile(`^(?:\s*(?:-\s+)*(?:(?:"[^"\\\n]*"|'[^'\n]*'|[^\s#"'{}\[\],:-][^\n#:"]*):|---|\.\.\.|-)?[ \t]*\r?(?:\n|$))*$`)

// structure reports whether a gap may be between leaves: white space, and in JSON
// punctuation and keys, in XML markup, in YAML keys and marks.
func structure(gap, kind string) bool {
	gap = strings.TrimPrefix(gap, "\ufeff")
	if slices.Contains([]string{"xml", "html", "vue", "svelte"}, kind) {
		return markup.MatchString(gap)
	}
	if kind == "yaml" {
		return bareYAML.MatchString(gap)
	}
	if !strings.HasPrefix(kind, "json") && kind != "ndjson" {
		return strings.TrimSpace(gap) == ""
	}
	for i := 0; i < len(gap); {
		if gap[i] == '"' {
			end, ok := scanjson.ScanString([]byte(gap), i)
			if rest := strings.TrimLeft(gap[end:], " \t\r\n"); !ok || !strings.HasPrefix(rest, ":") {
				return false
			}
			i = end
			continue
		}
		if strings.IndexByte(" \t\r\n{}[],:", gap[i]) < 0 {
			return false
		}
		i++
	}
	return true
}

func run1(input, config string) stagetest.Result {
	return stagetest.Run("section-split", stagetest.Call{Input: input, Config: config})
}

func corpus(t testing.TB, patterns ...string) map[string]string {
	t.Helper()
	docs := make(map[string]string)
	for _, p := range patterns {
		files, _ := filepath.Glob("../../../testdata/content/" + p)
		for _, f := range files {
			b, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			docs[filepath.Base(f)] = string(b)
		}
	}
	if len(docs) == 0 {
		t.Fatal("no corpus")
	}
	return docs
}

func TestLawsOnTheCorpus(t *testing.T) {
	oneLeaf := map[string]int{`{"leafSize":20000}`: 2 * 20000, `{"maxDepth":1}`: 2 * 3000} // maximum bytes of a text that may fit into one leaf and pass
	for name, text := range corpus(t, "*.json", "*.ndjson", "*.md*", "*.xml", "*.svg", "*.html", "*.yaml", "*.csv") {
		for _, config := range []string{`{}`, `{"leafSize":200,"maxLines":6}`, `{"leafSize":20000}`, `{"groupBy":"none"}`, `{"maxDepth":1}`, `{"splitOn":"blank-lines"}`} {
			if strings.HasSuffix(name, ".csv") {
				config = strings.Replace(config, `"maxDepth":1`, `"maxDepth":4`, 1) // groups count as levels
			}
			r := run1(text, config)
			checkLaws(t, name+" "+config, text, r)
			if len(text) > max(5000, oneLeaf[config]) && r.Outcome != stagetest.Done {
				t.Errorf("%s %s: %s", name, config, r.Outcome)
			}
		}
	}
}

// A configuration that changes during a session must not break ids in use.
func TestIDsDependOnlyOnContent(t *testing.T) {
	for name, text := range corpus(t, "*.json", "*.ndjson", "*.md*", "*.xml", "*.svg", "*.html", "*.yaml", "*.csv") {
		paths := make(map[span]string)
		for _, config := range []string{`{}`, `{"leafSize":500,"maxLines":5}`, `{"leafSize":9000,"maxLines":100}`, `{"groupBy":"none"}`, `{"groupBy":"type"}`} {
			r := run1(text, config)
			seen := make(map[span]bool) // a section and its only child may have the same bytes
			for i, p := range example.Paths(r.Sections) {
				s := r.Sections[i]
				at := span{s.Start, s.End}
				if s.Kind != stage.Exact || seen[at] {
					continue
				}
				seen[at] = true
				if known, ok := paths[at]; ok && known != p {
					t.Fatalf("%s %s: bytes %v are %q, before %q", name, config, at, p, known)
				}
				paths[at] = p
			}
		}
	}
}

// value returns a random JSON value.
func value(rnd *rand.Rand, depth int) any {
	switch n := rnd.IntN(9); {
	case n < 3 && depth > 0:
		list := make([]any, rnd.IntN(4<<depth))
		shared := rnd.IntN(2) == 0
		for i := range list {
			if list[i] = value(rnd, depth-1); shared {
				list[i] = map[string]any{"id": fmt.Sprint("n", i), "type": words[rnd.IntN(4)], "z": fmt.Sprint("n", rnd.IntN(i+1)/3), "v": list[i]}
			}
		}
		return list
	case n < 6 && depth > 0:
		object := make(map[string]any)
		for range rnd.IntN(4 << depth) {
			object[words[rnd.IntN(len(words))]+fmt.Sprint(rnd.IntN(90))] = value(rnd, depth-1)
		}
		return object
	case n < 7:
		return rnd.Float64() * 1e6
	}
	return strings.Repeat(words[rnd.IntN(len(words))], rnd.IntN(40))
}

var words = []string{"a.", "b/", "été ", "日本", "\"q\"", "back\\slash", "line\nbreak", "😀", "", "@x", "~y", "%z"}

func TestLawsOnRandomJSON(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 7))
	for i := range 400 {
		v := value(rnd, 3)
		text, err := json.Marshal(v)
		if i%2 == 0 {
			text, err = json.MarshalIndent(v, "", " \t")
		}
		if err != nil {
			t.Fatal(err)
		}
		config := fmt.Sprintf(`{"minSize":0,"leafSize":%d,"maxLines":%d,"maxDepth":%d}`, 100+rnd.IntN(600), 2+rnd.IntN(24), 1+rnd.IntN(6))
		checkLaws(t, fmt.Sprint("document ", i, " ", config), string(text), run1(string(text), config))
	}
}

func TestLawsOnRandomRecords(t *testing.T) {
	rnd := rand.New(rand.NewPCG(8, 8))
	for i := range 200 {
		var text strings.Builder
		for range 2 + rnd.IntN(60) {
			line, err := json.Marshal(map[string]any{"v": value(rnd, 2), "level": words[rnd.IntN(4)]})
			if err != nil {
				t.Fatal(err)
			}
			text.Write(line)
			text.WriteString([]string{"\n", "\r\n", "\n\n", "", " \n"}[rnd.IntN(5)])
		}
		config := fmt.Sprintf(`{"minSize":0,"leafSize":%d,"maxLines":%d}`, 100+rnd.IntN(600), 2+rnd.IntN(24))
		checkLaws(t, fmt.Sprint("document ", i, " ", config), text.String(), run1(text.String(), config))
	}
}

func TestLawsOnRandomMarkdown(t *testing.T) {
	rnd := rand.New(rand.NewPCG(9, 9))
	lines := []string{
		"# one", "## two", "### three", "###### six", "Title", "=====", "-----", "", "", "a line of text that goes on for a while, as text does",
		"```", "~~~", "- item", "> quote", "    code", "été 日本 😀", "<div>", "</div>", "---", "[x]: /y",
	}
	for i := range 500 {
		var text strings.Builder
		for range rnd.IntN(120) {
			text.WriteString(lines[rnd.IntN(len(lines))] + []string{"\n", "\n", "\r\n"}[rnd.IntN(3)])
		}
		for _, kind := range []string{"markdown", "prose"} {
			config := fmt.Sprintf(`{"minSize":0,"type":%q,"leafSize":%d,"minSectionSize":%d,"maxDepth":%d}`,
				kind, 100+rnd.IntN(900), rnd.IntN(2)*rnd.IntN(400), 1+rnd.IntN(6))
			checkLaws(t, fmt.Sprint("document ", i, " ", config), text.String(), run1(text.String(), config))
		}
	}
}

// The stage fails on no content, and its leaves join to the content.
func FuzzSplit(f *testing.F) {
	f.Add([]byte(`[{"id":"a","z":"b"},{"id":"b"}]`), 3)
	f.Add([]byte("# a\n\ntext\n## b\n```\n# c\n"), 9)
	f.Add([]byte("{\"a\":1}\n{\"a\":2}\n"), 5)
	f.Add([]byte(`{"a":"# one\n\ntext\n\n# two\n\ntext \ud83d\ude00","b":"[{\"c\":1},{\"c\":2}]"}`), 4)
	f.Add([]byte("# a\n\n```json\n[1,2]\n```\ntext\n"), 2)
	f.Add([]byte("found:\n{\"a\":[1,2,3]}\nmore\n"), 1)
	f.Fuzz(func(t *testing.T, b []byte, leaf int) {
		if !utf8.Valid(b) || len(b) > 1<<14 {
			t.Skip()
		}
		for _, kind := range []string{"auto", "markdown", "prose"} {
			config := fmt.Sprintf(`{"minSize":0,"leafSize":%d,"maxLines":3,"type":%q}`, 1+leaf&0xff, kind)
			r := run1(string(b), config)
			checkLaws(t, config, string(b), r)
			checkDecoded(t, config, string(b), r)
		}
	})
}
