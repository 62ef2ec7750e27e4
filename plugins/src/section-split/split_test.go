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

// top returns the ids and titles of the top level.
func top(r stagetest.Result) []string {
	var out []string
	for _, s := range r.Sections {
		if s.Parent == stage.Top {
			out = append(out, "["+s.ID+"] "+s.Title)
		}
	}
	return out
}

func TestNodesAreGroupedByTheirTab(t *testing.T) {
	r := run1(corpus(t, "ja-flows-atltvhead.json")["ja-flows-atltvhead.json"], `{}`)
	want := "json-array, 384 objects, 115095 bytes, grouped by z\n" +
		"fields: id text unique | type text 44 values | name text 62% | z id of a tab, 365 of 384 | x int 75..1750 95% | y int 20..2820 95% | wires array 95%\n"
	if r.Output != want {
		t.Errorf("output\n%swant\n%s", r.Output, want)
	}
	lines := top(r)
	if len(lines) != 11 ||
		lines[0] != "[@z=7805686.aa4fd98] GLOVE_FLOW: 66 nodes: link out 37, comment 5, switch 5, ui_text 5" ||
		lines[10] != "[@z=] no tab: 9 nodes: socketio-config 1, mqtt-broker 1, obs-instance 1, ui_base 1" {
		t.Errorf("lines\n%s", strings.Join(lines, "\n"))
	}
	for i, s := range r.Sections { // the tab is first in its group and keeps its path
		if s.ID == "@z=7805686.aa4fd98" {
			if head := r.Sections[i+1]; head.ID != "7805686.aa4fd98" || head.Parent != i || example.Paths(r.Sections)[i+1] != head.ID {
				t.Errorf("group is led by %+v", head)
			}
		}
	}
}

func TestUnresolvedReferenceDoesNotGroup(t *testing.T) {
	r := run1(corpus(t, "ja-flows-dash-charts.json")["ja-flows-dash-charts.json"], `{"maxLines":8}`)
	if strings.Contains(r.Output, "grouped by z") {
		t.Error(r.Output)
	}
}

func TestContentThatPasses(t *testing.T) {
	for rule, c := range map[string]stagetest.Call{
		"smaller than minSize":             {Input: `[` + strings.Repeat("1,", 2000) + `1]`},
		"smaller than a set minSize":       {Input: strings.Repeat("{}\n", 3000), Config: `{"minSize":10000}`},
		"not UTF-8":                        {Input: strings.Repeat("text \xff", 2000)},
		"UTF-16":                           {Input: strings.Repeat("a\x00", 5000)},
		"an index would not be much less":  {Input: "[" + strings.Repeat(`{"id":"a-rather-long-name-of-it","name":"and a title that is long as well"},`, 2) + "{}]", Config: `{"minSize":0}`},
		"all in one section":               {Input: "# One\n\n" + strings.Repeat("A sentence of a few words that stands below it, and [a link](https://example.com).\n\n", 65)},
		"sections of another stage":        {Input: strings.Repeat("{}\n", 3000), Sections: []stagetest.Section{{Parent: -1, Start: 0, End: 3, ID: "a", Title: "a"}}},
		"empty":                            {},
		"empty, without a least size":      {Config: `{"minSize":0}`},
		"a single value of no known shape": {Input: "12", Config: `{"minSize":0}`},
	} {
		r := stagetest.Run("section-split", c)
		if r.Outcome != stagetest.Pass || len(r.Sections) != len(c.Sections) {
			t.Errorf("%s: %s with %d sections %s", rule, r.Outcome, len(r.Sections), r.Reason)
		}
	}
}

// An index with one section for nearly all of the text pays only if the section is
// too large to be served whole.
func TestSingleSectionIsIndexedIfServedInWindows(t *testing.T) {
	r := run1("# One\n\n"+strings.Repeat("A sentence of a few words that stands below it, and [a link](https://example.com).\n\n", 100), `{}`)
	if r.Outcome != stagetest.Done || len(r.Sections) != 1 {
		t.Errorf("%s, %d sections", r.Outcome, len(r.Sections))
	}
}

func TestTypesWithoutSplitterAreServedInWindows(t *testing.T) {
	text := strings.Repeat("user nobody\nworkers 4\nlog off\n", 400)
	r := run1(text, `{}`)
	if r.Outcome != stagetest.Done || len(r.Sections) != 0 || len(r.Marks) != 1 || !strings.HasPrefix(r.Output, "text, ") {
		t.Errorf("%s %d sections %q", r.Outcome, len(r.Sections), r.Output)
	}
}

func TestDocumentsOfUnusualShape(t *testing.T) {
	big := strings.Repeat("x", 2_000_000)
	for _, c := range []struct {
		rule, text string
		kind       string
		sections   int
	}{
		{"array of 40,000", "[" + strings.Repeat(`{"v":1},`, 39_999) + `{"v":1}]`, "json-array", 40_000},
		{"array of more than can be named", "[" + strings.Repeat("1,", 99_999) + "1]", "json-array", 0},
		{"depth 100,000", strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000), "json-array", 64},
		{"string of 2 MB in an object", `{"s":"` + big + `"}`, "json-object", 1},
		{"string of 2 MB alone", `"` + big + `"`, "json-scalar", 0},
		{"duplicate, empty and odd keys", `{"a":1,"a":2,"":3,"@b":4,"~c":5,"d/e":6,"` + strings.Repeat("k", 20_000) + `":7}`, "json-object", 7},
		{"BOM", "\ufeff" + `[` + strings.Repeat(`"text text text",`, 500) + `1]`, "json-array", 501},
		{"CRLF", strings.ReplaceAll(strings.Repeat("{\"a\":1}\n", 900), "\n", "\r\n"), "ndjson", 900},
	} {
		r := run1(c.text, `{"groupBy":"none"}`)
		checkLaws(t, c.rule, c.text, r)
		if r.Outcome != stagetest.Done || len(r.Sections) != c.sections || r.Meta["type"] != c.kind {
			t.Errorf("%s: %s, %s, %d sections, want %s and %d", c.rule, r.Outcome, r.Meta["type"], len(r.Sections), c.kind, c.sections)
		}
	}
}

func TestIDsOfKeysAndElements(t *testing.T) {
	text := `{"a":[{"id":"x1"},{"id":"7"},{"id":"x1"},{"name":"n"},{"key":"k","id":"` + strings.Repeat("l", 41) + `"},{"title":"t"},5],` +
		`"b c":1,"a":2,"":3,"\u00e9\"":"` + strings.Repeat("x", 9000) + `"}`
	r := run1(text, `{"leafSize":10}`)
	want := []string{"a", "b%20c", "a-2", "3", "é\"", "a/0", "a/1", "a/2", "a/n", "a/k", "a/t", "a/6", "a/k/key", "a/k/id"}
	if got := example.Paths(r.Sections); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestTitles(t *testing.T) {
	text := `{"short":"value","n":-1.5e3,"yes":true,"nothing":null,"empty":"","list":[1,2],"one":{"a":1},"none":{},` +
		`"lines":"first\nsecond\tthird","long":"` + strings.Repeat("word ", 2000) + `"}`
	r := run1(text, `{}`)
	want := []string{
		"short: value", "n: -1.5e3", "yes: true", "nothing: null", `empty: ""`, "list: array, 2 items", "one: object, 1 key", "none: object, 0 keys",
		"lines: first second third", "long: word word word word word word word word word word word word word word w...",
	}
	for i, s := range r.Sections {
		if s.Title != want[i] {
			t.Errorf("%q, want %q", s.Title, want[i])
		}
	}
}

func TestConfig(t *testing.T) {
	flows := corpus(t, "ja-flows-atltvhead.json")["ja-flows-atltvhead.json"]
	prose := strings.Repeat(strings.Repeat("A sentence of a text that has no headings at all. ", 5)+"\n\n", 60)
	guide := corpus(t, "p-18f-infra.md")["p-18f-infra.md"]
	services, kinds := "", ""
	for i := range 60 {
		services += fmt.Sprintf("- name: service-%d\n  tier: %q\n  notes: %s\n", i, []string{"web", "data", "edge"}[i%3], strings.Repeat("text ", 20))
		kinds += fmt.Sprintf("---\nkind: %s\nnotes: %s\n", []string{"Service", "Secret"}[i%2], strings.Repeat("text ", 20))
	}
	for _, c := range []struct {
		rule, text, config string
		check              func(stagetest.Result) bool
	}{
		{"groupBy names a field", flows, `{"groupBy":"type"}`, func(r stagetest.Result) bool { return strings.Contains(r.Output, "grouped by type\n") }},
		{"groupBy none", flows, `{"groupBy":"none"}`, func(r stagetest.Result) bool { return len(r.Sections) == 384 }},
		{"groupBy names no field", flows, `{"groupBy":"nothing"}`, func(r stagetest.Result) bool {
			return same(r, run1(flows, `{}`)) && len(r.Log) == 1 && r.Log[0].Text == "no elements have the field to group by, grouped as by auto groupBy=nothing"
		}},
		{"groupBy none in a text of documents", kinds, `{"groupBy":"none"}`, func(r stagetest.Result) bool {
			return strings.Contains(run1(kinds, `{}`).Output, ", grouped by kind,") && !strings.Contains(r.Output, "grouped by")
		}},
		{"groupBy names a field in a text", services, `{"groupBy":"tier"}`, func(r stagetest.Result) bool {
			return strings.Contains(r.Output, "grouped by tier, ") && len(r.Log) == 0
		}},
		{"maxSectionSize is leafSize", guide, `{"leafSize":3000,"maxSectionSize":50000}`, func(r stagetest.Result) bool { return same(r, run1(guide, `{"leafSize":50000}`)) }},
		{"leafSize splits", guide, `{"leafSize":500}`, func(r stagetest.Result) bool { return len(r.Sections) > len(run1(guide, `{}`).Sections) }},
		{"maxDepth bounds levels", guide, `{"maxDepth":1}`, func(r stagetest.Result) bool { return len(top(r)) == len(r.Sections) }},
		{"type is forced", guide, `{"type":"prose"}`, func(r stagetest.Result) bool { return r.Meta["type"] == "prose" }},
		{"forced type that fails", guide, `{"type":"json"}`, func(r stagetest.Result) bool { return r.Meta["type"] == "text" && len(r.Sections) == 0 }},
		{"paragraphs", prose, `{}`, func(r stagetest.Result) bool { return len(r.Sections) == 60 && r.Sections[1].ID == "L3" }},
		{"splitOn headers without headings", prose, `{"splitOn":"headers"}`, func(r stagetest.Result) bool { return len(r.Sections) == 0 }},
		{"splitOn blank-lines with headings", guide, `{"splitOn":"blank-lines"}`, func(r stagetest.Result) bool { return strings.Contains(r.Output, " paragraphs, ") }},
		{"minSectionSize joins neighbours", prose, `{"minSectionSize":1000}`, func(r stagetest.Result) bool { return len(r.Sections) == 15 }},
		{"maxLines 2", flows, `{"maxLines":2}`, func(r stagetest.Result) bool { return r.Outcome == stagetest.Done }},
	} {
		if r := run1(c.text, c.config); r.Outcome != stagetest.Done || !c.check(r) {
			t.Errorf("%s: %s %d sections %.200q", c.rule, r.Outcome, len(r.Sections), r.Output)
		}
	}
	for _, config := range []string{`{"leafSize":0}`, `{"maxLines":1}`, `{"maxDepth":0}`, `{"maxLines":"many"}`} {
		if r := run1(guide, config); r.Outcome != stagetest.Fail {
			t.Errorf("config %s: %s", config, r.Outcome)
		}
	}
}

func same(a, b stagetest.Result) bool {
	return slices.EqualFunc(a.Sections, b.Sections, func(x, y stagetest.Section) bool { return x.Start == y.Start && x.End == y.End && x.ID == y.ID })
}

func TestSectionsStayWithinTheLimit(t *testing.T) {
	rows := make([]map[string]any, 500)
	for i := range rows {
		rows[i] = map[string]any{"id": fmt.Sprint("n", i), "parentId": fmt.Sprint("n", i/3), "text": strings.Repeat("x", 100), "more": []int{1, 2, 3}}
	}
	text, err := json.Marshal(rows)
	if err != nil {
		t.Fatal(err)
	}
	for _, most := range []int{1, 100, 500, 505, 600, 700, 2600} {
		call := stagetest.Call{Input: string(text), Config: `{"leafSize":20}`}
		call.Context.Limits.Sections = most
		r := stagetest.Run("section-split", call)
		checkLaws(t, fmt.Sprint("limit ", most), string(text), r)
		if len(r.Sections) > most || r.Outcome != stagetest.Done {
			t.Errorf("limit %d: %s, %d sections", most, r.Outcome, len(r.Sections))
		}
	}
}

func TestSchemaOfNestedArrayIsItsSummary(t *testing.T) {
	text := `{"meta":1,"items":[` + strings.Repeat(`{"kind":"a","size":3,"text":"some words to fill the record"},`, 200) + `{}]}`
	r := run1(text, `{}`)
	if s := r.Sections[1]; s.ID != "items" || s.Summary != "fields: kind text a 99% | size int 3 99% | text text 99%" {
		t.Errorf("%q: %q", s.ID, s.Summary)
	}
}
