package sectionsplit

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/plugins/src/internal/example"
	"github.com/mcpctl/mcpctl/sdk-go/stage"
	"github.com/mcpctl/mcpctl/sdk-go/stagetest"
)

const fox = "The quick brown fox jumps over the lazy dog, and \"nobody\" minds that at all.\n"

// handbook is Markdown, tasks is JSON whose elements are grouped, services is YAML and source is Go.
var (
	handbook = "# Setup\n\n" + strings.Repeat(fox, 60) + "\n# Use\n\n" + strings.Repeat(fox, 60)
	tasks    = `[` + strings.Repeat(`{"type":"a","note":"short"},{"type":"b","note":"other"},`, 80) + `{"type":"c"}]`
	services = strings.Repeat("- name: web\n  replicas: 3\n  image: registry/web:1\n", 100)
	source   = "package a\n\n" + strings.Repeat("// F does it.\nfunc F(x int) int {\n\treturn x + 1\n}\n\n", 200)
)

// quoted returns text as a JSON literal.
func quoted(text string) string {
	b, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return string(b)
}

func TestDocumentsInStringsAreSplit(t *testing.T) {
	for _, c := range []struct {
		rule, text, hint string
		path, title      string // of the section of the literal
		first            string // the first section inside
	}{
		{"Markdown in a member", `{"n":1,"body":` + quoted(handbook) + `}`, "", "body", "body: markdown, 2 headings: Setup, Use", "body/setup decoded"},
		{"Markdown in an element", `[1,` + quoted(handbook) + `,` + quoted(handbook) + `]`, "", "1", "markdown, 2 headings: Setup, Use", "1/setup decoded"},
		{"JSON with grouped elements", `{"out":` + quoted(tasks) + `}`, "", "out", "out: json-array, 161 objects", "out/@type=a group"},
		{"in a record of NDJSON", `{"a":1}` + "\n" + `{"body":` + quoted(handbook) + `}` + "\n", "", "L2/body", "body: markdown, 2 headings: Setup, Use", "L2/body/setup decoded"},
		{"all of the content", " " + quoted(handbook) + "\n", "", "text", "markdown, 2 headings: Setup, Use", "text/setup decoded"},
		{"code, typed by the file name in the call", `{"content":` + quoted(source) + `}`, "/srv/a.go", "content", "content: code, ", "content/"},
		{"code, typed by a file name in its object", `{"files":[{"path":"a.go","text":` + quoted(source) + `},{"path":"b.go","text":` + quoted(source) + `}]}`, "", "files/0/text", "text: code, ", "files/0/text/"},
		{"code, typed by a media type in its object", `{"mimeType":"text/x-go","text":` + quoted(source) + `}`, "", "text", "text: code, ", "text/"},
		{"code, typed by its key", `{"a.go":` + quoted(source) + `,"b.go":` + quoted(source) + `}`, "", "a.go", "a.go: code, ", "a.go/"},
		{"YAML, typed by the key of its object", `{"c.yaml":{"n":1,"content":` + quoted(services) + `},"d.yaml":{}}`, "", "c.yaml/content", "content: yaml, ", "c.yaml/content/"},
	} {
		r := stagetest.Run("section-split", stagetest.Call{Input: c.text, Context: stagetest.Context{Hint: c.hint}})
		checkLaws(t, c.rule, c.text, r)
		checkDecoded(t, c.rule, c.text, r)
		paths := listed(r)
		at := slices.IndexFunc(paths, func(s string) bool { return strings.HasPrefix(s, c.path+" ") })
		if at < 0 || at+1 == len(paths) {
			t.Errorf("%s: no section %s, or nothing in it: %.400q", c.rule, c.path, paths)
			continue
		}
		if s := r.Sections[at]; !strings.HasPrefix(s.Title, c.title) || s.Text[0] != '"' {
			t.Errorf("%s: %q, want %q", c.rule, s.Title, c.title)
		}
		if !strings.HasPrefix(paths[at+1], c.first) {
			t.Errorf("%s: first in it is %s, want %s", c.rule, paths[at+1], c.first)
		}
	}
}

func TestStringsThatStayLeaves(t *testing.T) {
	for rule, text := range map[string]string{
		"half of a surrogate pair":   `{"n":1,"body":` + quoted(handbook)[:len(quoted(handbook))-1] + `\ud800"}`,
		"one paragraph":              `{"n":1,"body":"` + strings.Repeat("a word and another ", 400) + `"}`,
		"nothing is known of it":     `{"n":1,"body":"` + strings.Repeat("QUJDRA", 900) + `"}`,
		"up to the size of a leaf":   `{"n":1,"body":` + quoted(handbook[:2500]) + `,"rest":"` + strings.Repeat("x", 6000) + `"}`,
		"more parts than have names": `{"n":1,"body":` + quoted("["+strings.Repeat("1,", 70000)+"1]") + `}`,
	} {
		r := run1(text, `{}`)
		checkLaws(t, rule, text, r)
		if i := slices.IndexFunc(r.Sections, func(s stagetest.Section) bool { return s.Kind == stage.Decoded }); i >= 0 || r.Outcome != stagetest.Done {
			t.Errorf("%s: %s with decoded sections", rule, r.Outcome)
		}
	}
}

// A long string with escapes, but without parts, is served in windows of its decoded text.
func TestLongStringsAreDecoded(t *testing.T) {
	lines := strings.Repeat("one \"quoted\" word after the other\n", 300)
	for rule, c := range map[string]struct{ text, path, title string }{
		"in an object": {`{"n":1,"output":` + quoted(lines) + `}`, "output/text", `300 lines: one "quoted" word`},
		"alone":        {quoted(lines), "text/text", `300 lines: one "quoted" word`},
	} {
		r := run1(c.text, `{}`)
		checkLaws(t, rule, c.text, r)
		checkDecoded(t, rule, c.text, r)
		at := slices.Index(example.Paths(r.Sections), c.path)
		if at < 0 || r.Sections[at].Text != lines || !strings.HasPrefix(r.Sections[at].Title, c.title) {
			t.Errorf("%s: no section %s with the text: %.400q", rule, c.path, listed(r))
		}
	}
}

// A string inside a decoded string stays a leaf: the host serves decoded strings
// of the content only.
func TestStringInDecodedStringStaysLeaf(t *testing.T) {
	inner := `{"list":[1,2],"body":` + quoted(handbook) + `}`
	r := run1(`{"result":`+quoted(inner)+`}`, `{}`)
	want := []string{"result", "result/list", "result/body"}
	if got := example.Paths(r.Sections); r.Outcome != stagetest.Done || !slices.Equal(got, want) {
		t.Errorf("%s %s: %q, want %q", r.Outcome, r.Reason, got, want)
	}
}

// The file name in the call describes the whole text, not each string in it.
func TestFileNameOfCallAppliesOnlyToDominatingString(t *testing.T) {
	small := `{"content":` + quoted(source) + `,"log":` + quoted(strings.Repeat("0123456789abcdef ", 2000)) + `}`
	r := stagetest.Run("section-split", stagetest.Call{Input: small, Context: stagetest.Context{Hint: "a.toml"}})
	if s := r.Sections[0]; !strings.HasPrefix(s.Title, "content: code, ") {
		t.Errorf("the name of another file hides what the string is: %q", s.Title)
	}
}

func TestIndexOfSingleString(t *testing.T) {
	r := run1(quoted(handbook), `{}`)
	if want := fmt.Sprintf("json-scalar, markdown, 2 headings, %d bytes\n", len(quoted(handbook))); r.Output != want {
		t.Errorf("%q, want %q", r.Output, want)
	}
	if s := r.Sections[0]; s.Start != 0 || s.End != len(quoted(handbook)) || s.Title != "markdown, 2 headings: Setup, Use" || s.Summary != "" {
		t.Errorf("%+v", s)
	}
}

// checkDecoded fails if leaves inside a string overlap, or the text between them
// is more than white space or JSON structure.
func checkDecoded(t *testing.T, name, input string, r stagetest.Result) {
	t.Helper()
	inner := make(map[int]bool)
	byLiteral := make(map[stage.Span][]span)
	for i := len(r.Sections) - 1; i >= 0; i-- {
		s := r.Sections[i]
		if s.Kind == stage.Decoded && !inner[i] {
			byLiteral[s.Literal] = append(byLiteral[s.Literal], span{s.Start, s.End})
		}
		if s.Kind == stage.Decoded || inner[i] {
			inner[s.Parent] = true
		}
	}
	for literal, leaves := range byLiteral {
		var text string
		if err := json.Unmarshal([]byte(input[literal.Start:literal.End]), &text); err != nil {
			t.Fatal(err)
		}
		kind := "text"
		if json.Valid([]byte(text)) {
			kind = "json"
		}
		slices.SortFunc(leaves, func(a, b span) int { return a.start - b.start })
		at := 0
		for _, l := range append(leaves, span{len(text), len(text)}) {
			if l.start < at {
				t.Fatalf("%s: leaf at %d begins before %d", name, l.start, at)
			}
			if gap := text[at:l.start]; !structure(gap, kind) && !structure(gap, "yaml") {
				t.Fatalf("%s: %.80q before byte %d of the string is in no leaf", name, gap, l.start)
			}
			at = l.end
		}
	}
}

// The index of an object with one large text describes that text, so a model
// needs no extra call.
func TestIndexOfWrapperDescribesItsText(t *testing.T) {
	r := run1(`{"content":`+quoted(tasks)+`}`, `{}`)
	if want := fmt.Sprintf("json-object, 1 key, %d bytes\njson-array, 161 objects, %d bytes, grouped by type\nfields: type text a/b/c | note text short/other 99%%\n", len(quoted(tasks))+len(`{"content":}`), len(tasks)); r.Output != want {
		t.Errorf("%q, want %q", r.Output, want)
	}
}
