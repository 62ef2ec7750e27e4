package printer

import (
	"slices"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/section/display"
	"github.com/mcpctl/mcpctl/host/section/ids"
	"github.com/mcpctl/mcpctl/host/section/tree"
)

const (
	// shortIndex is the number of tokens that an index may always take: up to it,
	// parts are expanded in place and titles printed whole. Beyond it, additional
	// text has to save more tokens than it costs.
	shortIndex = 300
	// titleIndex is the number of tokens up to which titles are printed whole.
	titleIndex = 600
	// callTokens is the cost of a call to a reader, beside the answer.
	callTokens = 40

	// A reader of a part at a deep level has made calls to get there, and each
	// index on the way could have saved one. For each level, up to deepLevels, an
	// index may therefore take deeperIndex tokens more, and a call counts
	// deeperCall tokens more. Only the deepest parts take many calls.
	deeperIndex = 40
	deepLevels  = 5
	deeperCall  = 20
)

const (
	// minFoldLines is the least number of lines that is informative about more
	// parts than that.
	minFoldLines = 6
	// minSmall is the least number of small neighbours worth a fold: a line that
	// names two parts is hardly shorter than two lines.
	minSmall = 3
	// minBesideTrunk is the same beside a trunk below the top, where a level should
	// take few lines.
	minBesideTrunk = 2
)

// lookAhead expands lines of an index in place: it replaces a line by the lines of
// its parts, so that readers need fewer calls.
type lookAhead struct {
	*Printer
	maxLines  int
	maxTokens int
	depth     int // levels from the top to the part of the index

	lines []expandable
	cost  int // tokens of all lines
	size  int // bytes of all parts
}

// expandable is a part with the cost of its line.
type expandable struct {
	tree.Part
	cost      int // tokens
	size      int // bytes
	canExpand bool
}

func (a *lookAhead) measureLines(parts []tree.Part) (lines []expandable, cost int) {
	lines = make([]expandable, len(parts))
	for i := range parts {
		l := &lines[i]
		*l = expandable{
			Part: parts[i], size: a.tree.Size(&parts[i]),
			canExpand: a.canExpand(&parts[i]) || a.tree.IsKind(&parts[i], abi.SectionGroup),
			cost:      display.Tokens(a.formatLine(&parts[i])),
		}
		cost += l.cost
	}
	return lines, cost
}

// expand replaces the largest part by its parts while lines and tokens are left.
func (a *lookAhead) expand(parts []tree.Part) []tree.Part {
	a.lines, a.cost = a.measureLines(parts)
	for i := range a.lines {
		a.size += a.lines[i].size
	}
	for len(a.lines) < a.maxLines {
		at := findLargest(a.lines)
		if at < 0 {
			break
		}
		l := &a.lines[at]
		l.canExpand = false
		if inner, cost, ok := a.findReplacement(l, a.maxLines-len(a.lines)+1); ok {
			a.cost += cost - l.cost
			a.lines = slices.Concat(a.lines[:at], inner, a.lines[at+1:])
		}
	}
	out := make([]tree.Part, len(a.lines))
	for i := range a.lines {
		out[i] = a.lines[i].Part
	}
	return out
}

// findReplacement returns at most room lines that replace l. If l is nearly all of the
// index, or below the top, it tries fewer lines of larger parts.
func (a *lookAhead) findReplacement(l *expandable, room int) (inner []expandable, cost int, ok bool) {
	if !a.isMost(l) && !a.canExpand(&l.Part) {
		return nil, 0, false
	}
	run := ids.RunOf(a.tree, &l.Part)
	for ; len(run.Items) <= room || room >= minFoldLines || len(a.lines) == 1; room = room * 3 / 4 {
		inner, cost = a.measureLines(a.skipOnlyChildren(a.foldSmall(run, a.Fold(run, room))))
		if a.isWorthwhile(l, cost) {
			return inner, cost, true
		}
		if !a.isMost(l) && a.depth == 0 {
			break
		}
	}
	return nil, 0, false
}

// foldSmall folds neighbours that are shorter than their lines, unless parts, which
// are those of run, are folded already. All readers pay for the lines, most of them
// to reach the large parts. Parts beside a trunk are folded up to one leaf, so that one
// index can span many levels.
func (a *lookAhead) foldSmall(run ids.Run, parts []tree.Part) []tree.Part {
	if len(parts) != len(run.Items) {
		return parts
	}
	trunk := a.findTrunk(parts)
	var out []tree.Part
	for from := 0; from < len(parts); {
		to, least := a.endOfSmall(parts, from), minSmall
		if trunk >= 0 {
			to = a.endOfLeaf(parts, from, trunk)
			if a.depth > 0 {
				least = minBesideTrunk
			}
		}
		if to-from >= least {
			out = append(out, run.Slice(from, to).Fold(a.tree))
		} else {
			to = max(to, from+1)
			out = append(out, parts[from:to]...)
		}
		from = to
	}
	if len(out) == 1 {
		return parts
	}
	return out
}

// findTrunk returns the position of the part that has parts itself and half of all
// bytes, at the top nearly all bytes; or -1.
func (a *lookAhead) findTrunk(parts []tree.Part) int {
	sum, most := 0, 0
	for i := range parts {
		size := a.tree.Size(&parts[i])
		sum += size
		if size > a.tree.Size(&parts[most]) {
			most = i
		}
	}
	least := sum / 2
	if a.depth == 0 {
		least = sum / 10 * 9
	}
	if len(parts) == 0 || a.tree.Size(&parts[most]) < least || !a.canExpand(&parts[most]) {
		return -1
	}
	return most
}

// endOfSmall returns the end of the parts from a position that are shorter than
// their lines.
func (a *lookAhead) endOfSmall(parts []tree.Part, from int) (to int) {
	for to = from; to < len(parts) && a.tree.Size(&parts[to]) < len(a.formatLine(&parts[to])); to++ {
	}
	return to
}

// endOfLeaf returns the end of the parts from a position, up to the trunk, that
// make one leaf of moderate size.
func (a *lookAhead) endOfLeaf(parts []tree.Part, from, trunk int) (to int) {
	left := a.Settings.LeafSize * 2 / 3
	for to = from; to < len(parts) && to != trunk; to++ {
		if left -= a.tree.Size(&parts[to]); left < 0 {
			break
		}
	}
	return to
}

// isMost reports whether l is nearly all of the index. Then even a group is
// expanded: a property that most of the content has in common does not help a
// reader to choose.
func (a *lookAhead) isMost(l *expandable) bool { return l.size >= a.size/10*9 }

// isWorthwhile reports whether to replace l by lines of so many tokens. A sole line is
// always replaced, and any line while the index is short. Beyond that, the calls
// that are saved must outweigh the tokens that all readers pay; the share of
// readers who would open l is estimated by its share of the bytes.
func (a *lookAhead) isWorthwhile(l *expandable, cost int) bool {
	more := cost - l.cost
	switch {
	case len(a.lines) == 1, a.cost+more <= min(shortIndex+deeperIndex*min(a.depth, deepLevels), a.maxTokens):
		return true
	case a.cost+more > a.maxTokens:
		return false
	}
	return l.size*(callTokens+deeperCall*a.depth+cost) >= a.size*more
}

// findLargest returns the position of the largest line that can be expanded, or -1.
func findLargest(lines []expandable) int {
	best := -1
	for i := range lines {
		if lines[i].canExpand && (best < 0 || lines[i].size > lines[best].size) {
			best = i
		}
	}
	return best
}
