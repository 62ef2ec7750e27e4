package printer

import (
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/section/display"
	"github.com/mcpctl/mcpctl/host/section/ids"
	"github.com/mcpctl/mcpctl/host/section/tree"
)

// minLabel is the shortest prefix of a label that is still informative.
const minLabel = 10

// foldTitle returns the number of members of a fold and their labels: all of them
// if they fit, else those of the first and the last, unless the id of the fold
// contains them. A short title has a longer label of the first only: the next line
// shows where the fold ends.
func (pr *Printer) foldTitle(p *tree.Part, st style) string {
	text := strconv.Itoa(len(p.Members)) + " " + pr.chooseNoun(p.Members)
	lead := len(text) + len(": ")
	if st.title >= styles[shortStyle].title {
		if labels, ok := pr.joinLabels(p.Members, TitleBytes-lead); ok {
			return text + ": " + labels
		}
	}
	const to = " .. "
	limit := (st.title - lead - len(to)) / 2
	if st.title < TitleBytes {
		limit = st.title - lead - len(to)
	}
	if limit <= minLabel {
		return text
	}
	first, inID := pr.label(&p.Members[0], limit)
	last, _ := pr.label(&p.Members[len(p.Members)-1], limit)
	if first == last {
		first, last = pr.distinguish(p, first, limit)
	}
	switch {
	case p.ByID && inID:
		return text
	case first == last:
		return text + ": " + first
	case st.title == TitleBytes:
		return text + ": " + first + to + last
	case strings.HasSuffix(first, display.Ellipsis):
		return text + ": " + first
	}
	return text + ": " + first + strings.TrimRight(to, " ")
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

// joinLabels returns the labels of all parts. It reports false if they take more
// than limit bytes or are ambiguous.
func (pr *Printer) joinLabels(parts []tree.Part, limit int) (string, bool) {
	const separator = ", "
	var text strings.Builder
	before := ""
	for i := range parts {
		if i > 0 {
			text.WriteString(separator)
		}
		label, _ := pr.label(&parts[i], TitleBytes)
		if i > 0 && label == before {
			return "", false
		}
		before = label
		if text.WriteString(label); text.Len() > limit || strings.Contains(label, separator) {
			return "", false
		}
	}
	return text.String(), true
}

// label returns the text for a member of a fold, and whether it is in the id: the
// name in the id if the title contains it or the part is an XML element, else the
// title.
func (pr *Printer) label(p *tree.Part, limit int) (text string, inID bool) {
	if !p.IsSection() {
		return pr.title(p, style{title: limit}), false
	}
	s := &pr.tree.Sections[p.Section]
	isNamedElement := pr.language.HasElements() && s.Kind != abi.SectionGroup && strings.Contains(s.ID, "=")
	if name := nameInID(s.ID); name != "" && (isNamedElement || strings.Contains(s.Title, name)) {
		return display.Clean([]byte(name), limit), true
	}
	if s.Title != "" {
		return display.Clean([]byte(s.Title), limit), false // the whole title, because the id is not in the line
	}
	return pr.title(p, style{title: limit}), false
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
