package csv

import "sort"

// lineNumbers holds the first line of each record. Most records begin on the line
// after the preceding record; only the others are stored.
type lineNumbers struct {
	jumps []jump
	next  int32 // line after the last record, if that is one line
}

// jump is a record and its line.
type jump struct{ row, line int32 }

// add adds the line of a record. Records must be added in order.
func (n *lineNumbers) add(row int, line int32) {
	if line != n.next || row == 0 {
		n.jumps = append(n.jumps, jump{int32(row), line})
	}
	n.next = line + 1
}

// of returns the line of a record.
func (n *lineNumbers) of(row int) int32 {
	i := sort.Search(len(n.jumps), func(i int) bool { return int(n.jumps[i].row) > row }) - 1
	return n.jumps[i].line + int32(row) - n.jumps[i].row
}
