package section

import (
	"slices"

	"github.com/mcpctl/mcpctl/abi"
)

const (
	// shortIndex is how many tokens an index may take whatever it says: up to there
	// it opens parts in place and prints whole titles; beyond it more words have to
	// save more than they cost.
	shortIndex = 300
	// callTokens is what a call costs a reader beside its answer.
	callTokens = 40

	// Who opens a part that lies deep has made calls to get there, and each index on
	// the way could have spared one: with each level an index may take deeperIndex
	// tokens more whatever it says, up to those of deepIndex levels, and a call counts
	// as deeperCall tokens more. Of calls only the deepest parts take many.
	deeperIndex = 40
	deepIndex   = 5
	deeperCall  = 20
)

// line is a part with what look-ahead needs to know of it.
type line struct {
	part
	cost  int // tokens
	size  int // bytes
	opens bool
}

func (d *Doc) linesOf(parts []part) (lines []line, cost int) {
	lines = make([]line, len(parts))
	for i := range parts {
		l := &lines[i]
		*l = line{
			part: parts[i], size: d.partSize(&parts[i]),
			opens: d.opens(&parts[i]) || d.isKind(&parts[i], abi.SectionGroup),
			cost:  tokens(d.appendLine(nil, &parts[i], styles[1])),
		}
		cost += l.cost
	}
	return lines, cost
}

// ahead is a look-ahead that goes on.
type ahead struct {
	lines []line
	cost  int // tokens of all lines
	size  int // bytes of all lines
	depth int // of the part whose index it is: levels that a reader went down
	most  int // tokens that the index may take
}

// worthFolding is the least lines that tell enough of more parts than that.
const worthFolding = 6

// lookAhead opens the largest part in place as long as lines and tokens are
// left: its line is replaced by those of its parts. depth is that of what they are
// parts of.
func (d *Doc) lookAhead(parts []part, most, tokens, depth int) []part {
	a := ahead{most: tokens, depth: depth}
	a.lines, a.cost = d.linesOf(parts)
	for i := range a.lines {
		a.size += a.lines[i].size
	}
	for len(a.lines) < most {
		at := largest(a.lines)
		if at < 0 {
			break
		}
		l := &a.lines[at]
		l.opens = false
		if inner, cost, ok := d.inside(&a, l, most-len(a.lines)+1); ok {
			a.cost += cost - l.cost
			a.lines = slices.Concat(a.lines[:at], inner, a.lines[at+1:])
		}
	}
	out := make([]part, len(a.lines))
	for i := range a.lines {
		out[i] = a.lines[i].part
	}
	return out
}

// inside returns the lines, up to room, by which to replace l. Below the top, and of
// a part that is nearly all there is, fewer and larger ones do.
func (d *Doc) inside(a *ahead, l *line, room int) (inner []line, cost int, ok bool) {
	if !a.isMost(l) && !d.opens(&l.part) {
		return nil, 0, false
	}
	r := d.runOf(&l.part)
	for ; len(r.items) <= room || room >= worthFolding || len(a.lines) == 1; room = room * 3 / 4 {
		inner, cost = d.linesOf(d.only(d.foldSmall(r, d.fold(r, room), a.depth > 0)))
		if a.pays(l, cost) {
			return inner, cost, true
		}
		if !a.isMost(l) && a.depth == 0 {
			break
		}
	}
	return nil, 0, false
}

// foldSmall puts neighbours together that are shorter than the lines that offer
// them: of what is opened in place all pay for its lines, mostly for the large ones.
// Where, deep down, one part goes on and the others stand beside it, what fits one
// leaf is put together: with a line or two for each level one index leads down many.
// parts are those of r, if it was not folded anyway.
func (d *Doc) foldSmall(r run, parts []part, deep bool) []part {
	if len(parts) != len(r.items) {
		return parts
	}
	trunk := -1
	if deep {
		trunk = d.trunk(parts)
	}
	var out []part
	for from := 0; from < len(parts); {
		to, least := d.smallFrom(parts, from), leastSmall
		if trunk >= 0 {
			to, least = d.besideFrom(parts, from, trunk), leastBeside
		}
		if to-from >= least {
			out = append(out, d.foldOf(run{r.base, parts[from:to], r.from + from, r.byID}))
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

const (
	// leastSmall is how many small neighbours are worth a fold: the line of one that
	// names two parts is hardly shorter than both.
	leastSmall = 3
	// leastBeside is the same where a level should take few lines.
	leastBeside = 2
)

// trunk is the part that has parts itself and half of all bytes, or -1.
func (d *Doc) trunk(parts []part) int {
	sum, most := 0, 0
	for i := range parts {
		size := d.partSize(&parts[i])
		sum += size
		if size > d.partSize(&parts[most]) {
			most = i
		}
	}
	if len(parts) == 0 || d.partSize(&parts[most]) < sum/2 || !d.opens(&parts[most]) {
		return -1
	}
	return most
}

// smallFrom is where the small parts end that begin at from.
func (d *Doc) smallFrom(parts []part, from int) (to int) {
	for to = from; to < len(parts) && d.partSize(&parts[to]) < len(d.appendLine(nil, &parts[to], styles[1])); to++ {
	}
	return to
}

// besideFrom is where the parts beside the trunk end that begin at from and are read as
// one leaf, not the largest that there may be.
func (d *Doc) besideFrom(parts []part, from, trunk int) (to int) {
	left := d.set.LeafSize * 2 / 3
	for to = from; to < len(parts) && to != trunk; to++ {
		if left -= d.partSize(&parts[to]); left < 0 {
			break
		}
	}
	return to
}

// isMost reports whether l is nearly all that there is. Then even a group is
// opened, whose line says what its members have in common: what most of the
// content has in common tells no reader where to go.
func (a *ahead) isMost(l *line) bool { return l.size >= a.size/10*9 }

// pays reports whether to replace l by lines of so many tokens. A sole part
// always is, as an index of one line tells nothing, and any part is while the
// index is short. From there on those whom it spares a call, taken to be as many
// as l has of the bytes, must save what all readers pay for the lines.
func (a *ahead) pays(l *line, cost int) bool {
	more := cost - l.cost
	switch {
	case len(a.lines) == 1, a.cost+more <= min(shortIndex+deeperIndex*min(a.depth, deepIndex), a.most):
		return true
	case a.cost+more > a.most:
		return false
	}
	return l.size*(callTokens+deeperCall*a.depth+cost) >= a.size*more
}

// largest is the line that opens most, or -1.
func largest(lines []line) int {
	best := -1
	for i := range lines {
		if lines[i].opens && (best < 0 || lines[i].size > lines[best].size) {
			best = i
		}
	}
	return best
}
