package jsonscan

// dropLevel forgets the deepest level that has nodes, for good: a text with
// more values than can be named is named less deep, the same way all over.
func (s *Scanner) dropLevel() {
	deepest := int16(0)
	for i := range s.Nodes {
		deepest = max(deepest, s.Nodes[i].Depth)
	}
	s.depth = int(deepest) - 1
	s.open = s.open[:min(len(s.open), s.depth+1)]

	moved := make([]int32, len(s.Nodes)+1) // nodes kept before each position
	for i := range s.Nodes {
		moved[i+1] = moved[i]
		if s.Nodes[i].Depth < deepest {
			moved[i+1]++
		}
	}
	for i := range s.Nodes {
		if s.Nodes[i].Depth == deepest {
			continue
		}
		n := s.Nodes[i]
		if n.Parent >= 0 {
			n.Parent = moved[n.Parent]
		}
		n.Next = moved[n.Next]
		s.Nodes[moved[i]] = n
	}
	s.first = moved[s.first]
	s.Nodes = s.Nodes[:moved[len(s.Nodes)]]
	for i, at := range s.open {
		s.open[i] = moved[at]
	}
}
