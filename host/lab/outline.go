package lab

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
)

// Outline writes a tree as fixtures have it: "ID START-END" a line, children
// indented by two blanks, a kind that is not exact behind it, a summary in quotes.
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
			write(i, indent+"  ") // as deep as a tree may be: 64
		}
	}
	write(-1, "")
	return b.String()
}

// IndexText writes the places of indexes as fixtures have them: "OFFSET PATH" a line,
// the ids from the top each behind a slash, limits of lines and bytes behind if there
// are any.
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
