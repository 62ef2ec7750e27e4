package json

// nest is a stack of brackets, one bit each: set for an object. A text of
// 30 MB that only opens brackets costs 4 MB here.
type nest struct {
	bits  []uint64
	depth int
}

func (n *nest) push(object bool) {
	word, bit := n.depth>>6, uint(n.depth&63)
	if word == len(n.bits) {
		n.bits = append(n.bits, 0)
	}
	n.bits[word] &^= 1 << bit
	if object {
		n.bits[word] |= 1 << bit
	}
	n.depth++
}

func (n *nest) pop() { n.depth-- }

// object reports whether the innermost bracket is that of an object.
func (n *nest) object() bool {
	d := n.depth - 1
	return d >= 0 && n.bits[d>>6]&(1<<uint(d&63)) != 0
}
