package json

// bracketStack is a stack of open brackets, one bit each: set for an object. A text of 30 MB that
// only opens brackets costs 4 MB here.
type bracketStack struct {
	bits  []uint64
	depth int
}

func (n *bracketStack) push(object bool) {
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

func (n *bracketStack) pop() { n.depth-- }

// isInObject reports whether the innermost bracket is that of an object.
func (n *bracketStack) isInObject() bool {
	d := n.depth - 1
	return d >= 0 && n.bits[d>>6]&(1<<uint(d&63)) != 0
}
