package prompt

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/host/object"
)

// prompts returns Prompts of the project home. specs is pairs of a name and the YAML of
// a spec.
func prompts(t testing.TB, specs ...string) []*object.Prompt {
	t.Helper()
	var list []*object.Prompt
	for i := 0; i < len(specs); i += 2 {
		objects, _, err := object.Decode("t.yaml", []byte("kind: Prompt\nmetadata: {name: "+specs[i]+", project: home}\nspec: "+specs[i+1]+"\n"))
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, objects[0].(*object.Prompt))
	}
	return list
}

func noRefs(Entry) string { return "" }

// Prompts are sorted by priority, then name. The array is that of docs/abi.md.
func TestPriorityOrdering(t *testing.T) {
	x := NewIndex(nil, prompts(t, "b", "{content: \"B says. More.\"}", "a", "{content: A}", "low", "{content: x, priority: 1}",
		"top", "{content: \"# Rules\\n\\nObey.\", priority: 10}"), Sources{})
	var names []string
	for _, e := range x.Entries() {
		names = append(names, e.Name)
	}
	if want := []string{"top", "a", "b", "low"}; !slices.Equal(names, want) {
		t.Errorf("order %v, want %v", names, want)
	}
	want := `[{"name":"top","project":"home","priority":10,"summary":"Obey.","chapters":["Rules"],"bytes":14,` +
		`"hash":"` + hashOf([]byte("# Rules\n\nObey.")) + `","link":"","linkStatus":"","ref":"r-top"},`
	got := x.JSON(func(e Entry) string { return "r-" + e.Name })
	if !json.Valid(got) || !strings.HasPrefix(string(got), want) {
		t.Errorf("got\n%s\nwant it to begin\n%s", got, want)
	}
	if empty := NewIndex(nil, nil, Sources{}).JSON(noRefs); string(empty) != "[]" {
		t.Errorf("no prompts: %s", empty)
	}
}

// The author's outline takes precedence, then the LLM's, then the extracted one.
func TestOutlinePrecedence(t *testing.T) {
	list := prompts(t, "all", "{content: Text., summary: mine, chapters: [c]}", "half", "{content: \"# H\\n\\nText.\", summary: mine}", "none", "{content: Text.}")
	asked := map[string]bool{}
	x := NewIndex(nil, list, Sources{Made: func(p *object.Prompt, hash string) (Outline, bool) {
		asked[string(p.Name())] = true
		return Outline{"made", []string{"m"}}, p.Name() != "half"
	}})
	for name, want := range map[string]Outline{"all": {"mine", []string{"c"}}, "half": {"mine", []string{"H"}}, "none": {"made", []string{"m"}}} {
		e, ok := x.Entry(name)
		if got := (Outline{e.Summary, e.Chapters}); !ok || !isSameOutline(got, want) {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
	}
	if asked["all"] || !asked["half"] {
		t.Errorf("generated outlines are requested for %v", asked)
	}
}

func TestNewIndexReusesUnchangedEntries(t *testing.T) {
	list := prompts(t, "a", "{content: A.}", "link", "{linkTarget: \"x/y:z\"}")
	status := Body{Status: Unknown}
	from := Sources{Link: func(*object.Prompt) Body { return status }}
	first := NewIndex(nil, list, from)
	rule := Outline{Summary: "Z."}
	status = Body{Status: Alive, Bytes: 3, Hash: "h", Rule: &rule}
	second := NewIndex(first, list, from)
	if &first.rows[0].json[0] != &second.rows[0].json[0] {
		t.Error("an unchanged prompt was encoded again")
	}
	e, _ := second.Entry("link")
	if e.LinkStatus != Alive || e.Summary != "Z." || e.Bytes != 3 || !strings.Contains(string(second.JSON(noRefs)), `"linkStatus":"alive"`) {
		t.Errorf("the link is %+v", e)
	}
	if before, _ := first.Entry("link"); before.LinkStatus != Unknown {
		t.Errorf("the first index became %+v", before)
	}
	if n := len(NewIndex(second, list[:1], from).Entries()); n != 1 {
		t.Errorf("%d prompts after one was removed", n)
	}
}

func manyPrompts(t testing.TB, n int) []*object.Prompt {
	t.Helper()
	var b strings.Builder
	text := strings.Repeat("Some text that says what to do in a case like this, and why it matters. ", 12)
	for i := range n {
		if i > 0 {
			b.WriteString("---\n")
		}
		fmt.Fprintf(&b, "kind: Prompt\nmetadata: {name: prompt-%d, project: home}\nspec: {priority: %d, content: %q}\n", i, i%10+1, fmt.Sprintf("# Area %d\n\nRule %d about thing %d. %s\n\n## Detail\n", i%50, i, i%300, text))
	}
	var list []*object.Prompt
	for _, part := range splitEvery(b.String(), 900) {
		objects, _, err := object.Decode("t.yaml", []byte(part))
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range objects {
			list = append(list, o.(*object.Prompt))
		}
	}
	return list
}

// splitEvery splits documents into files of n documents.
func splitEvery(text string, n int) []string {
	docs := strings.Split(text, "---\n")
	var parts []string
	for c := range slices.Chunk(docs, n) {
		parts = append(parts, strings.Join(c, "---\n"))
	}
	return parts
}

// The list of 10,000 prompts is built again within a coarse limit. The benchmarks
// measure the time.
func TestTenThousandPrompts(t *testing.T) {
	list := manyPrompts(t, 10_000)
	x := NewIndex(nil, list, Sources{})
	best := time.Hour
	for range 5 {
		begin := time.Now()
		next := NewIndex(x, list, Sources{})
		if b := next.JSON(noRefs); len(b) < 10_000*100 {
			t.Fatalf("%d bytes", len(b))
		}
		best = min(best, time.Since(begin))
	}
	t.Logf("index of 10,000 prompts again in %v", best)
	if limit := 200 * time.Millisecond; best > limit { // ten times the usual time, for busy machines
		t.Errorf("took %v, limit %v", best, limit)
	}
}

func BenchmarkIndexFirst(b *testing.B) {
	list := manyPrompts(b, 10_000)
	for b.Loop() {
		NewIndex(nil, list, Sources{}).JSON(noRefs)
	}
}

func BenchmarkIndexAgain(b *testing.B) {
	list := manyPrompts(b, 10_000)
	x := NewIndex(nil, list, Sources{})
	for b.Loop() {
		NewIndex(x, list, Sources{}).JSON(noRefs)
	}
}
