package section_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/section"
)

// manyElements returns a one-line array of n records, each a Section.
func manyElements(n int, group bool) content {
	var text bytes.Buffer
	b := &treeBuilder{tree: abi.Tree{Type: "json-array"}}
	if group {
		for g := range 20 {
			b.add(-1, abi.SectionGroup, 0, 0, fmt.Sprintf("@z=%d", g), "tab "+fmt.Sprint(g))
		}
	}
	text.WriteByte('[')
	for i := range n {
		if i > 0 {
			text.WriteByte(',')
		}
		start := text.Len()
		fmt.Fprintf(&text, `{"id":"%08x.%06x","type":"t%d","z":%d,"name":"record %d","x":%d,"wires":[]}`, i*7919, i*31, i%9, i%20, i, i*3)
		parent := -1
		if group {
			parent = i % 20
		}
		b.add(parent, abi.SectionExact, start, text.Len(), fmt.Sprintf("%08x.%06x", i*7919, i*31), fmt.Sprintf("record %d t%d", i, i%9))
	}
	text.WriteByte(']')
	return content{name: fmt.Sprint(n, " elements"), text: text.Bytes(), tree: b.tree}
}

func BenchmarkNew(b *testing.B) {
	for _, c := range []struct {
		name string
		content
	}{
		{"384 elements", manyElements(384, true)},
		{"40000 elements", manyElements(40_000, false)},
		{"40000 elements in groups", manyElements(40_000, true)},
		{"65000 elements", manyElements(65_000, false)},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := section.New(c.text, c.tree, section.Settings{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkFirstIndex measures a Doc and its first index, the work for a cached result.
func BenchmarkFirstIndex(b *testing.B) {
	for _, c := range []struct {
		name string
		content
	}{
		{"384 elements in groups", manyElements(384, true)},
		{"40000 elements", manyElements(40_000, false)},
		{"40000 elements in groups", manyElements(40_000, true)},
		{"no sections, 32 MiB", content{text: bytes.Repeat([]byte("word word\n"), 3_355_443)}},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				d, err := section.New(c.text, c.tree, section.Settings{})
				if err != nil {
					b.Fatal(err)
				}
				d.Finish([]byte("json-array\n"), []abi.Mark{{Offset: 11, Section: -1}}, "k7m2q9x4t6b8w3n5")
			}
		})
	}
}

func BenchmarkRead(b *testing.B) {
	big := manyElements(40_000, false)
	d := open(b, big, section.Settings{})
	raw := open(b, content{text: big.text}, section.Settings{})
	for _, c := range []struct {
		name, id string
		d        *section.Doc
	}{
		{"leaf", "00001eef.00001f", d},
		{"position", "39000", d},
		{"JSON path below", "00001eef.00001f/name", d},
		{"fold", d.Read("r", "").Meta.Offers[3], d},
		{"search", "?record 31999", d},
		{"search without sections", "?record 31999", raw},
		{"unknown", "00001eef.00001g", d},
		{"JSON path without sections", "39000/name", raw},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				c.d.Read("r", c.id)
			}
		})
	}
}

// ways returns a map of about 3 KB a way, like those of OpenStreetMap. Each way is a
// leaf with many tags.
func ways(n int) content {
	b := &treeBuilder{text: []byte("<osm>"), tree: abi.Tree{Type: "xml"}}
	osm := b.add(-1, abi.SectionExact, 0, 0, "osm", "osm")
	for i := range n {
		start := len(b.text)
		b.text = fmt.Appendf(b.text, "<way id=\"%d\">%s</way>", i, strings.Repeat(fmt.Sprintf("\n  <nd ref=\"%d\"/>", i), 140))
		b.add(osm, abi.SectionExact, start, len(b.text), fmt.Sprintf("way=%d", i), fmt.Sprintf("%d: nd 140", i))
	}
	b.text = append(b.text, "</osm>"...)
	b.tree.Sections[osm].End = len(b.text)
	return content{name: "ways", text: b.text, tree: b.tree}
}

// nowhere is the first segment of paths that do not exist.
const nowhere = "nowhere."

// started is the start of the tests.
var started = time.Now()

// cpuTime returns the processor time of this process where the system reports it,
// because wall time includes the work of other processes.
var cpuTime = func() time.Duration { return time.Since(started) }

// A second is the limit for an answer on a machine that validates 12 MB of JSON in
// reference. A slower machine gets more time in proportion.
const reference = 40 * time.Millisecond

// answerLimit returns the limit for an answer on this machine. The text is 12 MB of JSON.
func answerLimit(text []byte) time.Duration {
	start := cpuTime()
	json.Valid(text)
	return max(time.Second, time.Second*(cpuTime()-start)/reference)
}

// TestLargeContent checks that any answer about a large content takes less than a
// second, see answerLimit.
func TestLargeContent(t *testing.T) {
	if testing.Short() {
		t.Skip("the race detector makes answers slow")
	}
	deep := strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000)
	deepObject := strings.Repeat(`{"a":`, 100_000) + "1" + strings.Repeat("}", 100_000)
	line := []byte(`{"items":[` + strings.Repeat(`{"id":1,"text":"some text of an item","more":[1,2,3]},`, 220_000) + `{}]}`)
	limit := answerLimit(line)
	t.Logf("limit %v", limit)
	tooDeep := "osm/way" + strings.Repeat("/nd", 5000)
	for _, c := range []struct {
		content
		ids []string
	}{
		{manyElements(40_000, true), []string{"", "?record 777", "@z=3", "00001eef.00001f/name", "!", "@z=3!"}},
		{manyElements(60_000, false), []string{"", nowhere, nowhere + strings.Repeat("x.", 8000), nowhere + strings.Repeat("x/", 8000), nowhere + strings.Repeat("x::", 5000)}},
		{content{name: "32 MiB of lines", text: bytes.Repeat([]byte("a line of 32 bytes, as logs have\n"), 1<<20)}, []string{"", "?bytes", "?nowhere", "!", "~L500000-500010", "line 900000"}},
		{ways(4000), []string{tooDeep, "?nd", "?no such tag", "osm//nd", "osm/way/nd", "osm/way/nd!", nowhere + strings.Repeat("//nd", 3000), nowhere + "x"}},
		{content{name: "a line of 12 MB", text: line}, []string{"", "?item", "items/219000/text", "items", "!", "items!500-900"}},
		{content{name: "32 MiB without blanks", text: bytes.Repeat([]byte("0123456789abcdef"), 2<<20)}, []string{"", "?xyz", "!", "!7-20000000"}},
		{content{name: "depth 100,000", text: []byte(deep)}, []string{"", strings.Repeat("0/", 8000), "0/0/0/0", "?x"}},
		{content{name: "objects 100,000 deep", text: []byte(deepObject)}, []string{"", strings.Repeat("a/", 8000), "a.a.a", "?1"}},
	} {
		start := cpuTime()
		d := open(t, c.content, section.Settings{})
		opened := cpuTime() - start
		for _, id := range c.ids {
			start := cpuTime()
			a := d.Read("k7m2q9x4t6b8w3n5", id)
			took := cpuTime() - start
			t.Logf("%s: %.20q: %v after %v, %s, %d bytes", c.name, id, took, opened, a.Meta.Kind, len(a.Text))
			for again := 0; took > limit && again < 4; again++ { // a busy machine takes more processor time too
				start := cpuTime()
				d.Read("k7m2q9x4t6b8w3n5", id)
				took = min(took, cpuTime()-start)
			}
			if took > limit {
				t.Errorf("%s: Read(%.20q) took %v, want at most %v", c.name, id, took, limit)
			}
			if a.IsError != (strings.HasPrefix(id, nowhere) || id == tooDeep) {
				t.Errorf("%s: Read(%.20q) returned an error: %t\n%.100s", c.name, id, a.IsError, a.Text)
			}
			if a.Meta.Kind == flow.AnswerIndex && abi.EstimateTokens(a.Text) > 1000 {
				t.Errorf("%s: the index %.20q has %d tokens", c.name, id, abi.EstimateTokens(a.Text))
			}
		}
	}
}
