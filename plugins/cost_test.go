package plugins_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/hosttest"
	"github.com/mcpctl/mcpctl/host/wasm"
	"github.com/mcpctl/mcpctl/plugins"
)

// document is a content whose cost is measured.
type document struct {
	name string
	text []byte
}

// dense returns texts with more structure than real ones of their size.
func dense(size int) []document {
	rnd := rand.New(rand.NewPCG(1, 2))
	fill := func(unit func(i int) string) []byte {
		var b bytes.Buffer
		b.WriteByte('[')
		for i := 0; b.Len() < size; i++ {
			b.WriteString(unit(i))
			b.WriteByte(',')
		}
		b.Truncate(b.Len() - 1)
		b.WriteByte(']')
		return b.Bytes()
	}
	kinds := []string{"inject", "function", "debug", "switch"}
	levels := size / 16
	return []document{
		{"digits", fill(func(i int) string { return "1" })},
		{"numbers", fill(func(i int) string { return fmt.Sprint(rnd.IntN(1 << 20)) })},
		{"numbers to be named", fill(func(i int) string { return strings.Repeat("7", size/60_000+1) })},
		{"empty objects", fill(func(int) string { return "{}" })},
		{"small records", fill(func(i int) string { return fmt.Sprintf(`{"id":"n%06d","kind":"k%d","on":%t}`, i, i%7, i%2 == 0) })},
		{"wide records", fill(func(i int) string {
			var r strings.Builder
			for f := range 30 {
				fmt.Fprintf(&r, `,"f%d":%d`, f, rnd.IntN(9))
			}
			return "{" + r.String()[1:] + "}"
		})},
		{"nodes", fill(func(i int) string {
			return fmt.Sprintf(`{"id":"%07x.%06x","type":%q,"name":"node %d","x":%d,"y":%d,"wires":[["%d"]],"props":{"payload":"","topic":"home/sensor/%d","repeat":%g,"once":%t}}`,
				rnd.Uint32()>>4, rnd.Uint32()>>8, kinds[i%4], i, rnd.IntN(1000), rnd.IntN(1000), rnd.Uint32(), rnd.IntN(50), rnd.Float64(), i%3 == 0)
		})},
		{"keys", slices.Concat([]byte(`{`), bytes.Trim(fill(func(i int) string { return fmt.Sprintf(`"key %x":%d`, i*7919%2_000_003, i) }), "[]"), []byte(`}`))},
		{"deep", []byte(strings.Repeat(`{"a":`, levels*2) + "1" + strings.Repeat("}", levels*2))},
		{"brackets", []byte(strings.Repeat("[", size/2) + strings.Repeat("]", size/2))},
		{"one string", []byte(`{"s":"` + strings.Repeat(`aé\"\u00e9 `, size/13) + `"}`)},
		{"lines of records", []byte(strings.ReplaceAll(string(fill(func(i int) string {
			return fmt.Sprintf(`{"level":"info","at":"2026-11-21T08:%02d:00Z","n":%d}`, i/500%60, i)
		})[1:size-100]), "},", "}\n"))},
	}
}

// corpus returns the documents of testdata with one of the suffixes.
func corpus(t testing.TB, ends ...string) (docs []document) {
	t.Helper()
	for _, end := range ends {
		files, _ := filepath.Glob("../testdata/content/*" + end)
		for _, f := range files {
			b, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			docs = append(docs, document{filepath.Base(f), b})
		}
	}
	if len(docs) == 0 {
		t.Fatal("no corpus")
	}
	return docs
}

func splitter(t testing.TB, module []byte) wasm.Guest {
	t.Helper()
	compiled, err := hosttest.CompiledCode()
	if err != nil {
		t.Fatal(err)
	}
	r, err := wasm.Open(t.Context(), wasm.Options{CacheDir: compiled, Limits: wasm.Limits{Time: time.Minute}}) // for slow machines
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close(t.Context()) })
	m, err := r.Load(t.Context(), "builtin", module, true)
	if err != nil {
		t.Fatal(err)
	}
	g, err := m.Guest("section-split")
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func callOn(text []byte) abi.Call {
	return abi.Call{
		Role: "section-split", Config: []byte("{}"), Input: text, Original: text,
		Context: abi.Context{ContentType: abi.ToolResult, Source: "server/tool", Stage: abi.StagePos{Count: 1}},
	}
}

// BenchmarkSplit measures a call of a compiled and warm guest.
func BenchmarkSplit(b *testing.B) {
	for _, d := range append(corpus(b, ".json", ".ndjson", ".md"), dense(1_000_000)...) {
		b.Run(d.name, func(b *testing.B) {
			g := splitter(b, plugins.Builtin)
			b.SetBytes(int64(len(d.text)))
			var spent time.Duration
			var memory int
			for b.Loop() {
				out, err := g.Run(b.Context(), callOn(d.text))
				if err != nil {
					b.Fatal(err)
				}
				spent += out.Stats.Guest
				memory = out.Stats.MemoryBytes
			}
			b.ReportMetric(float64(memory)/float64(len(d.text)), "memory/byte")
			b.ReportMetric(spent.Seconds()*1e9/float64(b.N)/float64(len(d.text)), "ms/MB")
		})
	}
}

// Every proof would look at each of 8 MB of line ends, which took more than the two
// seconds of a guest.
func TestBlankTextIsDetectedInTime(t *testing.T) {
	if testing.Short() {
		t.Skip("has no concurrent callers, and takes long with the race detector")
	}
	g := splitter(t, plugins.Builtin)
	c := callOn(bytes.Repeat([]byte("\n"), 8_000_000))
	c.Context.Limits.TimeMillis = abi.LimitTimeMillis
	if _, err := g.Run(t.Context(), c); err != nil {
		t.Error(err)
	}
}
