package section

import (
	"bytes"
	"math"
	"sort"
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
)

// run is a stretch of the parts of base, from the position of its first on.
type run struct {
	base  *part
	items []part
	from  int
	byID  bool // folds of it are named by id: decided over all parts of base
}

// runOf returns the parts of p as a run of what they are parts of.
func (d *Doc) runOf(p *part) run {
	if p.kind == partFold {
		return run{p.base, p.members, int(p.from), p.byID}
	}
	items := d.list(*p)
	return run{base: p, items: items, byID: len(items) > 2 && d.sorted(items)}
}

// fold puts neighbours together until at most lines are left. A fold is read
// like any Section: @apple..cherry where ids are sorted, else by position,
// @0..15.
func (d *Doc) fold(r run, lines int) []part {
	if len(r.items) <= lines {
		return r.items
	}
	weights := weigh(r.items, d.partSize)
	folded := make([]part, 0, lines)
	from := 0
	for _, to := range d.packs(weights, lines) {
		if to == from+1 {
			folded = append(folded, r.items[from])
		} else {
			folded = append(folded, d.foldOf(run{r.base, r.items[from:to], r.from + from, r.byID}))
		}
		from = to
	}
	return folded
}

// weigh gives each part its bytes and those of the structure up to the next.
func weigh(parts []part, size func(p *part) int) []int {
	weights := make([]int, len(parts))
	for i := range parts {
		weights[i] = size(&parts[i])
		if i+1 < len(parts) && parts[i].space != nil && isNext(&parts[i], &parts[i+1]) {
			weights[i] += parts[i+1].start - parts[i].end
		}
	}
	return weights
}

// packs says where each fold ends: neighbours are packed up to a size, what is
// larger stands alone. The size is that at which the index and the leaf behind
// one of its lines together take least, or the least that gives so few lines.
func (d *Doc) packs(weights []int, lines int) []int {
	const lineBytes = 300 // what a line takes, thrice: readers of the index pay for it who open another one, or none
	sum, small := 0, 0
	for _, w := range weights {
		sum += w
		if w <= d.set.LeafSize {
			small += w
		}
	}
	most := sum * 2 / 3 // more would be one fold of all
	size := min(int(math.Sqrt(float64(lineBytes)*float64(small))), d.set.LeafSize, sum/3)
	if countPacks(weights, size) > lines {
		size += sort.Search(max(0, most-size), func(n int) bool { return countPacks(weights, size+n) <= lines })
	}
	if n := countPacks(weights, size); n < 2 || n > lines {
		return evenPacks(len(weights), lines)
	}
	var ends []int
	for i, sum := 0, 0; i < len(weights); i++ {
		if sum += weights[i]; i > 0 && sum > size {
			ends, sum = append(ends, i), weights[i]
		}
	}
	return append(ends, len(weights))
}

func countPacks(weights []int, size int) int {
	n, sum := 1, 0
	for i, w := range weights {
		if sum += w; sum > size && i > 0 {
			n, sum = n+1, w
		}
	}
	return n
}

// evenPacks makes folds of as many parts each.
func evenPacks(n, lines int) []int {
	per := (n + lines - 1) / lines
	var ends []int
	for end := per; end < n; end += per {
		ends = append(ends, end)
	}
	return append(ends, n)
}

// foldOf makes one part of a run; its end is how many bytes it stands for.
func (d *Doc) foldOf(r run) part {
	return part{
		kind: partFold, sec: r.base.sec, from: int32(r.from), end: d.stretch(r.items),
		origin: &origin{base: r.base, members: r.items, byID: r.byID},
	}
}

// stretch is the size of all parts together: with the structure between them
// where they stand one behind the other.
func (d *Doc) stretch(parts []part) int {
	sum, behind := 0, true
	for i := range parts {
		sum += d.partSize(&parts[i])
		behind = behind && parts[i].space != nil && (i == 0 || isNext(&parts[i-1], &parts[i]))
	}
	if behind && len(parts) > 0 {
		return parts[len(parts)-1].end - parts[0].start
	}
	return sum
}

// foldID names a fold by its first and last member. Which of the two forms it
// takes depends on the content alone, never on how it was folded.
func (d *Doc) foldID(p *part) string {
	if p.byID {
		first, last := d.segment(&p.members[0]), d.segment(&p.members[len(p.members)-1])
		if d.unsigned(p, first) && d.unsigned(p, last) {
			first, last = first[1:], last[1:]
		}
		return "@" + first + ".." + last
	}
	return "@" + strconv.Itoa(int(p.from)) + ".." + strconv.Itoa(int(p.from)+len(p.members)-1)
}

// unsigned reports whether the id of a group can stand in that of the fold p
// without its sign, which the fold has too: no sibling is called so.
func (d *Doc) unsigned(p *part, id string) bool {
	if !strings.HasPrefix(id, "@") {
		return false
	}
	_, taken := d.child(d.ownerIn(p.base), id[1:])
	return !taken
}

// foldTitle says what the members of a fold are called: all of them where there is
// room, as nothing else tells as much, else the first and the last, unless its id
// does that. In a short title the first has to do, and more of it: where the fold
// ends the next line says.
func (d *Doc) foldTitle(p *part, st style) string {
	text := strconv.Itoa(len(p.members)) + " " + d.kindIn(p.members)
	lead := len(text) + len(": ")
	if st.title >= styles[shortest].title {
		if names, ok := d.names(p.members, titleBytes-lead); ok {
			return text + ": " + names
		}
	}
	const to = " .. "
	most := (st.title - lead - len(to)) / 2
	if st.title < titleBytes {
		most = st.title - lead - len(to)
	}
	if most <= leastLabel {
		return text
	}
	first, named := d.label(&p.members[0], most)
	last, _ := d.label(&p.members[len(p.members)-1], most)
	if first == last {
		first, last = d.toldApart(p, first, most)
	}
	switch {
	case p.byID && named:
		return text
	case first == last:
		return text + ": " + first
	case st.title == titleBytes:
		return text + ": " + first + to + last
	case strings.HasSuffix(first, more):
		return text + ": " + first
	}
	return text + ": " + first + strings.TrimRight(to, " ")
}

// toldApart is how the first and the last member of a fold begin below their heading, if
// that is all the same.
func (d *Doc) toldApart(p *part, label string, most int) (first, last string) {
	ends := [2]string{label, label}
	for i, m := range [2]*part{&p.members[0], &p.members[len(p.members)-1]} {
		if m.kind != partSection || m.sec < 0 || m.space == nil || !d.repeats(m.sec) {
			continue
		}
		if text := clean([]byte(d.begins(m)), most); text != "" {
			ends[i] = text
		}
	}
	return ends[0], ends[1]
}

// kindIn is what parts are: of elements of XML that have one tag this, which an
// element that is named by a value would not tell in a fold.
func (d *Doc) kindIn(parts []part) string {
	const what, most = "parts", 32
	if !d.isXML() {
		return what
	}
	var tag []byte
	for i := range parts {
		text := parts[i].bytes()
		if parts[i].kind != partSection || len(text) < 2 || text[0] != '<' || !isNameStart(text[1]) {
			return what
		}
		is := tagName(text[:min(len(text), most)])
		if i > 0 && !bytes.Equal(is, tag) {
			return what
		}
		tag = is
	}
	if len(tag) >= most-1 {
		return what
	}
	return clean(tag, most)
}

// leastLabel is up to where what is left of a title tells nothing.
const leastLabel = 10

// names are the labels of all parts; false if they take more than most bytes, or
// could not be told apart.
func (d *Doc) names(parts []part, most int) (string, bool) {
	const separator = ", "
	var text strings.Builder
	before := ""
	for i := range parts {
		if i > 0 {
			text.WriteString(separator)
		}
		name, _ := d.label(&parts[i], titleBytes)
		if i > 0 && name == before {
			return "", false
		}
		before = name
		if text.WriteString(name); text.Len() > most || strings.Contains(name, separator) {
			return "", false
		}
	}
	return text.String(), true
}

// label is what a fold says of a member: the name that its id is made of, if its
// title has it too or it is that of an element of XML, else the title.
func (d *Doc) label(p *part, most int) (text string, named bool) {
	if p.kind == partSection && p.sec >= 0 {
		s := &d.sections[p.sec]
		named := d.isXML() && s.Kind != abi.SectionGroup && strings.Contains(s.ID, "=")
		if name := sourceName(s.ID); name != "" && (named || strings.Contains(s.Title, name)) {
			return clean([]byte(name), most), true
		}
	}
	if p.kind == partSection && p.sec >= 0 && d.sections[p.sec].Title != "" {
		return clean([]byte(d.sections[p.sec].Title), most), false // all of it: the id is not there
	}
	return d.title(p, style{title: most}), false
}

// sourceName is the name in the content that an id is made of: of tag=value the
// value. Numbers, of lines or positions, are no names.
func sourceName(id string) string {
	if _, value, ok := strings.Cut(id, "="); ok {
		id = value
	}
	if name := unescape(id); strings.Trim(strings.TrimPrefix(name, "L"), "0123456789") != "" {
		return name
	}
	return ""
}

// sorted reports whether ids ascend as a reader would sort them, the host's own
// among them passed over.
func (d *Doc) sorted(items []part) bool {
	before := ""
	for i := range items {
		id := d.segment(&items[i])
		if id == "" || id[0] == '~' {
			continue
		}
		if naturalLess(id, before) {
			return false
		}
		before = id
	}
	return before != ""
}

// naturalLess compares letters without case and stretches of digits as numbers,
// so that L9 comes before L10.
func naturalLess(a, b string) bool {
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
		ca, cb := lower(a[0]), lower(b[0])
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

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c | 0x20
	}
	return c
}

// foldNamed finds the fold that seg names among the parts of base. Ids may hold
// dots themselves, so each pair of dots is tried.
func (d *Doc) foldNamed(base part, seg string) (part, bool) {
	seg, ok := strings.CutPrefix(seg, "@")
	if !ok || !strings.Contains(seg, "..") {
		return part{}, false
	}
	items := d.list(base)
	byID := d.sorted(items)
	for i := 0; i+2 <= len(seg); i++ {
		if seg[i:i+2] != ".." {
			continue
		}
		from, to := seg[:i], seg[i+2:]
		first, ok1 := d.itemAt(items, from, byID)
		last, ok2 := d.itemAt(items, to, byID)
		if ok1 && ok2 && first <= last {
			return d.foldOf(run{&base, items[first : last+1], first, byID}), true
		}
	}
	return part{}, false
}

// itemAt finds one end of a fold: an id if ids are sorted, else a position;
// then the other way round, for readers that guess.
func (d *Doc) itemAt(items []part, name string, byID bool) (int, bool) {
	if !byID {
		if i, ok := position(name); ok && i < len(items) {
			return i, true
		}
	}
	for _, id := range [...]string{name, "@" + name} { // see unsigned
		for i := range items {
			if d.segment(&items[i]) == id {
				return i, true
			}
		}
	}
	i, ok := position(name)
	return i, ok && i < len(items)
}

// position reads a position as a path spells it: no sign, no leading zero.
func position(s string) (int, bool) {
	n, err := strconv.Atoi(s)
	return n, err == nil && n >= 0 && strconv.Itoa(n) == s
}
