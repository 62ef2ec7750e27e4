package jsonspan

// nesting is a stack with one bit per open container, set for an object. The innermost 64
// bits are in a register.
type nesting struct {
	depth int
	top   uint64   // bit 0 is the innermost container
	outer []uint64 // full words below top
}

func (n *nesting) push(object bool) {
	if n.depth > 0 && n.depth%64 == 0 {
		n.outer = append(n.outer, n.top)
	}
	n.top <<= 1
	if object {
		n.top |= 1
	}
	n.depth++
}

func (n *nesting) pop() {
	n.depth--
	n.top >>= 1
	if n.depth > 0 && n.depth%64 == 0 {
		last := len(n.outer) - 1
		n.top, n.outer = n.outer[last], n.outer[:last]
	}
}

func (n *nesting) object() bool { return n.top&1 != 0 }
