package printer

import (
	"bytes"
	"strings"
	"unicode"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/section/display"
	"github.com/mcpctl/mcpctl/host/section/ids"
	"github.com/mcpctl/mcpctl/host/section/tree"
)

// sampleLabels returns the labels of a sample of some parts, with the first and the last. If the
// titles of parts are mostly the same, as those of elements of a list that differ in their ids,
// the labels are the ids; preferID reports that.
func (pr *Printer) sampleLabels(parts []tree.Part) (labels []string, preferID bool) {
	sample := sampleOf(parts)
	labels = make([]string, len(sample))
	different := make(map[string]bool, len(sample))
	for i := range sample {
		labels[i], _ = pr.label(&sample[i], false)
		different[labels[i]] = true
	}
	if len(different) > len(sample)*2/3 {
		return labels, false
	}
	for i := range sample {
		labels[i], _ = pr.label(&sample[i], true)
	}
	return labels, true
}

// sampleOf returns at most maxRead of some parts at equal distances, with the first and the last.
func sampleOf(parts []tree.Part) []tree.Part {
	if len(parts) <= maxRead {
		return parts
	}
	sample := make([]tree.Part, maxRead)
	for i := range sample {
		sample[i] = parts[i*(len(parts)-1)/(maxRead-1)]
	}
	return sample
}

// isOrdered reports whether labels are sorted, in ascending or descending order: with numbers
// as numbers, by bytes, or by letters and digits only. Then the first and the last label are
// enough to know which labels are between them.
func isOrdered(labels []string) bool {
	if n := len(labels); n < 3 || hasDigits(labels[0]) != hasDigits(labels[1]) || hasDigits(labels[n-1]) != hasDigits(labels[n-2]) {
		return false // the first or last is probably something else, such as front matter
	}
	byBytes := func(a, b string) bool { return a < b }
	byWords := func(a, b string) bool { return strings.Map(keepWords, a) < strings.Map(keepWords, b) }
	return areMostly(labels, ids.NaturalLess) || areMostly(labels, byBytes) || areMostly(labels, byWords)
}

// areMostly reports whether labels ascend or descend. One of 16 may be at a wrong place, and
// up to half may be equal to the one before.
func areMostly(labels []string, less func(a, b string) bool) bool {
	up, down := 0, 0
	for i, text := range labels[1:] {
		switch before := labels[i]; {
		case less(before, text):
			up++
		case less(text, before):
			down++
		}
	}
	return max(up, down) > 15*min(up, down) && max(up, down) >= len(labels)/2
}

func hasDigits(text string) bool { return strings.ContainsAny(text, "0123456789") }

// keepWords keeps letters and digits, which are all that programs compare that sort by a locale.
func keepWords(r rune) rune {
	if !isWord(r) {
		return -1
	}
	return unicode.ToLower(r)
}

// label returns the text for a member of a fold, and whether it is in the id: the
// name in the id if the title contains it, the part is an XML element or preferID is set,
// else the title. Of a name in a title without the prefix that all have, that is all.
func (pr *Printer) label(p *tree.Part, preferID bool) (text string, inID bool) {
	const limit = TitleBytes
	if !p.IsSection() {
		return pr.title(p, style{title: limit}), false
	}
	s := &pr.tree.Sections[p.Section]
	if lead := pr.elementName(p); lead != "" {
		return display.Clean([]byte(lead), limit), false
	}
	name := pr.withoutNumber(p.Section, nameInID(s.ID))
	if whole := wholeName(s.Title, name); whole != "" {
		return display.Clean([]byte(whole), limit), false
	}
	if lead, _, _ := strings.Cut(s.Title, ": "); lead != "" && strings.HasSuffix(name, "/"+lead) {
		return display.Clean([]byte(lead), limit), true
	}
	isNamedElement := pr.language.HasElements() && s.Kind != abi.SectionGroup && strings.Contains(s.ID, "=")
	isSlug := pr.language.HasHeadings() && s.Kind != abi.SectionGroup && !beginsWithID(p.Bytes(), name)
	if name != "" && !isSlug && (preferID || isNamedElement || hasWords(s.Title, name) || pr.language.HasHeadings()) {
		return display.Clean([]byte(name), limit), true
	}
	if s.Title != "" {
		return display.Clean([]byte(s.Title), limit), false // the whole title, because the id is not in the line
	}
	return pr.title(p, style{title: limit}), false
}

// elementName returns the name in the title of an element, if the title begins with one that
// is more than the id, or with one that consists of several and is too long for an id.
func (pr *Printer) elementName(p *tree.Part) string {
	s := &pr.tree.Sections[p.Section]
	if !pr.language.HasElements() || pr.language.HasHeadings() || s.Kind == abi.SectionGroup {
		return ""
	}
	lead, _, ok := strings.Cut(s.Title, ": ")
	name := nameInID(s.ID)
	switch {
	case strings.HasPrefix(lead, "...") && !strings.ContainsAny(lead, " ="):
		return lead
	case !ok || !strings.Contains(lead, " ") || strings.Contains(lead, "=") || len(lead) <= len(name)+1:
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

// withoutNumber returns the name of a Section without the number that distinguishes its id
// from that of a sibling.
func (pr *Printer) withoutNumber(section int32, name string) string {
	i := strings.LastIndexByte(name, '-')
	if i <= 0 || !ids.IsNumbered(name, name[:i]) {
		return name
	}
	if _, ok := pr.tree.Child(pr.tree.Owner(section), abi.Segment(name[:i])); ok {
		return name[:i]
	}
	return name
}

// wholeName returns the name in a title that was too long for the id, which has its beginning
// and a hash, or "".
func wholeName(title, id string) string {
	const hash = len("-") + 8
	cut := len(id) - hash
	if cut <= 0 || id[cut] != '-' || strings.Trim(id[cut+1:], "0123456789abcdef") != "" {
		return ""
	}
	at := strings.Index(title, id[:cut])
	if at < 0 {
		return ""
	}
	name := title[at:]
	if end := strings.IndexAny(name, " (<:"); end >= 0 {
		name = name[:end]
	}
	return name
}

// beginsWithID reports whether text begins with a tag that has this id.
func beginsWithID(text []byte, id string) bool {
	const maxTag = 400
	tag, _, _ := bytes.Cut(text[:min(len(text), maxTag)], []byte(">"))
	return bytes.HasPrefix(tag, []byte("<")) && id != "" && bytes.Contains(tag, []byte(` id="`+id+`"`))
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
