package json

import (
	"bytes"
	"reflect"
	"strings"
	"testing"
)

// pad appends the margin after which the walker stops.
func pad(text []byte) []byte { return append(bytes.Clone(text), strings.Repeat(" ", 32)...) }

// readLeaf reads the container at p if it ends within limit bytes.
func readLeaf(b []byte, p, limit int, fields []field) (end, kids int, ok bool) {
	w := walker{at: p, want: wantValue, open: 1, from: p, fields: fields}
	ok = w.run(b, min(len(b)-margin, p+limit))
	return w.at, w.kids, ok
}

// checkLeaf compares the walker with the loop of Scan for the container at p.
func checkLeaf(t *testing.T, b []byte, p, limit int) {
	t.Helper()
	fields := make([]field, 64)
	end, kids, ok := readLeaf(b, p, limit, fields)
	s := New(b, everything)
	s.fast = 0 // use the loop alone
	wantEnd, want := s.Scan(p)
	if !ok {
		return
	}
	if !want || wantEnd != end || int(s.Node(0).Kids) != kids || end-p > limit {
		t.Fatalf("leaf of %q reads %d bytes and %d children, the scan %d (%t) and %v", b[p:], end, kids, wantEnd, want, nodes(s))
	}
	if s.Node(0).Kind != Object || kids > len(fields) {
		return
	}
	for i, m := range s.Members(nil, 0) {
		f := fields[i]
		if got := (Member{int32(p) + int32(f.key), int32(p) + int32(f.keyEnd), int32(p) + int32(f.start), int32(p) + int32(f.end), m.Kind}); got != m {
			t.Fatalf("member %d of %q is %v, want %v", i, b[p:end], got, m)
		}
	}
}

func TestWalkerAgreesWithScan(t *testing.T) {
	for name, text := range corpus(t) {
		s, _ := scanAll(text, everything)
		b := pad(text)
		for i := range nodes(s) {
			n := s.Node(int32(i))
			if n.Kind != Array && n.Kind != Object || n.Size() > maxField {
				continue
			}
			checkLeaf(t, b, int(n.Start), n.Size())
			end, _, ok := readLeaf(b, int(n.Start), n.Size(), nil)
			if !ok || end != int(n.End) {
				t.Errorf("%s: node %d of %d bytes is no leaf", name, i, n.Size())
			}
			if _, _, ok := readLeaf(b, int(n.Start), n.Size()-1, nil); ok {
				t.Errorf("%s: node %d of %d bytes is a leaf of less", name, i, n.Size())
			}
		}
	}
}

func TestMembersAgreeWithEach(t *testing.T) {
	text := []byte(`[` + strings.Repeat(`{"id": "a", "n":-1.5e3,"deep":{"x":[1,{"y":null}]},"t":true ,"s":"q\"\u00e9é"}, `, 40) + `{}]`)
	s := New(text, Options{Leaf: 300, Record: 300, Nodes: 1000, Depth: 9})
	if _, ok := s.Scan(0); !ok {
		t.Fatal("refused")
	}
	noted := 0
	for i := range nodes(s)[1:] {
		n := *s.Node(int32(i) + 1)
		if n.next < 0 {
			noted++
		}
		if got, want := s.Members(nil, int32(i+1)), AppendMembers(nil, text, n); !reflect.DeepEqual(got, want) {
			t.Fatalf("node %d: members %v, read %v", i+1, got, want)
		}
	}
	if noted < 20 {
		t.Errorf("the members of %d of 40 records were noted", noted)
	}
}

func FuzzLeaf(f *testing.F) {
	f.Add([]byte(`{"a": [1,2.5,-0,true , null], "b":{"c":"d\n"}}`))
	f.Add([]byte("[\n  {\n    \"a\" : 01\n  }\n]"))
	f.Add([]byte(`[1,]{"a":}[}{]`))
	f.Fuzz(func(t *testing.T, text []byte) {
		if len(text) == 0 || text[0] != '{' && text[0] != '[' {
			t.Skip()
		}
		checkLeaf(t, pad(text), 0, len(text))
	})
}

// The bytes after the end of a text do not change the result.
func TestNoReadAfterEnd(t *testing.T) {
	for _, whole := range []string{`{"a":"b","c":[1,22,{"d":null}],"e":"\"f"}`, `["a", 1234567 ,"ends with a quote"]`, `{"key":123456789,"k":true}`} {
		for front := range 40 {
			for cut := 1; cut <= len(whole); cut++ {
				memory := []byte(strings.Repeat(" ", front) + whole + strings.Repeat(`"]}`, 20))
				text := memory[:front+cut]
				s := New(text, Options{Leaf: 300, Record: 300, Top: 300, Nodes: 100, Depth: 9})
				if end, ok := s.Scan(front); ok != (cut == len(whole)) || end > len(text) {
					t.Fatalf("%q: %t at %d", text, ok, end)
				}
				if cut == len(whole) && !reflect.DeepEqual(AppendMembers(nil, text, *s.Node(0)), AppendMembers(nil, bytes.Clone(text), *s.Node(0))) {
					t.Fatalf("%q: members depend on the bytes after the text", text)
				}
			}
		}
	}
}
