package trial

import (
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
