package lab

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
)

// Outline formats a tree as in fixtures: a line "ID START-END" for each section,
// children indented by two spaces, then the kind unless it is exact, then the
// summary in quotes.
func Outline(t abi.Tree) string {
	children := map[int][]int{}
	for i, s := range t.Sections {
		children[s.Parent] = append(children[s.Parent], i)
	}
	var b strings.Builder
	var write func(parent int, indent string)
	write = func(parent int, indent string) {
		for _, i := range children[parent] {
			s := t.Sections[i]
			b.WriteString(indent + s.ID + " " + strconv.Itoa(s.Start) + "-" + strconv.Itoa(s.End))
			if s.Kind != abi.SectionExact {
				b.WriteString(" " + s.Kind.String())
			}
			if s.Summary != "" {
				b.WriteString(" " + strconv.Quote(s.Summary))
			}
			b.WriteByte('\n')
			write(i, indent+"  ") // at most 64 levels, the limit of a tree
		}
	}
	write(-1, "")
	return b.String()
}

// IndexText formats the positions of indexes as in fixtures: a line "OFFSET PATH"
// for each, where PATH has a slash before each id from the root. The limits of
// lines and bytes follow if there are any.
func IndexText(marks []abi.Mark, t abi.Tree) string {
	var b strings.Builder
	for _, m := range marks {
		path := ""
		for i := m.Section; i >= 0; i = t.Sections[i].Parent {
			path = "/" + t.Sections[i].ID + path
		}
		b.WriteString(strconv.Itoa(m.Offset) + " " + cmp.Or(path, "/"))
		if m.Lines != 0 || m.Bytes != 0 {
			b.WriteString(" " + strconv.Itoa(m.Lines) + " " + strconv.Itoa(m.Bytes))
		}
		b.WriteByte('\n')
	}
	return b.String()
}
