package pipeline

import (
	"bytes"
	"reflect"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
)

func TestValueRoundTrip(t *testing.T) {
	tree := abi.Tree{Type: "json-array", Sections: sectionsOf([]byte("hello world"))}
	for name, out := range map[string]abi.Output{
		"empty output":   {Bytes: []byte{}},
		"pass":           {Pass: true},
		"syntax":         {Pass: true, Tree: abi.Tree{Type: "toml", Syntax: "[]", Sections: tree.Sections}},
		"pass with tree": {Pass: true, Tree: tree, Marks: []abi.Mark{{Offset: 3, Section: -1}}},
		"all":            {Bytes: []byte("output"), Tree: tree, Marks: []abi.Mark{{Offset: 1, Section: 2, Lines: 3, Bytes: 4}}, Meta: map[string]string{"type": "x", "": ""}},
	} {
		t.Run(name, func(t *testing.T) {
			v := newValue(&out)
			got, err := decodeValue(v.encode())
			if err != nil {
				t.Fatal(err)
			}
			marks, tree, err := decodeShape(got.shape)
			meta, err2 := decodeMeta(got.meta)
			if err != nil || err2 != nil {
				t.Fatal(err, err2)
			}
			back := abi.Output{Pass: got.pass, Bytes: got.output, Marks: marks, Tree: tree, Meta: meta}
			if !reflect.DeepEqual(back, out) {
				t.Errorf("got %+v\nwant %+v", back, out)
			}
			if got.shapeHash != v.shapeHash || got.hash != v.hash {
				t.Error("hashes differ")
			}
		})
	}
}

func FuzzDecodeValue(f *testing.F) {
	tree := abi.Tree{Type: "yaml", Syntax: "[]", Sections: sectionsOf([]byte("hello world"))}
	for _, out := range []abi.Output{{Pass: true}, {Bytes: []byte("x"), Tree: tree, Meta: map[string]string{"a": "b"}}} {
		v := newValue(&out)
		f.Add(v.encode())
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if v, err := decodeValue(b); err == nil {
			if w, err := decodeValue(v.encode()); err != nil || !reflect.DeepEqual(v, w) {
				t.Error("value changed in the round trip")
			}
		}
		if marks, tree, err := decodeShape(b); err == nil {
			again := appendShape(nil, marks, &tree)
			if m, tr, err := decodeShape(again); err != nil || !reflect.DeepEqual(marks, m) || !reflect.DeepEqual(tree, tr) {
				t.Error("shape changed in the round trip")
			}
		}
		if meta, err := decodeMeta(b); err == nil {
			again := appendMeta(nil, meta)
			if m, err := decodeMeta(again); err != nil || !bytes.Equal(appendMeta(nil, m), again) {
				t.Error("metadata changed in the round trip")
			}
		}
	})
}
