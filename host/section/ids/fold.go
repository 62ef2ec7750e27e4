package ids

import (
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/host/section/tree"
)

// Run is a sequence of parts of Base, of which some may be folded into one line.
type Run struct {
	Base  *tree.Part
	Items []tree.Part
	First int  // position of the first item among the parts of Base
	ByID  bool // folds are named by ids; this depends on all parts of Base
}

// RunOf returns the parts of p. The parts of a fold are a run of its base.
func RunOf(t *tree.Tree, p *tree.Part) Run {
	if p.Kind == tree.KindFold {
		return Run{p.Base, p.Members, int(p.Number), p.ByID}
	}
	items := t.PartsOf(*p)
	return Run{Base: p, Items: items, ByID: len(items) > 2 && areSorted(t, items)}
}

// Slice returns the items from one position of a run up to another.
func (r Run) Slice(from, to int) Run {
	return Run{r.Base, r.Items[from:to], r.First + from, r.ByID}
}

// Fold returns one part for all items of a run.
func (r Run) Fold(t *tree.Tree) tree.Part {
	return tree.Part{
		Kind: tree.KindFold, Section: r.Base.Section, Number: int32(r.First), End: t.TotalSize(r.Items),
		Origin: &tree.Origin{Base: r.Base, Members: r.Items, ByID: r.ByID},
	}
}

// foldID names a fold by its first and last member: by their ids if the ids of all
// siblings are sorted, as @apple..cherry, else by position, as @0..15.
func foldID(t *tree.Tree, p *tree.Part) string {
	if p.ByID {
		first, last := Segment(t, &p.Members[0]), Segment(t, &p.Members[len(p.Members)-1])
		if canDropSign(t, p, first) && canDropSign(t, p, last) {
			first, last = first[1:], last[1:]
		}
		return "@" + first + ".." + last
	}
	return "@" + strconv.Itoa(int(p.Number)) + ".." + strconv.Itoa(int(p.Number)+len(p.Members)-1)
}

// canDropSign reports whether the id of a group may be in the id of the fold p
// without its @, because no sibling has that id.
func canDropSign(t *tree.Tree, p *tree.Part, id string) bool {
	if !strings.HasPrefix(id, "@") {
		return false
	}
	_, taken := t.Child(t.OwnerIn(p.Base), id[1:])
	return !taken
}

// ParseFold returns the fold of parts of base that segment names. Ids may contain dots
// themselves, so each pair of dots is tried.
func ParseFold(t *tree.Tree, base tree.Part, segment string) (tree.Part, bool) {
	name, ok := strings.CutPrefix(segment, "@")
	if !ok || !strings.Contains(name, "..") {
		return tree.Part{}, false
	}
	items := t.PartsOf(base)
	run := Run{Base: &base, Items: items, ByID: areSorted(t, items)}
	for i := 0; i+2 <= len(name); i++ {
		if name[i:i+2] != ".." {
			continue
		}
		first, ok1 := itemAt(t, items, name[:i], run.ByID)
		last, ok2 := itemAt(t, items, name[i+2:], run.ByID)
		if ok1 && ok2 && first <= last {
			return run.Slice(first, last+1).Fold(t), true
		}
	}
	return tree.Part{}, false
}

// itemAt returns the position of one end of a fold: an id if ids are sorted, else
// a position. The other form is accepted too.
func itemAt(t *tree.Tree, items []tree.Part, name string, byID bool) (int, bool) {
	if !byID {
		if i, ok := Position(name); ok && i < len(items) {
			return i, true
		}
	}
	for _, id := range [...]string{name, "@" + name} { // see canDropSign
		for i := range items {
			if Segment(t, &items[i]) == id {
				return i, true
			}
		}
	}
	i, ok := Position(name)
	return i, ok && i < len(items)
}

// areSorted reports whether ids are in ascending order, natural or by bytes as of most
// programs that sort keys. Ids of gaps are ignored.
func areSorted(t *tree.Tree, items []tree.Part) bool {
	before, natural, byBytes := "", true, true
	for i := range items {
		id := Segment(t, &items[i])
		if id == "" || id[0] == '~' {
			continue
		}
		natural = natural && !NaturalLess(id, before)
		if byBytes = byBytes && id >= before; !natural && !byBytes {
			return false
		}
		before = id
	}
	return before != ""
}

// NaturalLess reports whether a comes before b if letters are compared without case and
// runs of digits as numbers, so that L9 comes before L10.
func NaturalLess(a, b string) bool {
	for a != "" && b != "" {
		if isDigit(a[0]) && isDigit(b[0]) {
			na, ra := cutDigits(a)
			nb, rb := cutDigits(b)
			if len(na) != len(nb) {
				return len(na) < len(nb)
			}
			if na != nb {
				return na < nb
			}
			a, b = ra, rb
			continue
		}
		ca, cb := Lower(a[0]), Lower(b[0])
		if ca != cb {
			return ca < cb
		}
		a, b = a[1:], b[1:]
	}
	return len(a) < len(b)
}

func cutDigits(s string) (digits, rest string) {
	n := 0
	for n < len(s) && isDigit(s[n]) {
		n++
	}
	return strings.TrimLeft(s[:n], "0"), s[n:]
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// Lower returns an ASCII letter in lower case, and any other byte unchanged.
func Lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c | 0x20
	}
	return c
}
