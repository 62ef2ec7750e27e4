package transform

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/content"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/section"
)

// onePlan stores content under the scope of the request.
type onePlan struct{ Plan }

// Owner implements Plan.
func (onePlan) Owner(scope flow.Scope) flow.Scope { return scope }

// A provisional tree may be replaced by a final one and return later. openDoc returns
// the version of the tree that it has read, which may be newer than the one that
// Touch returned; cached under the older version, the Doc would be returned again as
// soon as the older tree is back.
func TestOpenDocReturnsVersionOfItsTree(t *testing.T) {
	contents, err := content.OpenVolatile(make([]byte, 32), content.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer contents.Close()
	tr := New(Parts{Contents: contents, Plan: onePlan{}})
	scope := flow.Scope{Project: "home"}
	ref, err := tr.Store(t.Context(), scope, flow.Content{Type: abi.ToolResult, Bytes: []byte("alpha\nbeta\n")})
	if err != nil {
		t.Fatal(err)
	}
	first := abi.Tree{Sections: []abi.Section{{Parent: -1, Start: 0, End: 6, ID: "a"}}}
	then := abi.Tree{Sections: []abi.Section{{Parent: -1, Start: 6, End: 11, ID: "a"}}}
	var seen [][32]byte
	for _, tree := range []abi.Tree{first, then, first} {
		if err := contents.SetView(scope, ref, content.View{Tree: tree}); err != nil {
			t.Fatal(err)
		}
		asked, ok := contents.Touch(scope, ref)
		_, read, err := tr.openDoc(scope, ref)
		if err != nil || !ok || read != asked {
			t.Fatalf("Touch returned version %x, openDoc %x: %v", asked, read, err)
		}
		seen = append(seen, read)
	}
	if seen[0] == seen[1] || seen[0] != seen[2] {
		t.Errorf("versions %x", seen)
	}
}

// The cache evicts the least recently used Docs.
func TestDocCacheIsBounded(t *testing.T) {
	var d docCache
	text := bytes.Repeat([]byte("x"), maxDocBytes/4)
	key := func(i int) docKey { return docKey{ref: fmt.Sprint(i)} }
	open := func(text []byte) *section.Doc {
		doc, err := section.New(text, abi.Tree{}, section.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		return doc
	}
	for i := range 4 {
		d.add(key(i), open(text))
	}
	d.get(key(0)) // now 1 is the least recently used
	d.add(key(0), open(text))
	d.add(key(4), open(text))
	d.add(key(5), open(bytes.Repeat([]byte("x"), maxDocBytes+1)))
	for i, want := range []bool{true, false, true, true, true, false} {
		if got := d.get(key(i)) != nil; got != want {
			t.Errorf("Doc %d is cached: %t, want %t", i, got, want)
		}
	}
	if d.bytes > maxDocBytes || len(d.byKey) != d.order.Len() {
		t.Errorf("%d bytes, %d Docs, %d in order", d.bytes, len(d.byKey), d.order.Len())
	}
}
