package section

import (
	"cmp"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
)

// Index renders the parts of a Section (-1: top level), one line each:
// "[id] title (size)", and returns the ids it offers.
//
// Units: lines and bytes narrow the settings; 0 takes them as they are.
// Limits: MaxLines lines, MaxIndexBytes, MaxIndexTokens by estimate.
func (d *Doc) Index(section, lines, bytes int) (text []byte, offers []string) {
	out := d.index(d.marked(section), d.set.limits().within(lines, bytes))
	return out.text, out.offers
}

// marked is the part that a mark of a stage means.
func (d *Doc) marked(section int) part {
	if section < 0 || section >= len(d.sections) {
		return d.top()
	}
	return d.part(int32(section))
}

// Finish makes the final text of a content that stages changed: text with the
// index printed at each mark, ended by the line that tells how to read on. What
// the index takes is what text leaves of the limits, at least a third of them.
//
// Where there is an index, no other line begins with a bracket: such lines of a
// stage get a blank in front. Without ref, which says that the Original could
// not be stored, there is no last line.
func (d *Doc) Finish(text []byte, marks []abi.Mark, ref string) ([]byte, flow.AnswerMeta) {
	meta := flow.AnswerMeta{Kind: flow.AnswerDerived, Ref: ref}
	out := text
	if len(marks) > 0 {
		out, meta.Offers = d.printMarks(text, marks)
		meta.Kind, meta.Bytes = flow.AnswerIndex, &[2]int{0, len(d.original.text)}
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
	left := d.set.limits().minus(text)
	at := 0
	for i, m := range marks {
		offset := max(at, min(m.Offset, len(text)))
		for offset < len(text) && !utf8.RuneStart(text[offset]) {
			offset++
		}
		out = endLine(plain(out, text[at:offset]))
		at = offset
		share := left
		n := len(marks) - i
		share.lines, share.bytes, share.tokens = max(left.lines/n, leastLines), left.bytes/n, left.tokens/n
		index := d.index(d.marked(m.Section), share.within(m.Lines, m.Bytes))
		left = limits{left.lines - len(index.offers), left.bytes - len(index.text), left.tokens - tokens(index.text)}
		out = append(out, index.text...)
		offers = append(offers, index.offers...)
	}
	return plain(out, text[at:]), offers
}

// endLine ends a line that was begun.
func endLine(text []byte) []byte {
	if len(text) > 0 && text[len(text)-1] != '\n' {
		text = append(text, '\n')
	}
	return text
}

// Pays reports whether a text with an index is worth showing in place of the
// whole: it is at least 40 % smaller.
func Pays(final, original []byte) bool { return len(final) <= len(original)/10*6 }
