package yamlscan

import (
	"github.com/mcpctl/mcpctl/plugins/src/internal/caption"
	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
)

// tree is what was found, to be named.
type tree struct {
	b       []byte
	parts   []part.Part
	nodes   []place
	next    []int32 // by part: the first behind it that is not inside it
	groups  []group // of long collections
	groupBy string  // field that the config names
	grouped bool    // by that field
	top     uint8   // form of the sequence that is the whole text
	labels  []int16 // memory of division.of
}

func (t *tree) node(i int32) node { return nodeOf(&t.parts[i], t.nodes[i]) }

// link finds where each part ends in the list of parts.
func (t *tree) link() {
	if cap(t.next) < len(t.parts) {
		t.next = make([]int32, len(t.parts))
	}
	t.next = t.next[:len(t.parts)]
	clear(t.next)
	for i := len(t.parts) - 1; i >= 0; i-- {
		t.next[i] = max(t.next[i], int32(i)+1)
		if up := t.parts[i].Parent; up >= 0 {
			t.next[up] = max(t.next[up], t.next[i])
		}
	}
}

// inside is where the entries of a collection stand in the list of parts; -1 is
// the top.
func (t *tree) inside(owner int32) (from, to int32) {
	if owner < 0 {
		return 0, int32(len(t.parts))
	}
	return owner + 1, t.next[owner]
}

// after is the part after one in a collection: the entries of a group are those of
// the collection too.
func (t *tree) after(i int32) int32 {
	if t.parts[i].Kind == part.Group {
		return i + 1
	}
	return t.next[i]
}

// child returns the value of a key in a mapping, or -1.
func (t *tree) child(of int32, name string) int32 {
	for i := of + 1; i < t.next[of]; i = t.after(i) {
		if n := t.node(i); n.kind < opening && n.is&isItem == 0 && string(t.b[n.start:n.end()]) == name {
			return i
		}
	}
	return -1
}

// repeats reports whether keys at the top stand there again: YAML does not allow
// it, and who says something in a dialogue mostly says more.
func (t *tree) repeats() bool {
	seen := make(map[string]bool)
	all := 0
	for i := int32(0); int(i) < len(t.parts) && all < sampleKeys; i = t.next[i] {
		if n := t.node(i); n.is&isItem == 0 && n.size > 0 {
			seen[string(t.b[n.start:n.end()])] = true
			all++
		}
	}
	return len(seen)*10 < all*9
}

// sampleKeys are enough to see whether keys repeat.
const sampleKeys = 256

// contents says how many entries a collection has.
func (t *tree) contents(i int32) string {
	n := t.node(i)
	switch n.kind {
	case mapping:
		return caption.Count(int(n.val), "key")
	case sequence:
		return caption.Count(int(n.val), "item")
	}
	return ""
}
