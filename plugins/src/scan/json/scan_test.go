package json

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

// everything are options that note every value.
var everything = Options{Nodes: 1 << 20, Depth: 1 << 14}

// scanAll scans b as one value, with or without white space around it.
func scanAll(b []byte, o Options) (*Scanner, bool) {
	s := New(b, o)
	end, ok := s.Scan(0)
	return s, ok && SkipSpace(b, end) == len(b)
}

// nodes returns the nodes of s.
func nodes(s *Scanner) []Node {
	var all []Node
	for i := range s.Len() {
		all = append(all, *s.Node(int32(i)))
	}
	return all
}

// corpus returns the JSON documents of the repository's test data.
func corpus(t testing.TB) map[string][]byte {
	t.Helper()
	files, err := filepath.Glob("../../../../testdata/content/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no corpus: %v", err)
	}
	docs := make(map[string][]byte)
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		docs[filepath.Base(name)] = b
	}
	return docs
}

func TestScanAcceptsRFC8259(t *testing.T) {
	for name, text := range map[string]string{
		"literal names":            `[true,false,null]`,
		"all escapes":              `"\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00"`,
		"lone surrogate in escape": `"\ud83d"`,
		"numbers":                  `[0,-0,10,-1.5,1e5,1E+05,2.50e-400,123456789012345678901234567890]`,
		"white space of all kinds": " \t\r\n{ \"a\" : [ ] , \"b\" :\n{ } } \n",
		"duplicate and empty keys": `{"a":1,"a":2,"":3,"":4}`,
		"non-ASCII text":           `{"ключ":"значение","键":"😀"}`,
		"scalar at the top":        `"only this"`,
	} {
		if _, ok := scanAll([]byte(text), everything); !ok {
			t.Errorf("%s: %s is refused", name, text)
		}
	}
}

func TestScanRefusesInvalidValues(t *testing.T) {
	for name, text := range map[string]string{
		"nothing":                     "",
		"only white space":            " \n",
		"cut in a string":             `{"a":"b`,
		"cut in an object":            `{"a":1,`,
		"cut after a key":             `{"a"`,
		"trailing comma in an array":  `[1,]`,
		"trailing comma in an object": `{"a":1,}`,
		"comment":                     "[1, // one\n2]",
		"leading comma":               `[,1]`,
		"key without quotes":          `{a:1}`,
		"missing colon":               `{"a" 1}`,
		"wrong bracket":               `[1}`,
		"object closed as an array":   `{"a":1]`,
		"leading zero":                `[01]`,
		"plus sign":                   `[+1]`,
		"point without digits":        `[1.]`,
		"exponent without digits":     `[1e]`,
		"NaN":                         `[NaN]`,
		"control character":           "[\"a\tb\"]",
		"unknown escape":              `["\x41"]`,
		"short unicode escape":        `["\u12"]`,
		"invalid UTF-8":               "[\"a\xff\"]",
		"encoded surrogate":           "[\"\xed\xa0\x80\"]",
		"text after it":               `[1] and more`,
		"checkbox":                    "[x] done",
		"link":                        "[text](https://example.org)",
	} {
		if s, ok := scanAll([]byte(text), everything); ok {
			t.Errorf("%s: %q is accepted as %d nodes", name, text, s.Len())
		}
	}
}

func TestFailedScanAddsNoNodes(t *testing.T) {
	s := New([]byte(`{"a":1} {"b":[1,2,`), everything)
	end, ok := s.Scan(0)
	if !ok {
		t.Fatal("first value refused")
	}
	kept := s.Len()
	if _, ok := s.Scan(end); ok {
		t.Fatal("cut value accepted")
	}
	if s.Len() != kept {
		t.Errorf("%d nodes after a failed scan, want %d", s.Len(), kept)
	}
}

// oracle returns the values of b as encoding/json reads them.
func oracle(b []byte) []Node {
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.UseNumber()
	var nodes []Node
	var stack []int32
	var key span
	for {
		from := SkipSpace(b, int(dec.InputOffset()))
		for from < len(b) && (b[from] == ',' || b[from] == ':') {
			from = SkipSpace(b, from+1)
		}
		tok, err := dec.Token()
		if err != nil {
			return nodes
		}
		to := int(dec.InputOffset())
		if tok == json.Delim(']') || tok == json.Delim('}') {
			at := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			nodes[at].End, nodes[at].next = int32(to), int32(len(nodes))
			key = span{}
			continue
		}
		if len(stack) > 0 {
			parent := stack[len(stack)-1]
			if nodes[parent].Kind == Object && key == (span{}) {
				key = span{from, to}
				continue
			}
			nodes[parent].Kids++
		}
		at := int32(len(nodes))
		nodes = append(nodes, Node{
			Start: int32(from), End: int32(to), keyStart: int32(key.start), keySize: key.keySize(),
			next: at + 1, Depth: uint8(len(stack)), Kind: kindOf(tok),
		})
		key = span{}
		if k := nodes[at].Kind; k == Array || k == Object {
			stack = append(stack, at)
		}
	}
}

func kindOf(tok json.Token) Kind {
	switch v := tok.(type) {
	case nil:
		return Null
	case bool:
		return Bool
	case string:
		return Text
	case json.Delim:
		return bracketKind(byte(v))
	}
	return Number
}

func TestNodesAgreeWithEncodingJSON(t *testing.T) {
	for name, b := range corpus(t) {
		s, ok := scanAll(b, everything)
		if !ok {
			t.Errorf("%s: refused", name)
			continue
		}
		if want := oracle(b); !reflect.DeepEqual(nodes(s), want) {
			t.Errorf("%s: %d nodes, encoding/json reads %d, or they differ", name, s.Len(), len(want))
		}
	}
}

// checkTree fails unless the nodes are nested and in order, and their next positions agree.
func checkTree(t *testing.T, s *Scanner) {
	t.Helper()
	var open []int32 // the node that is open on each level
	for i := range nodes(s) {
		n := s.Node(int32(i))
		next := s.Next(int32(i))
		if n.Start >= n.End || int(next) > s.Len() || next <= int32(i) {
			t.Fatalf("node %d: [%d,%d) next %d of %d", i, n.Start, n.End, next, s.Len())
		}
		if int(n.Depth) > len(open) {
			t.Fatalf("node %d %+v has no parent", i, *n)
		}
		open = append(open[:n.Depth], int32(i))
		if n.Depth == 0 {
			continue
		}
		parent := open[n.Depth-1]
		p := s.Node(parent)
		if n.Start <= p.Start || n.End >= p.End || next > s.Next(parent) {
			t.Fatalf("node %d %+v is not inside its parent %d %+v", i, *n, parent, *p)
		}
		if next < s.Next(parent) && s.Node(next).Start < n.End {
			t.Fatalf("node %d overlaps its sibling %d", i, next)
		}
	}
}

func TestOnlyLargeContainersAreSplit(t *testing.T) {
	o := Options{Leaf: 3000, Record: 6000, Nodes: 1 << 16, Depth: 64}
	for name, b := range corpus(t) {
		s, ok := scanAll(b, o)
		if !ok {
			t.Fatalf("%s: refused", name)
		}
		checkTree(t, s)
		for i := range nodes(s) {
			n := s.Node(int32(i))
			s.open = append(s.open[:n.Depth], int32(i))
			container := n.Kind == Array || n.Kind == Object
			want := container && n.Size() > s.leafLimit(int(n.Depth)) && n.Kids > 0
			if got := s.IsSplit(int32(i)); got != want {
				t.Errorf("%s: node %d of %d bytes split: %t, want %t", name, i, n.Size(), got, want)
			}
			kids := len(s.Members(nil, int32(i)))
			if container && kids != int(n.Kids) {
				t.Errorf("%s: node %d has %d members, scanned %d", name, i, kids, n.Kids)
			}
		}
	}
}

func TestMembersOfLeafAgreeWithNodes(t *testing.T) {
	for name, b := range corpus(t) {
		s, _ := scanAll(b, everything)
		for i := range nodes(s) {
			if k := s.Node(int32(i)).Kind; k != Array && k != Object {
				continue
			}
			noted, read := s.Members(nil, int32(i)), AppendMembers(nil, b, *s.Node(int32(i)))
			if !reflect.DeepEqual(noted, read) {
				t.Fatalf("%s: node %d: noted %v, read %v", name, i, noted, read)
			}
		}
	}
}

func TestDeepInputCostsNoStack(t *testing.T) {
	const depth = 100_000
	for name, text := range map[string]string{
		"arrays":  strings.Repeat("[", depth) + strings.Repeat("]", depth),
		"objects": strings.Repeat(`{"a":`, depth) + "1" + strings.Repeat("}", depth),
		"mixed":   strings.Repeat(`[{"a":`, depth) + "1" + strings.Repeat("}]", depth),
	} {
		s, ok := scanAll([]byte(text), Options{Leaf: 3000, Record: 6000, Nodes: 1 << 16, Depth: 64})
		if !ok {
			t.Errorf("%s: refused", name)
		}
		checkTree(t, s)
		if n := s.Len(); n != 65 {
			t.Errorf("%s: %d nodes, want one for each level down to 64", name, n)
		}
		if _, ok := scanAll([]byte(text[:len(text)-1]), everything); ok {
			t.Errorf("%s: accepted without its last bracket", name)
		}
	}
}

func TestTooManyNodesDropLevels(t *testing.T) {
	inner := "[" + strings.Repeat("1,", 999) + "1]"
	text := "[" + strings.Repeat(inner+",", 99) + inner + "]" // 1 + 100 + 100,000 values
	for _, c := range []struct {
		rule  string
		nodes int
		want  int
	}{
		{"all levels fit", 200_000, 100_101},
		{"one too many drops a level", 100_100, 101},
		{"only the top fits", 100, 1},
		{"none fits", 0, 0},
	} {
		s, ok := scanAll([]byte(text), Options{Nodes: c.nodes, Depth: 64})
		if !ok || s.Len() != c.want {
			t.Errorf("%s: ok %t, %d nodes, want %d", c.rule, ok, s.Len(), c.want)
		}
		checkTree(t, s)
		if s.Len() > 0 && s.Node(0).Kids != 100 {
			t.Errorf("%s: %d children counted, want 100", c.rule, s.Node(0).Kids)
		}
	}
}

func TestLargeValues(t *testing.T) {
	text := fmt.Sprintf(`{"s":%q,"%s":1}`, strings.Repeat("x", 2_000_000), strings.Repeat("k", 5000))
	s, ok := scanAll([]byte(text), Options{Leaf: 3000, Record: 6000, Nodes: 1 << 16, Depth: 64})
	if !ok || s.Len() != 3 || s.Node(1).Size() != 2_000_002 {
		t.Errorf("ok %t, nodes %+v", ok, nodes(s))
	}
}

func TestUnquoteEqualsEncodingJSON(t *testing.T) {
	for _, literal := range []string{
		`""`, `"plain"`, `"\"\\\/\b\f\n\r\t"`, `"\u00e9\u4E2d"`, `"\ud83d\ude00!"`, `"\ud83d"`, `"\ude00\ud83d"`,
		`"\ud83d\ud83d\ude00"`, `"é中😀"`,
	} {
		var want string
		if err := json.Unmarshal([]byte(literal), &want); err != nil {
			t.Fatal(err)
		}
		if got := string(Unquote(nil, []byte(literal), 1<<20)); got != want {
			t.Errorf("%s: %q, want %q", literal, got, want)
		}
	}
}

func TestUnquoteStopsAtRuneBorder(t *testing.T) {
	literal := []byte(`"` + strings.Repeat("é", 1000) + `"`)
	for max := range 20 {
		if got := Unquote(nil, literal, max); len(got) > max+3 || !utf8.Valid(got) {
			t.Errorf("max %d: %d bytes, valid %t", max, len(got), utf8.Valid(got))
		}
	}
}

// The scanner agrees with encoding/json on valid JSON and the spans of its values, and under any
// options its nodes are a tree.
func FuzzScan(f *testing.F) {
	for _, text := range []string{`{"a":[1,{"b":"\u00e9"}],"a":null}`, `[[],{},"",0.5e-3]`, `[1,]`, "\xef\xbb\xbf[]", `"`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if !utf8.Valid(b) || len(b) > 1<<12 {
			t.Skip()
		}
		s, ok := scanAll(b, everything)
		if want := json.Valid(b); ok != want {
			t.Fatalf("accepted %t, encoding/json %t", ok, want)
		}
		if !ok {
			return
		}
		if want := oracle(b); !reflect.DeepEqual(nodes(s), want) {
			t.Fatalf("nodes %+v, want %+v", nodes(s), want)
		}
		small, _ := scanAll(b, Options{Leaf: 8, Record: 16, Nodes: 12, Depth: 3})
		checkTree(t, small)
		for i := range nodes(s) {
			if s.Node(int32(i)).Kind == Text {
				n, want := s.Node(int32(i)), ""
				if json.Unmarshal(b[n.Start:n.End], &want) == nil && string(Unquote(nil, b[n.Start:n.End], len(b))) != want {
					t.Fatalf("unquoted %s differs", b[n.Start:n.End])
				}
			}
		}
	})
}

func BenchmarkScan(b *testing.B) {
	for name, doc := range corpus(b) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(doc)))
			for b.Loop() {
				scanAll(doc, Options{Leaf: 3000, Record: 6000, Nodes: 1 << 16, Depth: 64})
			}
		})
	}
}
