package printer

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/section/display"
	"github.com/mcpctl/mcpctl/host/section/ids"
	"github.com/mcpctl/mcpctl/host/section/tree"
)

// minLabel is the shortest prefix of a label that is still informative.
const minLabel = 10

// foldTitle returns the number of members of a fold and the labels of as many of them as
// fit, the largest first, because a reader most probably looks for something in those.
// They are in the order of the text, and "+3" counts the others. It has the first and the
// last label instead if only those fit, or if the labels are numbered; and none if they
// are in the id.
func (pr *Printer) foldTitle(p *tree.Part, st style) string {
	text := strconv.Itoa(len(p.Members)) + " " + pr.chooseNoun(p.Members)
	room := st.fold - len(text) - len(": ")
	if room <= minLabel {
		return text
	}
	const to = " .. "
	limit := (room - len(to)) / 2
	first, inID := pr.label(&p.Members[0], limit)
	last, _ := pr.label(&p.Members[len(p.Members)-1], limit)
	if p.ByID && inID {
		return text
	}
	if !isNumbered(first, last) {
		if labels := pr.chooseLabels(p.Members, "", room); labels != "" {
			return text + ": " + labels
		}
		if prefix := pr.commonPrefix(p.Members); prefix != "" {
			if labels := pr.chooseLabels(p.Members, prefix, room-len(" *")-len(prefix)); labels != "" {
				return text + " " + prefix + "*: " + labels
			}
		}
	}
	if first == last {
		first, last = pr.distinguish(p, first, limit)
	}
	if first == last {
		return text + ": " + first
	}
	return text + ": " + first + to + last
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

// commonPrefix returns the words that the labels of all parts begin with, if they take at
// least minPrefix bytes. Labels without them are shorter.
func (pr *Printer) commonPrefix(parts []tree.Part) string {
	const minPrefix = 4
	prefix := ""
	for i := range parts[:min(len(parts), maxRead)] {
		label, _ := pr.label(&parts[i], TitleBytes)
		if i == 0 {
			prefix = label
		}
		n := 0
		for n < len(prefix) && n < len(label) && prefix[n] == label[n] {
			n++
		}
		for n > 0 && n < len(label) && !isWordStart(label, n) {
			n--
		}
		prefix = prefix[:n]
	}
	if len(prefix) < minPrefix {
		return ""
	}
	return prefix
}

// isWordStart reports whether a word begins at text[i]: after a byte that is no letter or
// digit, or with a capital letter.
func isWordStart(text string, i int) bool {
	before, at := rune(text[i-1]), rune(text[i])
	return at < utf8.RuneSelf && before < utf8.RuneSelf && isWord(at) && (!isWord(before) || unicode.IsUpper(at) && !unicode.IsUpper(before))
}

// chooseLabels returns the labels of the largest parts without their common prefix, as
// many as fit into room bytes. It returns "" if less than two of them fit.
func (pr *Printer) chooseLabels(parts []tree.Part, prefix string, room int) string {
	order := make([]int, len(parts))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return pr.tree.Size(&parts[b]) - pr.tree.Size(&parts[a]) })
	labels, chosen, used := make([]string, len(parts)), 0, 0
	seen := map[string]bool{}
	for _, i := range order[:min(len(order), maxRead)] {
		label, _ := pr.label(&parts[i], TitleBytes)
		label = strings.TrimPrefix(label, prefix)
		rest := 0
		if chosen+1 < len(parts) {
			rest = len(" +") + len(strconv.Itoa(len(parts)))
		}
		if size := len(label) + len(separator); label != "" && !seen[label] && len(label) <= room*2/3 && used+size+rest <= room+len(separator) {
			labels[i], seen[label] = label, true
			used += size
			chosen++
		}
	}
	if chosen < 2 {
		return ""
	}
	text := strings.Join(slices.DeleteFunc(labels, func(label string) bool { return label == "" }), separator)
	if chosen < len(parts) {
		text += " +" + strconv.Itoa(len(parts)-chosen)
	}
	return text
}

const (
	separator = ", "
	// maxRead is the maximum number of members of a fold for which label is called.
	maxRead = 64
)

// label returns the text for a member of a fold, and whether it is in the id: the
// name in the id if the title contains it or the part is an XML element, else the
// title.
func (pr *Printer) label(p *tree.Part, limit int) (text string, inID bool) {
	if !p.IsSection() {
		return pr.title(p, style{title: limit}), false
	}
	s := &pr.tree.Sections[p.Section]
	if lead := pr.elementName(p); lead != "" {
		return display.Clean([]byte(lead), limit), false
	}
	isNamedElement := pr.language.HasElements() && s.Kind != abi.SectionGroup && strings.Contains(s.ID, "=")
	isHeading := pr.language.HasHeadings() && s.Kind != abi.SectionGroup // its id is a slug
	if name := nameInID(s.ID); name != "" && !isHeading && (isNamedElement || hasWords(s.Title, name)) {
		return display.Clean([]byte(name), limit), true
	}
	if s.Title != "" {
		return display.Clean([]byte(s.Title), limit), false // the whole title, because the id is not in the line
	}
	return pr.title(p, style{title: limit}), false
}

// elementName returns the name in the title of an element, if the title begins with one that
// is more than the id.
func (pr *Printer) elementName(p *tree.Part) string {
	s := &pr.tree.Sections[p.Section]
	if !pr.language.HasElements() || pr.language.HasHeadings() || s.Kind == abi.SectionGroup {
		return ""
	}
	lead, _, ok := strings.Cut(s.Title, ": ")
	if name := nameInID(s.ID); !ok || !strings.Contains(lead, " ") || strings.Contains(lead, "=") || len(lead) <= len(name)+1 {
		return ""
	}
	return lead
}

// nameInID returns the name in the content that an id was made of; for tag=value
// the value. Line numbers and positions are not names.
func nameInID(id string) string {
	if _, value, ok := strings.Cut(id, "="); ok {
		id = value
	}
	if name := ids.Unescape(id); strings.Trim(strings.TrimPrefix(name, "L"), "0123456789") != "" {
		return name
	}
	return ""
}

// hasWords reports whether text contains each word of name.
func hasWords(text, name string) bool {
	for _, word := range strings.FieldsFunc(name, func(r rune) bool { return !isWord(r) }) {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return true
}
