package plugins_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/wasm"
	"github.com/mcpctl/mcpctl/plugins"
)

// atOnce is the memory that Go takes in addition to the heap when the heap grows: its
// tables, and half a MiB at a time for the heap.
const atOnce = 5 << 18

// tight returns the memory that a text of size bytes may take, beyond that of a guest
// that reads nothing: four times its size and atOnce. Go collects no garbage below 4 MB, so a
// short text may take as much as one of a megabyte.
func tight(size int) int { return 4*max(size, 1_000_000) + atOnce }

// lined is a type of text that repeats one unit between a head and a tail.
type lined struct {
	name       string
	head, tail string
	unit       func(i int) string
	hint       string
}

func (l *lined) of(size int) []byte {
	b := []byte(l.head)
	for i := 0; len(b) < size; i++ {
		b = append(b, l.unit(i)...)
	}
	return append(b, l.tail...)
}

// textsOfParts returns texts of every type that consist almost only of parts.
func textsOfParts() []lined {
	words := strings.Fields("the quick brown fox jumps over a lazy dog and then it sleeps while other animals of the forest gather near an old river")
	say := func(i, n int) string {
		output := make([]string, n)
		for k := range output {
			output[k] = words[(i*31+k*k*7)%len(words)]
		}
		return strings.ToUpper(output[0][:1]) + strings.Join(output, " ")[1:] + "."
	}
	at := func(i int) string { return time.Unix(1763700000+int64(i), 0).UTC().Format(time.RFC3339) }
	unit := func(form string) func(i int) string {
		return func(i int) string { return strings.ReplaceAll(form, "%", fmt.Sprint(i)) }
	}
	const page = "<!doctype html><html><body>"
	return []lined{
		{name: "lines of objects", unit: unit(`{"level":"info","n":%,"text":"%"}` + "\n")},
		{name: "lines of tiny objects", unit: unit(`{"n":%,"k":"v"}` + "\n")},
		{name: "lines that refer to others", unit: func(i int) string {
			return fmt.Sprintf(`{"id":"n%06d","parentId":"n%06d","kind":"k%d"}`+"\n", i, i/3, i%5)
		}},
		{name: "lines of records of 20 bytes", unit: func(i int) string { return fmt.Sprintf(`{"n":%d,"k":12}`+"\n", 100_000+i) }},
		{name: "lines of objects of 8 bytes", unit: unit(`{"a":1}` + "\n")},
		{name: "objects that refer to others", head: "[", tail: "{}]", unit: func(i int) string {
			return fmt.Sprintf(`{"id":"%04x","parent":"%04x"},`, i, i/3)
		}},
		{name: "objects that refer to one of two", head: "[", tail: "{}]", unit: func(i int) string { return fmt.Sprintf(`{"id":"%x","z":"%x"},`, i, i/2*2) }},
		{name: "objects that refer in chains", head: "[", tail: "{}]", unit: func(i int) string {
			to := i - 1
			if i%15 == 0 || i < 35 {
				to = i % 20
			}
			return fmt.Sprintf(`{"id":%d,"parent_id":%d,"type":"t%x"},`, i, to, i)
		}},
		{name: "objects of which few refer", head: "[", tail: `{"id":"last","z":"64"}]`, unit: unit(`{"id":"x%","kind":1},`)},
		{name: "members that refer to others", head: "{", tail: `"last":{}}`, unit: func(i int) string { return fmt.Sprintf(`"%x":{"parent":"%x"},`, i, i/2*2) }},
		{name: "yaml of items", unit: unit("- name: item %\n  state: on\n  port: 80\n")},
		{name: "yaml of keys", unit: unit("key-%:\n  name: value %\n  labels:\n    app: app\n")},
		{name: "yaml of documents", unit: unit("---\napiVersion: v1\nkind: Service\nmetadata:\n  name: svc-%\nspec:\n  ports:\n    - port: 80\n")},
		{name: "yaml of tiny lines", unit: unit("a%: 1\n")},
		{name: "yaml of lines of 6 bytes", unit: func(i int) string { return fmt.Sprintf("a%c: 1\n", 'a'+i%26) }},
		{name: "yaml of items of 4 bytes", unit: unit("- a\n")},
		{name: "yaml of items in items", unit: unit("- - a\n")},
		{name: "yaml of items of a key", unit: unit("- a: 1\n")},
		{name: "yaml of keys of a key", unit: unit("a%:\n  b: 1\n")},
		{name: "yaml of short items that refer to others", unit: func(i int) string {
			return fmt.Sprintf("- id: n%c%c%c\n  parent: n%c%c\n", 'a'+i%26, 'a'+i/26%26, 'a'+i/676%26, 'a'+i%26, 'a'+i/26%26)
		}},
		{name: "yaml of items of 28 bytes that refer to others", unit: func(i int) string { return fmt.Sprintf("- id: n%05d\n  parent: n%05d\n", i%99999, i/3) }},
		{name: "yaml of items that refer to others", unit: func(i int) string { return fmt.Sprintf("- id: n%06d\n  parentId: n%06d\n", i, i/3) }},
		{name: "xml of elements", head: "<r>\n", tail: "</r>", unit: unit(`<e id="%"><n>x%</n><v>1</v></e>` + "\n")},
		{name: "xml of tiny elements", head: "<r>", tail: "</r>", unit: unit("<a/>")},
		{name: "html of paragraphs", head: page, tail: "</body></html>", unit: unit("<p>x</p>")},
		{name: "html of headings", head: page, tail: "</body></html>", unit: unit("<h2>a%</h2>x")},
		{name: "html of rows", head: page + "<table>", tail: "</table></body></html>", unit: unit("<tr><td>%</td></tr>\n")},
		{name: "markdown of sections", unit: unit("## Section %\n\nThis is text.\n\n"), hint: "x.md"},
		{name: "markdown of fences", unit: unit("## Section %\n\n```sh\necho %\n```\n\n"), hint: "x.md"},
		{name: "markdown of paragraphs", unit: func(i int) string { return say(i, 14) + "\n\n" }, hint: "x.md"},
		{name: "functions of a line", head: "package p\n", unit: unit("func f%() {}\n")},
		{name: "functions", head: "package p\n\n", unit: unit("// f% does it.\nfunc f%(a int) int {\n\tif a > % {\n\t\treturn a + 1\n\t}\n\treturn a\n}\n\n")},
		{name: "classes", unit: unit("class C% {\n  m() { return %; }\n  n() { if (x) { y(); } }\n}\n")},
		{name: "csv of two digits", unit: unit("1,2\n")},
		{name: "csv of records", unit: func(i int) string { return fmt.Sprintf("%d,\"na,me %d\",%d,k%d\n", i, i, i%100, i%7) }},
		{name: "log of short lines", unit: func(i int) string { return at(i) + " INFO x\n" }},
		{name: "log", unit: func(i int) string { return at(i) + [...]string{" INFO ", " WARN ", " ERROR "}[i%3] + say(i, 6) + "\n" }},
		{name: "log of traces", unit: func(i int) string { return at(i) + " ERROR x\n  at a\n  at b\n" }},
		{name: "diff of files", unit: unit("diff --git a/f% b/f%\n--- a/f%\n+++ b/f%\n@@ -1 +1 @@\n-a\n+b\n")},
		{name: "diff of hunks", head: "diff --git a/f b/f\n--- a/f\n+++ b/f\n", unit: unit("@@ -1% +1% @@\n-a\n+b\n")},
		{name: "sentences", unit: func(i int) string { return say(i, 10) + "\n" }},
		{name: "letters", unit: unit("x\n")},
		{name: "paths", unit: func(i int) string { return fmt.Sprintf("./src/a/b%d/file%d.go\n", i%30, i) }},
	}
}

// The memory of the guest is a small multiple of the content, whatever its type, size and
// structure: for real documents and for generated ones that are only structure. It is the
// same in each run.
func TestMemoryOfSectionSplit(t *testing.T) {
	if testing.Short() {
		t.Skip("splits documents of hundreds of megabytes")
	}
	g := splitter(t, plugins.Builtin)
	idle, err := g.Run(t.Context(), callOn([]byte(`{"a":1}`)))
	if err != nil {
		t.Fatal(err)
	}
	check := func(d document, hint string) {
		over := memoryFor(t, g, d.text, hint) - idle.Stats.MemoryBytes
		if most := tight(len(d.text)); over > most {
			t.Errorf("%s of %d bytes: %d bytes of memory, %.2f for each, want %d at most", d.name, len(d.text), over, float64(over)/float64(len(d.text)), most)
		}
	}
	for _, d := range corpus(t, "") {
		check(d, "")
	}
	sizes := []int{100_000, 300_000, 1_000_000, 2_000_000, 4_000_000}
	for _, size := range sizes {
		for _, d := range dense(size) {
			check(d, "")
		}
	}
	for i, l := range textsOfParts() {
		for _, size := range sizes {
			check(document{l.name, l.of(size)}, l.hint)
		}
		if i%4 == 0 { // about one of each type
			check(document{l.name, l.of(16_000_000)}, l.hint)
		}
	}
}

// The stack of open elements at a depth of 100,000 is stored, but not in six copies, as
// growth by append left it: that took 24 MB for 700 KB of XML.
func TestMemoryOfDepth(t *testing.T) {
	if testing.Short() {
		t.Skip("has no concurrent callers, and takes long with the race detector")
	}
	g := splitter(t, plugins.Builtin)
	idle := memoryFor(t, g, []byte(`{"a":1}`), "")
	const depth = 100_000
	for name, c := range map[string]struct {
		text string
		most int
	}{
		"XML":  {strings.Repeat("<a>", depth) + strings.Repeat("</a>", depth), 4_000_000},
		"YAML": {strings.Repeat("- ", depth) + "x", 5_000_000},
	} {
		if over := memoryFor(t, g, []byte(c.text), "") - idle; over > c.most {
			t.Errorf("%s: %d bytes of memory for %d, want %d at most", name, over, len(c.text), c.most)
		}
	}
}

// A small text needs no additional memory, because a guest that has grown cannot be
// reused, and growing takes longer than splitting a few KB.
func TestSmallContentsDoNotGrowMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("has no concurrent callers, and takes long with the race detector")
	}
	g := splitter(t, plugins.Builtin)
	idle := memoryFor(t, g, []byte(`{"a":1}`), "")
	for _, d := range corpus(t, "") {
		if len(d.text) > 16<<10 {
			continue
		}
		for _, hint := range []string{"", d.name} {
			if over := memoryFor(t, g, d.text, hint) - idle; over > 0 {
				t.Errorf("%s, hint %q: %d bytes took %d bytes of memory", d.name, hint, len(d.text), over)
			}
		}
	}
}

// memoryFor is the memory of the guest that splits a text.
func memoryFor(t *testing.T, g wasm.Guest, text []byte, hint string) int {
	t.Helper()
	c := callOn(text)
	c.Context.Hint = hint
	c.Context.Limits = abi.GuestLimits{MemoryBytes: 512 << 20}
	out, err := g.Run(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return out.Stats.MemoryBytes
}
