package sectionsplit

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/plugins/src/internal/example"
	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
	"github.com/mcpctl/mcpctl/plugins/src/internal/part/parttest"
	"github.com/mcpctl/mcpctl/plugins/src/scan/detect"
	"github.com/mcpctl/mcpctl/sdk-go/stage"
	"github.com/mcpctl/mcpctl/sdk-go/stagetest"
)

// partsDoc is the document that the test role returns.
var partsDoc *part.Doc

func init() {
	stage.Register("test-parts", func(c *stage.Ctx) error {
		config, err := readConfig(c)
		if err != nil {
			return err
		}
		room := c.Limits().Sections
		j := &job{c: c, b: c.Input.Bytes(), batch: c.Sections.Batch(), config: config, room: &room, groupField: &requestedField{}, place: place{buf: c.Input, parent: stage.Top}}
		j.found.Type, j.found.Parts = "test", partsDoc
		o := splitParts(j)
		if _, err := c.Out.WriteString(o.header); err != nil {
			return err
		}
		return errors.Join(o.addSections(), j.batch.Flush())
	})
}

// splitInto runs the test role with parts named by lines of id, title and hint.
func splitInto(text, config string, parts []part.Part, names ...string) stagetest.Result {
	partsDoc = &part.Doc{Count: "2 things", Lines: []string{"columns: a b"}, Parts: parts, Name: func(i int, n *part.Name) {
		words := append(strings.Fields(names[i]), "", "", "")
		n.ID, n.Title, n.Hint = append(n.ID, words[0]...), append(n.Title, words[1]...), append(n.Hint, words[2]...)
		if words[1] == "summed" {
			n.Summary = append(n.Summary, "what it is"...)
		}
	}}
	return stagetest.Run("test-parts", stagetest.Call{Input: text, Config: config})
}

// listed returns the sections as "path kind start-end".
func listed(r stagetest.Result) (out []string) {
	for i, path := range example.Paths(r.Sections) {
		s := r.Sections[i]
		kind := map[stage.SectionKind]string{stage.Exact: "", stage.Group: "group ", stage.Decoded: "decoded "}[s.Kind]
		out = append(out, fmt.Sprintf("%s %s%d-%d", path, kind, s.Start, s.End))
	}
	return out
}

func TestPartsBecomeSections(t *testing.T) {
	text := strings.Repeat("0123456789", 20)
	r := splitInto(text, `{"leafSize":50}`, []part.Part{
		{Parent: -1, Kind: part.Group}, {Start: 0, End: 40, Parent: 0}, {Start: 100, End: 200, Parent: 0}, {Start: 100, End: 120, Parent: 2},
		{Start: 40, End: 100, Parent: -1, Kind: part.Record}, {Start: 40, End: 50, Parent: 4},
	}, "kind=a Ages", "one One", "two summed", "deep Deep", "record Record", "hidden Hidden")
	want := []string{"@kind=a group 0-0", "one 0-40", "two 100-200", "two/deep 100-120", "record 40-100"}
	if got := listed(r); r.Outcome != stagetest.Done || !slices.Equal(got, want) {
		t.Errorf("%s %s: %q, want %q", r.Outcome, r.Reason, got, want)
	}
	if want := "test, 2 things, 200 bytes\ncolumns: a b\n"; r.Output != want {
		t.Errorf("output %q, want %q", r.Output, want)
	}
	if s := r.Sections[2].Summary; s != "what it is" {
		t.Errorf("summary %q", s)
	}
}

// A nested document is split by its own type, with offsets in the whole content.
func TestTextInsideIsSplitByItsType(t *testing.T) {
	inner := `{"list":[` + strings.Repeat(`{"v":1},`, 30) + `{}],"last":"` + strings.Repeat("x", 300) + `"}`
	text := "before\n" + inner + "\nafter\n"
	end := int32(len("before\n") + len(inner))
	r := splitInto(text, `{"leafSize":200}`, []part.Part{
		{Start: 0, End: 7, Parent: -1}, {Start: 7, End: end, Parent: -1, Kind: part.Text}, {Start: end, End: int32(len(text)), Parent: -1},
	}, "head Head", "json JSON x.json", "text after")
	got := listed(r)
	if len(got) != 3+2+31 || got[2] != "json/list 15-259" || !strings.HasPrefix(got[len(got)-1], "text ") {
		t.Errorf("%d sections %q", len(got), got)
	}
	if s := r.Sections[1]; s.Title != "json-object, 2 keys: JSON" || s.Summary != "" {
		t.Errorf("%q: %q", s.Title, s.Summary)
	}
	for _, s := range r.Sections {
		if s.ID == "last" && text[s.Start:s.Start+2] != `"x` {
			t.Errorf("last is %q", text[s.Start:s.End])
		}
	}
}

func TestLiteralIsDecodedAndSplit(t *testing.T) {
	markdown := "# One\n\n" + strings.Repeat("Some \"quoted\" text that goes on.\n", 10) + "\n# Two\n\n" + strings.Repeat("More text, é.\n", 20)
	literal, err := json.Marshal(markdown)
	if err != nil {
		t.Fatal(err)
	}
	text := "key: " + string(literal)
	r := splitInto(text, `{"leafSize":200}`, []part.Part{{Start: 5, End: int32(len(text)), Parent: -1, Kind: part.Literal}}, "body Body x.md")
	two := strings.Index(markdown, "# Two")
	want := []string{fmt.Sprintf("body 5-%d", len(text)), fmt.Sprintf("body/one decoded 0-%d", two), fmt.Sprintf("body/two decoded %d-%d", two, len(markdown))}
	if got := listed(r); !slices.Equal(got, want) {
		t.Errorf("%s %q, want %q", r.Reason, got, want)
	}
}

func TestDocumentsInsideStayWithinTheLimits(t *testing.T) {
	inner := "[" + strings.Repeat("12345,", 100) + "1]"
	whole := part.Part{Start: 0, End: int32(len(inner)), Parent: -1, Kind: part.Text}
	for config, sections := range map[string]int{`{"leafSize":100}`: 102, `{"leafSize":100,"maxDepth":1}`: 1, `{"leafSize":10000}`: 1} {
		if r := splitInto(inner, config, []part.Part{whole}, "all All"); len(r.Sections) != sections || r.Outcome != stagetest.Done {
			t.Errorf("%s: %s %s, %d sections, want %d", config, r.Outcome, r.Reason, len(r.Sections), sections)
		}
	}
	partsDoc.Parts = []part.Part{whole}
	call := stagetest.Call{Input: inner, Config: `{"leafSize":100}`}
	call.Context.Limits.Sections = 50
	if r := stagetest.Run("test-parts", call); r.Outcome != stagetest.Done || len(r.Sections) != 1 {
		t.Errorf("limit 50: %s %s, %d sections", r.Outcome, r.Reason, len(r.Sections))
	}
}

func TestPiecesOfProseAreValidParts(t *testing.T) {
	for name, text := range corpus(t, "*.md", "*.mdx") {
		b := []byte(text)
		found := detect.Detect(b, detect.Options{})
		if found.Doc == nil || len(found.Doc.Headings) == 0 {
			t.Errorf("%s: %s", name, found.Type)
			continue
		}
		for _, leaf := range []int{100, 3000} {
			parttest.Check(t, b, newDoc(b, found.Doc, splitHeadings(b, found.Doc, config{leafSize: leaf, maxDepth: 64}), "headings"), nil)
		}
		parttest.Check(t, b, newDoc(b, found.Doc, splitParagraphs(b, found.Doc), "paragraphs"), nil)
	}
}

// Old spreadsheets end lines with CR. Their rows have the ids of those that end with LF.
func TestRowsThatEndWithCR(t *testing.T) {
	text := "id,kind,note\n" + strings.Repeat("1,a,some words\n2,b,\"other, words\"\n", 200)
	want, got := run1(text, `{}`), run1(strings.ReplaceAll(text, "\n", "\r"), `{}`)
	checkLaws(t, "CR", strings.ReplaceAll(text, "\n", "\r"), got)
	if got.Meta["type"] != "csv" || !slices.Equal(example.Paths(got.Sections), example.Paths(want.Sections)) {
		t.Errorf("%s: %.400q", got.Meta["type"], example.Paths(got.Sections))
	}
}
