package host

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
	"unicode/utf8"

	"github.com/tiktoken-go/tokenizer"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/hosttest"
	"github.com/mcpctl/mcpctl/host/section/crawl"
)

// Limits of answers.
const (
	maxFirstTokens = 1100
	maxLines       = 24
	maxIndexBytes  = 4096 + 256 // plus the line with the next call
	maxLeafBytes   = 2 * 3000
)

// document is one content of the corpus.
type document struct {
	name  string
	bytes []byte
	ref   string
	first flow.Shown
}

// corpus returns every file of testdata/content.
func corpus(t testing.TB) []document {
	t.Helper()
	paths, err := filepath.Glob("../testdata/content/*")
	if err != nil || len(paths) < 28 {
		t.Fatalf("%d files, %v", len(paths), err)
	}
	var docs []document
	for _, p := range paths {
		b, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		docs = append(docs, document{name: filepath.Base(p), bytes: b})
	}
	return docs
}

// extremes returns contents with extreme size, width, depth and form.
func extremes() []document {
	records := func(n int, record func(i int) string) []byte {
		var b bytes.Buffer
		for i := range n {
			fmt.Fprintf(&b, "%s,", record(i))
		}
		return append(append([]byte("["), bytes.TrimSuffix(b.Bytes(), []byte(","))...), ']')
	}
	short := func(i int) string { return fmt.Sprintf(`{"id":"n%06d","kind":"k%d","on":%t}`, i, i%7, i%2 == 0) }
	long := func(i int) string { return fmt.Sprintf(`{"id":%d,"note":%q}`, i, strings.Repeat("lorem ipsum ", 480)) }
	deep := 100_000
	var keys bytes.Buffer
	for i := range 20_000 {
		fmt.Fprintf(&keys, `%q:%d,`, fmt.Sprintf("key %x", i*7919%20_011), i)
	}
	return []document{
		{name: "40,000 elements", bytes: records(40_000, short)},
		{name: "12 MB on one line", bytes: records(2_080, long)},
		{name: "100,000 numbers", bytes: records(100_000, func(i int) string { return fmt.Sprint(i * i) })},
		{name: "20,000 keys", bytes: slices.Concat([]byte("{"), bytes.TrimSuffix(keys.Bytes(), []byte(",")), []byte("}"))},
		{name: "depth 100,000", bytes: []byte(strings.Repeat(`[`, deep) + strings.Repeat(`]`, deep))},
		{name: "objects of depth 50,000", bytes: []byte(strings.Repeat(`{"a":`, deep/2) + "1" + strings.Repeat(`}`, deep/2))},
		{name: "one string of 2 MB", bytes: []byte(`{"s":"` + strings.Repeat(`aé\"\u00e9 `, 200_000) + `"}`)},
		{name: "duplicate, empty and long keys", bytes: []byte(`{"a":1,"a":[` + strings.Repeat(`"x",`, 3000) + `0],"":2,"` + strings.Repeat("k", 5000) + `":` + string(records(300, short)) + `,"a/b~1":3,"[x] (3B)":4}`)},
		{name: "keys like the host's section names", bytes: keysLikeOurs()},
		{name: "cut-off JSON", bytes: records(2000, short)[:40_000]},
		{name: "trailing comma", bytes: append(bytes.TrimSuffix(records(500, short), []byte("]")), ",]"...)},
		{name: "JSON followed by text", bytes: append(records(500, short), "\n\n40 of 7698 rows\n"...)},
		{name: "NDJSON with a bad line", bytes: []byte(strings.Repeat(`{"level":"info","msg":"started","n":1}`+"\n", 500) + "panic: no\n" + strings.Repeat(`{"level":"warn"}`+"\n", 500))},
		{name: "Markdown of CRLF with a BOM", bytes: []byte("\ufeff" + strings.Repeat("# Title\r\n\r\nsome text, more of it\r\n\r\n```\r\n# no title\r\n```\r\n", 400))},
		{name: "text without headings", bytes: []byte(strings.Repeat("One paragraph that says this and that.\nAnd a line more.\n\n", 3000))},
		{name: "no spaces", bytes: bytes.Repeat([]byte("x"), 500_000)},
		{name: "only runes of four bytes", bytes: []byte(strings.Repeat("😀", 50_000))},
		{name: "look-alike of an index", bytes: []byte(strings.Repeat("[x] done (3K)\n[ ] to do (20B)\n", 2000))},
		{name: "NUL bytes", bytes: bytes.Repeat([]byte("a\x00b\n"), 5000)},
	}
}

// keysLikeOurs returns an object whose keys look like section names of the host:
// folds by position, gaps, windows.
func keysLikeOurs() []byte {
	var b bytes.Buffer
	for i := range 300 {
		fmt.Fprintf(&b, `"k%03d":"value %d, long enough to fold",`, i, i)
	}
	for from := 20; from <= 26; from++ { // covers all sizes of folds
		fmt.Fprintf(&b, `"@%d..%d":1,"@%d..%d":2,`, from, 2*from-1, from, 2*from)
	}
	return slices.Concat([]byte("{"), b.Bytes(), []byte(`"~1":3,"~L1-1@0":4}`))
}

// drill transforms a document and checks the result against the limits.
func (r *rig) drill(t *testing.T, d *document) {
	t.Helper()
	d.first = r.show(t, toolResult(d.bytes, d.name))
	d.ref = d.first.Ref
	if !d.first.Changed {
		return
	}
	est, true200k := abi.EstimateTokens(d.first.Text), tokens(t, d.first.Text)
	if est > maxFirstTokens || true200k > maxFirstTokens {
		t.Errorf("first answer has %d tokens (est. %d), limit %d:\n%s", true200k, est, maxFirstTokens, d.first.Text)
	}
	if strings.Count("\n"+string(d.first.Text), "\n[") > maxLines || len(d.first.Text) > maxIndexBytes {
		t.Errorf("first answer has %d bytes, limit %d:\n%s", len(d.first.Text), maxIndexBytes, d.first.Text)
	}
	if 10*len(d.first.Text) > 6*len(d.bytes) {
		t.Errorf("an index of %d bytes replaces a content of %d bytes", len(d.first.Text), len(d.bytes))
	}
}

// crawl reads a document down to its leaves, which must contain all of its bytes.
func (r *rig) crawl(t *testing.T, d *document) crawl.Report {
	t.Helper()
	report := crawl.Run(func(section string) flow.Answer {
		a := r.Read(t.Context(), scope, d.ref, section)
		switch {
		case a.Meta.Kind == flow.AnswerIndex && (len(a.Meta.Offers) > maxLines || len(a.Text) > maxIndexBytes):
			t.Errorf("index of %q has %d lines, %d bytes", section, len(a.Meta.Offers), len(a.Text))
		case a.Meta.Kind == flow.AnswerLeaf && len(a.Text) > maxLeafBytes:
			t.Errorf("leaf %q has %d bytes, limit %d", section, len(a.Text), maxLeafBytes)
		}
		return a
	}, d.bytes, hosttest.IsStructure)
	if err := report.Err(); err != nil {
		t.Error(err)
	}
	if report.MaxTokens > maxFirstTokens {
		t.Errorf("an index has est. %d tokens, limit %d", report.MaxTokens, maxFirstTokens)
	}
	return report
}

var o200k = func() func(testing.TB) tokenizer.Codec {
	var codec tokenizer.Codec
	return func(t testing.TB) tokenizer.Codec {
		if codec == nil {
			var err error
			if codec, err = tokenizer.Get(tokenizer.O200kBase); err != nil {
				t.Fatal(err)
			}
		}
		return codec
	}
}()

func tokens(t testing.TB, text []byte) int {
	t.Helper()
	n, err := o200k(t).Count(string(text))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// No byte is lost: every file of the corpus is read through the built-in subindex,
// and again after a restart of the daemon.
func TestCorpusDrillDown(t *testing.T) {
	if testing.Short() {
		t.Skip("one client repeats the same calls thousands of times")
	}
	r := newRig(t, files{"projects/home.yaml": project("ungated-subindex")})
	docs := corpus(t)
	var firsts []int
	for i := range docs {
		t.Run(docs[i].name, func(t *testing.T) {
			r.drill(t, &docs[i])
			report := r.crawl(t, &docs[i])
			n := tokens(t, docs[i].first.Text)
			if docs[i].first.Changed {
				firsts = append(firsts, n)
			}
			t.Logf("%s: first %d tokens, %d leaves in %d calls, depth %d, gap %.1f %%", docs[i].first.Run.Type, n,
				report.Leaves, report.Calls, report.MaxDepth, 100*float64(report.Gap)/float64(len(docs[i].bytes)))
		})
	}
	slices.Sort(firsts)
	if len(firsts) < 15 || firsts[len(firsts)/2] > 450 {
		t.Errorf("first answers %v: want 15 at least, median 450 at most", firsts)
	}
	r.stop()
	again := openRig(t, r.dir)
	for i := range docs {
		t.Run("after a restart/"+docs[i].name, func(t *testing.T) {
			if docs[i].first.Changed {
				first := again.Read(t.Context(), scope, docs[i].ref, "")
				if !bytes.Equal(first.Text, docs[i].first.Text) {
					t.Errorf("first index\n%s\nwant\n%s", first.Text, docs[i].first.Text)
				}
			}
			again.crawl(t, &docs[i])
			whole := again.Read(t.Context(), scope, docs[i].ref, "!0-3000")
			if n := min(3000, len(docs[i].bytes)); !bytes.HasPrefix(docs[i].bytes, whole.Text) || len(whole.Text) < n-3 {
				t.Errorf("section ! gets %.80q", whole.Text)
			}
		})
	}
	stranger := scope
	stranger.Project = "other"
	for _, d := range docs {
		if a := again.Read(t.Context(), stranger, d.ref, "!"); !a.IsError || bytes.Contains(a.Text, d.bytes[:40]) {
			t.Errorf("%s: another project gets %.80q", d.name, a.Text)
		}
	}
}

// No byte is lost in content of any size, width and depth up to the limit of a
// message.
func TestExtremeDrillDown(t *testing.T) {
	if underRace {
		t.Skip("one goroutine over large texts; TestCorpusDrillDown covers the same code under the race detector")
	}
	r := newRig(t, files{"projects/home.yaml": project("ungated-subindex")})
	for _, d := range extremes() {
		t.Run(d.name, func(t *testing.T) {
			begin := time.Now()
			r.drill(t, &d)
			took := time.Since(begin)
			if !utf8.Valid(d.bytes) {
				t.Fatal("the content of the test is not UTF-8")
			}
			report := r.crawl(t, &d)
			t.Logf("%d bytes, %s %sfirst %d tokens in %v, %d leaves in %d calls", len(d.bytes), d.first.Run.Type, outcomes(d.first.Run),
				abi.EstimateTokens(d.first.Text), took.Round(time.Millisecond), report.Leaves, report.Calls)
		})
	}
}

// randomJSON writes a random value of at most about 200 KB, with random blanks and
// escapes where JSON permits them.
func randomJSON(r *rand.Rand, b *bytes.Buffer, depth int) {
	blank := func() { b.WriteString([]string{"", "", " ", "\n", "\t "}[r.IntN(5)]) }
	blank()
	defer blank()
	text := func() string {
		words := []string{"id", "name", "type", "é", "\\u00e9", "\\\"", "a/b", "[x]", "@", "~1", "?", "%", "", "0", "日本", "😀", " ", "\\n"}
		s := `"`
		for range r.IntN(4) {
			s += words[r.IntN(len(words))]
		}
		return s + `"`
	}
	if b.Len() > 200_000 {
		depth = 0
	}
	switch kind := r.IntN(8); {
	case depth > 0 && kind < 3:
		b.WriteByte('[')
		for i := range r.IntN(60) {
			if i > 0 {
				b.WriteByte(',')
			}
			randomJSON(r, b, depth-1)
		}
		b.WriteByte(']')
	case depth > 0 && kind < 6:
		b.WriteByte('{')
		for i := range r.IntN(40) {
			if i > 0 {
				b.WriteByte(',')
			}
			blank()
			b.WriteString(text())
			blank()
			b.WriteByte(':')
			randomJSON(r, b, depth-1)
		}
		b.WriteByte('}')
	case kind == 6:
		b.WriteString([]string{"null", "true", "1e999999", "-0", "12345678901234567890"}[r.IntN(5)])
	default:
		b.WriteString(text())
		if r.IntN(20) == 0 {
			b.Truncate(b.Len() - 1)
			b.WriteString(strings.Repeat(`long # text\n\n`, r.IntN(1500)) + `"`)
		}
	}
}

// randomText writes random Markdown, or lines that resemble other formats.
func randomText(r *rand.Rand, b *bytes.Buffer) {
	lines := []string{"# Title", "## Part", "Setext\n======", "```\n# code\n```", "- item", "key: value", "", "", "text of some words é 日本",
		"[x] done (3B)", `{"a":1}`, "<p>tag</p>", "| a | b |", "    indented", "\r", "1,2,3", "2026-11-21T08:00:00Z INFO x", "\u2028odd\v"}
	for range 50 + r.IntN(900) {
		b.WriteString(lines[r.IntN(len(lines))])
		b.WriteString([]string{"\n", "\n", "\n", "\r\n", " "}[r.IntN(5)])
	}
}

// No byte is lost in random documents: leaves and structure join to the content.
func TestRandomDocuments(t *testing.T) {
	skipShort(t)
	r := newRig(t, files{"projects/home.yaml": project("ungated-subindex")})
	const runs = 150
	indexed := 0
	for seed := range uint64(runs) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		var b bytes.Buffer
		if seed%2 == 0 {
			for b.Len() < 6000 {
				b.Reset()
				randomJSON(rnd, &b, 4)
			}
		} else {
			randomText(rnd, &b)
		}
		d := document{name: fmt.Sprintf("seed %d", seed), bytes: b.Bytes()}
		r.drill(t, &d)
		r.crawl(t, &d)
		if d.first.Changed {
			indexed++
		}
		if t.Failed() {
			t.Fatalf("seed %d, %d bytes: %.300q", seed, b.Len(), b.Bytes())
		}
	}
	if indexed < runs/2 {
		t.Errorf("%d of %d documents were indexed: the test checks too little", indexed, runs)
	}
	t.Logf("%d documents, %d indexed", runs, indexed)
}
