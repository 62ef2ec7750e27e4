package detect

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
	"github.com/mcpctl/mcpctl/plugins/src/internal/part/parttest"
)

// rows returns a JSON array of n objects on one line.
func rows(n int) string {
	return "[" + strings.Repeat(`{"id":1,"name":"one of them"},`, n-1) + `{"id":2}]`
}

func TestMixed(t *testing.T) {
	long := strings.Repeat(foxes, 30)
	for _, c := range []struct {
		rule, text string
		want       []string // parts: id and start of the title, or of the text of JSON
	}{
		{"JSON then a remark", rows(40) + "\nShowing 40 of 7698 rows.\nAsk for more.\n", []string{"json", "text Showing 40 of 7698 rows."}},
		{"a remark on the same line", rows(40) + " (40 of 7698 rows)", []string{"json", "text (40 of 7698 rows)"}},
		{"text then JSON", "Found these:\n\n" + rows(40) + "\n", []string{"text Found these:", "json"}},
		{"text, JSON, text", "Found:\n" + rows(40) + "\nThat is all.", []string{"text Found:", "json", "text That is all."}},
		{"two results with their titles", "Cats\n" + rows(9) + "\nDogs\n" + rows(9) + "\n", []string{"text Cats", "json", "text Dogs", "json"}},
		{"records then a remark", rows(9) + "\n" + rows(9) + "\n2 rows\n", []string{"json", "text 2 rows"}},
		{"indented JSON", "Found:\n  {\n    \"a\": [\n      1\n    ]\n  }\n", []string{"text Found:", "json"}},
		{"fenced JSON without headings", "Here it is:\n```json\n" + rows(40) + "\n```\n", []string{"text Here it is:", "json", "text ```"}},
		{"another fence", "The result:\n```json\n" + rows(40) + "\n```\n\nAnd the config:\n\n```yaml\n" + strings.Repeat("a: b\n", 300) + "```\nBye.\n",
			[]string{"text The result:", "json", "text And the config:", "code yaml: a: b", "text Bye."}},
		{"another fence, before", "The config:\n~~~\n" + strings.Repeat("a: b\n", 300) + "~~~\n\n" + rows(90),
			[]string{"text The config:", "code a: b", "text ~~~", "json"}},
		{"a small fence is text", "The result:\n```json\n" + rows(40) + "\n```\n\nTry:\n\n```sh\nls\n```\n", []string{"text The result:", "json", "text Try:"}},
		{"headings above JSON", "# Rows\n\n" + rows(40) + "\n", []string{"text # Rows", "json"}},
		{"BOM", "\ufeff" + rows(9) + "\nAll of them.\n", []string{"json", "text All of them."}},
		{"CRLF", rows(9) + "\r\n\r\nAll of them.\r\n", []string{"json", "text All of them."}},
		{"text that begins with a bracket", "[note] the rows\n" + rows(9), []string{"text [note] the rows", "json"}},
		{"much text after JSON", rows(12) + "\n" + long, []string{"json", "text The quick"}},

		{"references are no JSON", "See below.\n[1] A book\n[2] Another\n" + long, nil},
		{"much text before JSON", long + rows(9), nil},
		{"a document with an example", "# Name\n\n" + long + "\n" + rows(50) + "\n", nil},
		{"a document that is mostly JSON in a fence", "# Rows\n\n```json\n" + rows(90) + "\n```\n", nil},
		{"JSON in markup", "<script>\n" + rows(40) + "\n</script>\n", nil},
		{"JSON as part of a line", "Found: " + rows(40) + "\n", nil},
		{"JSON with something glued to it", rows(40) + ";\nx()\n", nil},
		{"a log that quotes JSON", strings.Repeat("started\n"+rows(3)+"\n", 40), nil},
		{"JSON that is cut off, and a remark", rows(40)[:600] + "\n... cut\n", nil},
	} {
		r, ok := proveMixed(&survey{b: []byte(c.text)}, options)
		if ok != (c.want != nil) {
			t.Errorf("%s: %t", c.rule, ok)
			continue
		}
		if !ok {
			continue
		}
		parttest.Check(t, []byte(c.text), r.Parts, func(gap []byte) bool {
			return strings.TrimSpace(strings.TrimPrefix(string(gap), "\ufeff")) == ""
		})
		var got []string
		for i := range r.Parts.Parts {
			var n part.Name
			r.Parts.Name(i, &n)
			got = append(got, fmt.Sprintf("%s %s", n.ID, n.Title))
		}
		if !slices.EqualFunc(got, c.want, strings.HasPrefix) {
			t.Errorf("%s: %q, want %q", c.rule, got, c.want)
		}
		if found := Detect([]byte(c.text), options).Type; found != Mixed {
			t.Errorf("%s: %s", c.rule, found)
		}
	}
}

// The search for values reads any text twice at most.
func TestMixedIsLinear(t *testing.T) {
	for _, text := range []string{
		strings.Repeat("[\n", 100_000), strings.Repeat("{\"a\":\n", 50_000), "x\n" + strings.Repeat("[1,2,\n", 50_000), strings.Repeat("[]\nx\n", 50_000),
	} {
		if _, ok := proveMixed(&survey{b: []byte(text)}, options); ok {
			t.Errorf("%.20q is mixed", text)
		}
	}
}

func TestConfidence(t *testing.T) {
	markdown := "# Name\n\n" + strings.Repeat(foxes, 8)
	for _, c := range []struct {
		rule, text, hint string
		force            Type
		want             Confidence
	}{
		{"a parse", "[1]", "", "", Certain},
		{"a count of lines", markdown, "", "", Likely},
		{"a count and the name of the file", markdown, "a.md", "", Certain},
		{"a count and another name", markdown, "a.json", "", Likely},
		{"the config", markdown, "", Markdown, Forced},
		{"nothing", "12", "", "", None},
		{"the config, in vain", "12", "", Markdown, None},
		{"not text", "\xff", "", "", Certain},
	} {
		o := options
		o.Hint, o.Force = c.hint, c.force
		if got := Detect([]byte(c.text), o); got.Confidence != c.want {
			t.Errorf("%s: %s is %s, want %s", c.rule, got.Type, got.Confidence, c.want)
		}
	}
}
