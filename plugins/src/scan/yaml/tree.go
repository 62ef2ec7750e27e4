package yaml

import (
	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
	"github.com/mcpctl/mcpctl/plugins/src/scan/yaml/syntax"
)

// tree is a syntax.Tree with links between its nodes.
type tree struct {
	syntax.Tree
	next    []int32 // by node: the first node after it that is not inside it
	topForm uint8   // part.Part.Form of the sequence that is the whole text
}

// removeRoot removes the node of the only document: it is not a part.
func (t *tree) removeRoot() {
	t.Parts, t.Places = t.Parts[1:], t.Places[1:]
	for i := range t.Parts {
		t.Parts[i].Parent--
	}
}

// truncate keeps the first n nodes.
func (t *tree) truncate(n int) {
	n = min(len(t.Parts), n)
	t.Parts, t.Places = t.Parts[:n], t.Places[:n]
}

// link finds the end of each node in the list of nodes.
func (t *tree) link() {
	if cap(t.next) < len(t.Parts) {
		t.next = make([]int32, len(t.Parts))
	}
	t.next = t.next[:len(t.Parts)]
	clear(t.next)
	for i := len(t.Parts) - 1; i >= 0; i-- {
		t.next[i] = max(t.next[i], int32(i)+1)
		if up := t.Parts[i].Parent; up >= 0 {
			t.next[up] = max(t.next[up], t.next[i])
		}
	}
}

// inside returns the range of the nodes inside a collection; -1 is the top.
func (t *tree) inside(owner int32) (from, to int32) {
	if owner < 0 {
		return 0, int32(len(t.Parts))
	}
	return owner + 1, t.next[owner]
}

// count returns the number of entries of a collection that has no groups yet; -1 is
// the top.
func (t *tree) count(owner int32) (n int) {
	from, to := t.inside(owner)
	for i := from; i < to; i = t.next[i] {
		n++
	}
	return n
}

// entries returns the n entries of a collection that has no groups yet.
func (t *tree) entries(owner int32, n int) []int32 {
	from, to := t.inside(owner)
	all := make([]int32, 0, n)
	for i := from; i < to; i = t.next[i] {
		all = append(all, i)
	}
	return all
}

// after returns the node after i in a collection. The entries of a group are entries
// of the collection too.
func (t *tree) after(i int32) int32 {
	if t.Parts[i].Kind == part.Group {
		return i + 1
	}
	return t.next[i]
}

// child returns the node of a key in a mapping, or -1.
func (t *tree) child(of int32, name string) int32 {
	for i := of + 1; i < t.next[of]; i = t.after(i) {
		if n := t.Node(i); n.IsEntry() && !n.IsItem() && string(t.Key(n)) == name {
			return i
		}
	}
	return -1
}

// sampleKeys is the number of keys that hasRepeatedKeys looks at.
const sampleKeys = 256

// hasRepeatedKeys reports whether keys at the top occur several times. YAML forbids
// it, but the speakers of a dialogue do.
func (t *tree) hasRepeatedKeys() bool {
	seen := make(map[string]bool)
	all := 0
	for i := int32(0); int(i) < len(t.Parts) && all < sampleKeys; i = t.next[i] {
		if n := t.Node(i); !n.IsItem() && n.Size > 0 {
			seen[string(t.Key(n))] = true
			all++
		}
	}
	return len(seen)*10 < all*9
}
