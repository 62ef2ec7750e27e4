package table

// maxChain bounds groups in groups where references form chains.
const maxChain = 16

// lists are lists of rows, each in one of them at most, by number.
type lists struct {
	first []int32 // by list: its first row, none if it is empty
	next  []int32 // by row: the one behind it
}

func newLists(t *Table, n int) lists {
	l := lists{t.memory.ints.take(n), t.memory.ints.take(n)}
	for i := range l.first {
		l.first[i] = none
	}
	return l
}

// prepend puts a row in front of a list.
func (l *lists) prepend(list, row int32) { l.first[list], l.next[row] = row, l.first[list] }

func (l *lists) settle(t *Table) {
	t.memory.ints.give(l.first)
	t.memory.ints.give(l.next)
}

// cutCycles makes the first row of every cycle a head: each row must lead to one.
// done has a zero for each row.
func cutCycles(target, done []int32) {
	for r := range target {
		at := int32(r)
		for at >= 0 && done[at] == 0 {
			done[at] = int32(r) + 1
			at = target[at]
		}
		if at >= 0 && done[at] == int32(r)+1 {
			target[at] = none
		}
	}
}

// shorten hangs rows at the end of long chains on an earlier link. depth has a zero
// for each row.
func shorten(target, depth []int32) {
	var path []int32
	for r := range target {
		at := int32(r)
		path = path[:0]
		for at >= 0 && depth[at] == 0 {
			path = append(path, at)
			at = target[at]
		}
		for i := len(path) - 1; i >= 0; i-- {
			row := path[i]
			depth[row] = 1
			if to := target[row]; to >= 0 {
				if depth[to] >= maxChain {
					to = target[to]
					target[row] = to
				}
				depth[row] = depth[to] + 1
			}
		}
	}
}
