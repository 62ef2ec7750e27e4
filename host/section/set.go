package section

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/section/display"
	"github.com/mcpctl/mcpctl/host/section/find"
	"github.com/mcpctl/mcpctl/host/section/ids"
	"github.com/mcpctl/mcpctl/host/section/printer"
	"github.com/mcpctl/mcpctl/host/section/tree"
)

// answerSet returns an index of a set.
func (d *Doc) answerSet(set tree.Part) flow.Answer {
	n := fmt.Sprint(len(set.Members))
	if len(set.Members) == find.MaxMatches || len(set.Exact) >= find.MaxElements {
		n += " or more"
	}
	text := fmt.Appendf(nil, "%s sections match %q%s\n", n, display.Clean([]byte(set.Tail), printer.TitleBytes), howToReadElements(&set))
	lim := d.limits().Minus(text)
	var out printer.Listing
	if len(set.Tail) > ids.MaxPath { // the lines of folds would be too long
		out = d.printer.List(set.Members, lim)
	} else {
		run := ids.Run{Base: &set, Items: set.Members}
		out = d.printer.Fit(func(lines int) []tree.Part { return d.printer.Fold(run, lines) }, lim)
	}
	return flow.Answer{Text: append(text, out.Text...), Meta: flow.AnswerMeta{
		Kind: flow.AnswerIndex, Section: set.Tail, Offers: out.Offers,
	}}
}

// howToReadElements explains how to read the elements that a set consists of without
// the leaves that contain them.
func howToReadElements(set *tree.Part) string {
	isElement := func(p tree.Part) bool { return p.Kind == tree.KindElement }
	if len(set.Tail) > ids.MaxPath || !slices.ContainsFunc(set.Exact, isElement) {
		return ""
	}
	size := 0
	for i := range set.Exact {
		size += set.Exact[i].Len()
	}
	return fmt.Sprintf(", \"%s!\" returns only the %d elements (%s)", set.Tail, len(set.Exact), display.Size(size))
}

// joinSet returns the text of all parts that a set matches, one after the other. It
// reports false if some of them are not bytes of the content, or share bytes.
func (d *Doc) joinSet(set *tree.Part) (*tree.Source, bool) {
	joined := &tree.Source{Kind: tree.Joined}
	for i := range set.Exact {
		p := &set.Exact[i]
		if !p.IsContent() || len(joined.Text)+p.Len() > 2*len(d.tree.Original.Text) {
			return nil, false
		}
		joined.Text = appendOnLine(joined.Text, p)
	}
	return joined, true
}

// appendOnLine appends the bytes of p and a line end, if they have none.
func appendOnLine(text []byte, p *tree.Part) []byte {
	if text = append(text, p.Bytes()...); !bytes.HasSuffix(text, []byte("\n")) {
		text = append(text, '\n')
	}
	return text
}

// setCuts returns the ends of the pieces of the joined text of a set. Each piece
// has as many whole parts as fit into maxBytes. It returns nil if a single part
// does not fit, or p is not a set.
func setCuts(p *tree.Part, maxBytes int) (cuts []int) {
	if p.Kind != tree.KindSet {
		return nil
	}
	start, end := 0, 0
	var text []byte
	for i := range p.Exact {
		text = appendOnLine(text[:0], &p.Exact[i])
		if len(text) > maxBytes {
			return nil
		}
		if end+len(text) > start+maxBytes {
			cuts, start = append(cuts, end), end
		}
		end += len(text)
	}
	return append(cuts, end)
}
