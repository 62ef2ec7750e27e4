package printer

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/host/section/display"
	"github.com/mcpctl/mcpctl/host/section/tree"
)

// minLabel is the shortest prefix of a label that is still informative.
const minLabel = 10

// foldTitle returns the number of members of a fold and the labels of as many of them as
// fit, the largest first, because a reader most probably looks for something in those.
// They are in the order of the text, and "+3" counts the others. If only two labels fit, or
// if the labels are sorted, the title has the first and the last one. It has no labels if
// they are in the id.
func (pr *Printer) foldTitle(p *tree.Part, st style) string {
	text := strconv.Itoa(len(p.Members)) + " " + pr.chooseNoun(p.Members)
	room := st.fold - len(text) - len(": ")
	if room <= minLabel {
		return text
	}
	ends := pr.readEnds(p.Members)
	if p.ByID && ends.inID {
		return text
	}
	if !ends.ordered || len(p.Members) <= maxNamed && !ends.numbered {
		if labels, n := pr.nameMembers(p.Members, ends.preferID, room); n == len(p.Members) || n > 0 && !ends.ordered {
			return text + labels
		}
	}
	limit := (room - len(to)) / 2
	first, last := clipLabel(ends.first, limit), clipLabel(ends.last, limit)
	switch {
	case ends.ordered, first == last && ends.first != ends.last:
		return text + nameRange(ends.first, ends.last, room)
	case first == last:
		first, last = pr.distinguish(p, first, limit)
	}
	if first == last {
		return text + ": " + first
	}
	return text + ": " + first + to + last
}

// ends are the labels of the first and the last of some parts.
type ends struct {
	first, last string
	inID        bool // the label is in the id of its part
	preferID    bool // see label
	numbered    bool // they differ only in their numbers
	ordered     bool // the labels of all parts are sorted
}

// readEnds reads the labels of the first and the last of some parts. For their order, it also
// reads a sample of the others, unless the two are numbered.
func (pr *Printer) readEnds(parts []tree.Part) (e ends) {
	e.first, e.inID = pr.label(&parts[0], false)
	e.last, _ = pr.label(&parts[len(parts)-1], false)
	if e.numbered = isNumbered(e.first, e.last); e.numbered {
		e.ordered = true
		return e
	}
	var labels []string
	labels, e.preferID = pr.sampleLabels(parts)
	e.first, e.inID = pr.label(&parts[0], e.preferID)
	e.last, e.ordered = labels[len(labels)-1], isOrdered(labels)
	return e
}

// to separates the first and the last member of a fold.
const to = " .. "

// nameRange returns the ends of a range in up to room bytes, after a separator: ": a .. b". If
// they would be cut to the words that both begin with, these are written once: " a.*: b .. c".
func nameRange(first, last string, room int) string {
	lead, prefix := ": ", commonWords(first, last)
	if limit := (room - len(to)) / 2; max(len(first), len(last)) > limit && len(prefix) >= max(minPrefix, limit-minLabel) {
		first, last = first[len(prefix):], last[len(prefix):]
		short := clipStart(prefix, max(room/3, room-len(" *")-len(first)-len(to)-len(last)))
		lead = " " + short + "*: "
		room -= len(short) + len(" *")
	}
	limit := (room - len(to)) / 2
	clip := func(label string) string { return display.Clean([]byte(label), limit) } // keeps the beginnings, by which labels are sorted
	if first, last = clip(first), clip(last); first == last {
		return lead + first
	}
	return lead + first + to + last
}

// minPrefix is the least size of the words that all labels begin with which are written once.
const minPrefix = 4

// commonWords returns the words that two labels begin with.
func commonWords(a, b string) string {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	isInWord := func(text string) bool { return n < len(text) && !isWordStart(text, n) }
	for n > 0 && (isInWord(a) || isInWord(b)) {
		n--
	}
	return a[:n]
}

// clipStart returns the end of a text, from the beginning of a word, in up to limit bytes.
func clipStart(text string, limit int) string {
	for i := 1; i < len(text) && len(text) > limit; i++ {
		if len(text)-i+len(display.Ellipsis) <= limit && isWordStart(text, i) {
			return display.Ellipsis + text[i:]
		}
	}
	return display.Clean([]byte(text), limit)
}

// nameMembers returns the labels of as many parts as fit into room bytes, after a separator:
// ": a, b +3". If that names more of them, elements are named without their ids, and the
// words that all labels begin with are written once: " a.*: b, c +2". It also returns how
// many it names, which is 0 if less than two of them fit.
func (pr *Printer) nameMembers(parts []tree.Part, preferID bool, room int) (best string, most int) {
	labels := pr.readLabels(parts, preferID)
	for _, shorten := range []func([]member) string{keepLabels, dropIDs, dropPrefix} {
		prefix := shorten(labels)
		lead := ": "
		if prefix != "" {
			lead = " " + prefix + "*: "
		}
		if prefix != "" && len(labels) < len(parts) {
			break // others may begin differently
		}
		if text, n := chooseLabels(labels, len(parts), room+len(": ")-len(lead)); n > most {
			best, most = lead+text, n
		}
	}
	return best, most
}

// member is a part that a title may name.
type member struct {
	label, id string // an element may have its id before its name in the label
	at, size  int    // position among the parts; bytes
}

// readLabels returns the largest parts in the order of their size.
func (pr *Printer) readLabels(parts []tree.Part, preferID bool) []member {
	members := make([]member, len(parts))
	for i := range parts {
		members[i] = member{at: i, size: pr.tree.Size(&parts[i])}
	}
	slices.SortStableFunc(members, func(a, b member) int { return b.size - a.size })
	members = members[:min(len(members), maxRead)]
	for i := range members {
		p := &parts[members[i].at]
		members[i].label, _ = pr.label(p, preferID)
		if p.IsSection() && pr.language.HasElements() {
			members[i].id = nameInID(pr.tree.Sections[p.Section].ID)
		}
	}
	return members
}

func keepLabels([]member) string { return "" }

// dropIDs removes the ids of elements that also have a name.
func dropIDs(members []member) string {
	for i, m := range members {
		if name, ok := strings.CutPrefix(m.label, m.id+" "); ok && m.id != "" {
			members[i].label = name
		}
	}
	return ""
}

// dropPrefix removes the words that all labels begin with and returns them, if they take at
// least minPrefix bytes.
func dropPrefix(members []member) string {
	prefix := members[0].label
	for _, m := range members {
		prefix = commonWords(prefix, m.label)
	}
	if len(prefix) < minPrefix {
		return ""
	}
	for i := range members {
		members[i].label = members[i].label[len(prefix):]
	}
	return prefix
}

// clipLabel returns a label of at most limit bytes. Of a longer name that consists of several,
// such as a.b.Type.method(int), it keeps the end, which distinguishes it from others.
func clipLabel(label string, limit int) string {
	const dots = "..."
	name := strings.TrimPrefix(label, dots)
	if i := strings.IndexAny(name, " ("); i >= 0 {
		name = strings.TrimSuffix(name[:i], ":")
	}
	if len(label) <= limit || strings.Count(name, ".")+strings.Count(name, "/") < 2 {
		return display.Clean([]byte(label), limit)
	}
	if len(name) <= limit && name == label[:len(name)] {
		return name
	}
	for i := 1; i < len(name); i++ {
		if len(name)-i+len(dots) <= limit && isWordStart(name, i) {
			return dots + strings.TrimRight(name[i:], ".")
		}
	}
	return display.Clean([]byte(label), limit)
}

// isNumbered reports whether two labels differ only in their numbers.
func isNumbered(first, last string) bool {
	const digits = "0123456789"
	withoutDigits := func(r rune) rune {
		if strings.ContainsRune(digits, r) {
			return -1
		}
		return r
	}
	return first != last && strings.ContainsAny(first, digits) && strings.Map(withoutDigits, first) == strings.Map(withoutDigits, last)
}

// dropRepeated returns only the number of members from the title of a fold if the
// fold before it has the same labels. It also returns the labels.
func dropRepeated(title, before string) (string, string) {
	count, labels, _ := strings.Cut(title, ": ")
	if labels == before {
		return count, labels
	}
	return title, labels
}

// distinguish returns labels for the first and the last member of a fold that have
// the same label: the text below their headings, if headings are repeated.
func (pr *Printer) distinguish(p *tree.Part, label string, limit int) (first, last string) {
	ends := [2]string{label, label}
	for i, m := range [2]*tree.Part{&p.Members[0], &p.Members[len(p.Members)-1]} {
		if !m.IsSection() || m.Source == nil || !pr.repeatsHeading(m.Section) {
			continue
		}
		if text := display.Clean([]byte(pr.textBelowHeading(m)), limit); text != "" {
			ends[i] = text
		}
	}
	return ends[0], ends[1]
}

// chooseNoun returns the word for parts: the tag of XML elements that all have the same
// one, because an element that is named by a value does not show it.
func (pr *Printer) chooseNoun(parts []tree.Part) string {
	const parted, maxTag = "parts", 32
	if !pr.language.HasElements() {
		return parted
	}
	common := ""
	for i := range parts {
		text := parts[i].Bytes()
		if parts[i].Kind != tree.KindSection {
			return parted
		}
		tag := pr.language.Tag(text[:min(len(text), maxTag)])
		if tag == "" || i > 0 && tag != common {
			return parted
		}
		common = tag
	}
	if len(common) >= maxTag-1 {
		return parted
	}
	return display.Clean([]byte(common), maxTag)
}

// isWordStart reports whether a word begins at text[i]: after a byte that is no letter or
// digit, or with a capital letter.
func isWordStart(text string, i int) bool {
	before, at := rune(text[i-1]), rune(text[i])
	return at < utf8.RuneSelf && before < utf8.RuneSelf && isWord(at) && (!isWord(before) || unicode.IsUpper(at) && !unicode.IsUpper(before))
}

// chooseLabels returns the labels of the largest members, as many as fit into room bytes, in
// the order of the text, and their number. " +3" counts the rest of all parts. It returns ""
// if less than two of them fit.
func chooseLabels(members []member, all, room int) (text string, n int) {
	var chosen []member
	used := 0
	seen := map[string]bool{}
	for _, m := range members {
		rest := 0
		if len(chosen)+1 < all {
			rest = len(" +") + len(strconv.Itoa(all))
		}
		if size := len(m.label) + len(separator); m.label != "" && !seen[m.label] && len(m.label) <= room*2/3 && used+size+rest <= room+len(separator) {
			chosen, seen[m.label] = append(chosen, m), true
			used += size
		}
	}
	if len(chosen) < 2 {
		return "", 0
	}
	slices.SortFunc(chosen, func(a, b member) int { return a.at - b.at })
	for i, m := range chosen {
		if i > 0 {
			text += separator
		}
		text += m.label
	}
	if len(chosen) < all {
		text += " +" + strconv.Itoa(all-len(chosen))
	}
	return text, len(chosen)
}

const (
	separator = ", "
	// maxRead is the maximum number of members of a fold whose labels are read.
	maxRead = 64
	// maxNamed is the number of members that a title may name all of.
	maxNamed = 16
)
