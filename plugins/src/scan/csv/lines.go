package csvscan

import "sort"

// numbers are those of the lines at which records begin. Most records are one line:
// only those are noted that do not begin on the line behind the one before.
type numbers struct {
	jumps []jump
	next  int32 // line behind the last record if that is one line
}

// jump is a record and its line.
type jump struct{ row, line int32 }

// note notes the line of a record, the records in order.
func (n *numbers) note(row int, line int32) {
	if line != n.next || row == 0 {
		n.jumps = append(n.jumps, jump{int32(row), line})
	}
	n.next = line + 1
}

// of is the line of a record that was noted.
func (n *numbers) of(row int) int32 {
	i := sort.Search(len(n.jumps), func(i int) bool { return int(n.jumps[i].row) > row }) - 1
	return n.jumps[i].line + int32(row) - n.jumps[i].row
}
