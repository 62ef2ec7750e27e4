package group

import "github.com/mcpctl/mcpctl/plugins/src/internal/pool"

// maxChain bounds the levels of groups where references form chains.
const maxChain = 16

// lists are linked lists of rows. Each row is in at most one list.
type lists struct {
	first []int32 // by list: its first row, none if it is empty
	next  []int32 // by row: the next one in its list
}

// newLists returns n lists of n rows.
func newLists(memory *pool.Pool[int32], n int) lists {
	l := lists{memory.Get(n), memory.Get(n)}
	for i := range l.first {
		l.first[i] = none
	}
	return l
}

// prepend puts a row in front of a list.
func (l *lists) prepend(list, row int32) { l.first[list], l.next[row] = row, l.first[list] }

func (l *lists) release(memory *pool.Pool[int32]) {
	memory.Put(l.first)
	memory.Put(l.next)
}

// cutCycles removes the reference of the first row of every cycle, so that all chains of
// references end. done must hold a zero for each row.
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

// shortenChains changes the references of rows at the end of chains of more than maxChain
// rows to an earlier row of the chain. depth must hold a zero for each row.
func shortenChains(target, depth []int32) {
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
