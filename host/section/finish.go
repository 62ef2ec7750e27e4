package section

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/section/display"
	"github.com/mcpctl/mcpctl/host/section/printer"
	"github.com/mcpctl/mcpctl/host/section/tree"
)

// Index prints the parts of a Section, or the top level for -1, on one line each:
// "[id] title (size)". It returns the ids that the lines offer. lines and bytes
// narrow the limits of the settings if they are positive.
func (d *Doc) Index(section, lines, bytes int) (text []byte, offers []string) {
	out := d.printer.Index(d.markedPart(section), d.limits().Narrow(lines, bytes))
	return out.Text, out.Offers
}

func (d *Doc) limits() printer.Limits { return d.printer.Settings.Limits() }

// markedPart returns the part that a mark of a stage is about.
func (d *Doc) markedPart(section int) tree.Part {
	if section < 0 || section >= len(d.tree.Sections) {
		return d.tree.Top()
	}
	return d.tree.Part(int32(section))
}

// Finish returns the final text of a content that stages changed: text with an
// index at each mark, and a last line that explains how to read on. The indexes
// take the part of the limits that text leaves, at least a third.
//
// If there is an index, no other line begins with a bracket: such a line of a stage
// gets a leading blank. An empty ref means that the original is not stored; then
// there is no last line.
func (d *Doc) Finish(text []byte, marks []abi.Mark, ref string) ([]byte, flow.AnswerMeta) {
	meta := flow.AnswerMeta{Kind: flow.AnswerDerived, Ref: ref}
	out := text
	if len(marks) > 0 {
		out, meta.Offers = d.printMarks(text, marks)
		meta.Kind, meta.Bytes = flow.AnswerIndex, &[2]int{0, len(d.tree.Original.Text)}
	}
	if ref == "" {
		return out, meta
	}
	out = endLine(slices.Clone(out))
	if len(meta.Offers) == 0 {
		return fmt.Appendf(out, `read_section(ref=%q, section="") lists the parts of the original, "?words" searches it.`, ref), meta
	}
	return append(out, howToRead(ref)...), meta
}

func howToRead(ref string) string {
	return fmt.Sprintf(`read_section(ref=%q, section="<id>") opens a part, "<id>!" gives it whole, "?words" searches; any path works.`, ref)
}

func (d *Doc) printMarks(text []byte, marks []abi.Mark) (out []byte, offers []string) {
	marks = slices.Clone(marks)
	slices.SortStableFunc(marks, func(a, b abi.Mark) int { return cmp.Compare(a.Offset, b.Offset) })
	left := d.limits().Minus(text)
	at := 0
	for i, m := range marks {
		offset := max(at, min(m.Offset, len(text)))
		for offset < len(text) && !utf8.RuneStart(text[offset]) {
			offset++
		}
		out = endLine(appendPlain(out, text[at:offset]))
		at = offset
		n := len(marks) - i
		share := printer.Limits{Lines: max(left.Lines/n, printer.MinLines), Bytes: left.Bytes / n, Tokens: left.Tokens / n}
		index := d.printer.Index(d.markedPart(m.Section), share.Narrow(m.Lines, m.Bytes))
		left.Lines -= len(index.Offers)
		left.Bytes -= len(index.Text)
		left.Tokens -= display.Tokens(index.Text)
		out = append(out, index.Text...)
		offers = append(offers, index.Offers...)
	}
	return appendPlain(out, text[at:]), offers
}

// appendPlain appends the text of a stage so that no line of it looks like an
// offered line: a blank precedes a bracket at the start of a line.
func appendPlain(dst, text []byte) []byte {
	for line := range bytes.Lines(text) {
		if line[0] == '[' {
			dst = append(dst, ' ')
		}
		dst = append(dst, line...)
	}
	return dst
}

// endLine appends a line end if the last line has none.
func endLine(text []byte) []byte {
	if len(text) > 0 && text[len(text)-1] != '\n' {
		text = append(text, '\n')
	}
	return text
}

// IsWorthShowing reports whether a text with an index is worth showing instead of the whole
// content: it is at least 40 % smaller.
func IsWorthShowing(final, original []byte) bool { return len(final) <= len(original)/10*6 }
