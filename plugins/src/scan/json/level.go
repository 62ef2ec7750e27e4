package json

// dropLevel drops the deepest level that has nodes, and the level is not noted again. A text
// with too many values is thus named to the same depth everywhere.
func (s *Scanner) dropLevel() {
	deepest, all := uint8(0), int32(s.count)
	for i := range all {
		deepest = max(deepest, s.Node(i).Depth)
	}
	s.depth = int(deepest) - 1
	s.open = s.open[:min(len(s.open), s.depth+1)]

	moved := make([]int32, all+1) // nodes kept before each position
	for i := range all {
		moved[i+1] = moved[i]
		if s.Node(i).Depth < deepest {
			moved[i+1]++
		}
	}
	for i := range all {
		n := *s.Node(i)
		if n.Depth == deepest {
			continue
		}
		if n.next > 0 {
			n.next = moved[n.next]
		}
		*s.Node(moved[i]) = n
	}
	s.first = moved[s.first]
	s.count = int(moved[all])
	for i, at := range s.open {
		s.open[i] = moved[at]
	}
}
