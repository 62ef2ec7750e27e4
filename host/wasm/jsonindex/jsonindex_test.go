package jsonindex

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/host/jsonspan"
)

// texts are valid and invalid texts of every form, in addition to corpus files.
var texts = []string{
	`null`, ` true `, `-0.5e+3`, `""`, `"a\"b\\"`, `[]`, `{}`, `[[],{}]`, `{"a":{"b":[1,2,{"c":null}]},"":0,"a":7}`,
	`{"k\u0065y":1,"a/b":[true],"m~n":"x"}`, "[\n 1 ,\t2\r\n]", `[[[[[[[[[[1]]]]]]]]]]`, strings.Repeat("[", 3000) + strings.Repeat("]", 3000),
	``, `[`, `[1,]`, `{"a"}`, `{"a":}`, `{"a":1,}`, `{a:1}`, `[1 2]`, `1 2`, `]`, `{"a":1]`, `"\x"`, `[01]`, "\"\x01\"", "\"\xff\"", `nul`,
	strings.Repeat("[", 100), `{"a":1}}`,
}

// compareIndex compares an index with the scanner.
func compareIndex(t *testing.T, text []byte) {
	t.Helper()
	x, err := New(text)
	if valid := jsonspan.Valid(text); (err == nil) != (valid == nil) {
		t.Fatalf("%.80q: index returns %v, scanner %v", text, err, valid)
	}
	if err != nil {
		return
	}
	for node := range x.nodes {
		n := x.nodes[node]
		if end, err := jsonspan.ValueEnd(text, int(n.start)); err != nil || end != int(n.end) {
			t.Fatalf("%.80q: value at %d ends at %d, want %d (%v)", text, n.start, n.end, end, err)
		}
		pos := uint32(0)
		jsonspan.Children(text, int(n.start), func(m jsonspan.Member) bool {
			child, ok := x.Child(uint32(node), pos)
			if !ok {
				t.Fatalf("%.80q: child %d of %d is missing", text, pos, node)
			}
			keyStart, keyEnd := x.KeySpan(child)
			if c := x.nodes[child]; int(c.start) != m.Start || int(c.end) != m.End || int(keyStart) != m.KeyStart || int(keyEnd) != m.KeyEnd {
				t.Fatalf("%.80q: child %d is %+v, want %+v", text, pos, c, m)
			}
			pos++
			return true
		})
		if got := x.Count(uint32(node)); got != int32(pos) {
			t.Fatalf("%.80q: %d children, want %d", text, got, pos)
		}
		if len(x.nodes) > 4000 && node > 2000 {
			break // deep or large: the rest is alike
		}
	}
}

// comparePointer compares a lookup with the scanner's.
func comparePointer(t *testing.T, text []byte, pointer string) {
	t.Helper()
	x, err := New(text)
	if err != nil {
		return
	}
	node, ok, err := x.Find([]byte(pointer))
	m, want := jsonspan.Lookup(text, pointer)
	if err != nil {
		if want {
			t.Fatalf("%.80q at %q: %v, the scanner finds it", text, pointer, err)
		}
		return
	}
	if ok != want || ok && (int(x.nodes[node].start) != m.Start || int(x.nodes[node].end) != m.End) {
		t.Fatalf("%.80q at %q: found %v, want %v %+v", text, pointer, ok, want, m)
	}
}

func TestIndex(t *testing.T) {
	for _, text := range texts {
		compareIndex(t, []byte(text))
		for _, p := range []string{"", "/a", "/a/b", "/a/b/2/c", "/", "/key", "/a~1b/0", "/m~0n", "/0", "/1", "/00", "/-", "/a/", "a", "/~2"} {
			comparePointer(t, []byte(text), p)
		}
	}
	files, _ := filepath.Glob("../../../testdata/content/j*.json")
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		compareIndex(t, text)
	}
	if len(files) == 0 {
		t.Error("no JSON in testdata/content")
	}
}

func FuzzIndex(f *testing.F) {
	for _, text := range texts {
		f.Add([]byte(text), "/a/0")
	}
	f.Fuzz(func(t *testing.T, text []byte, pointer string) {
		compareIndex(t, text)
		comparePointer(t, text, pointer)
	})
}

// TestSequentialLookups verifies that reading a large array by position is linear, also by
// pointer.
func TestSequentialLookups(t *testing.T) {
	var b bytes.Buffer
	b.WriteByte('[')
	const n = 40_000
	for i := range n {
		fmt.Fprintf(&b, `{"id":%d},`, i)
	}
	b.WriteString("0]")
	x, err := New(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		node, ok, err := x.Find(fmt.Appendf(nil, "/%d/id", i))
		if !ok || err != nil || string(valueOf(x, node)) != fmt.Sprint(i) {
			t.Fatalf("element %d: %v %v", i, ok, err)
		}
	}
	for i := n - 1; i > n-10; i-- { // backwards is slower, and right
		if node, ok := x.Child(0, uint32(i)); !ok || string(valueOf(x, node)) != fmt.Sprintf(`{"id":%d}`, i) {
			t.Fatalf("element %d: %v", i, ok)
		}
	}
}

func BenchmarkNew(b *testing.B) {
	text, err := os.ReadFile("../../../testdata/content/ja-flows-atltvhead.json")
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := New(text); err != nil {
			b.Fatal(err)
		}
	}
}

func valueOf(x *Index, node uint32) []byte {
	start, end := x.Span(node)
	return x.text[start:end]
}
