package section

import (
	"fmt"

	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/section/display"
	"github.com/mcpctl/mcpctl/host/section/ids"
	"github.com/mcpctl/mcpctl/host/section/printer"
	"github.com/mcpctl/mcpctl/host/section/tree"
)

// answerWhole answers "id!" and "id!from-to" by the exact bytes, also of a part with
// parts. More than MaxWholeBytes are answered by an index of ranges, which are
// valid sections too.
func (d *Doc) answerWhole(p tree.Part, span string) flow.Answer {
	base, ok := d.asRange(p)
	if !ok {
		return d.answer(p)
	}
	piece, tail := base, "!"
	if span != "" {
		if piece, ok = ids.ParsePiece(&base, span); !ok {
			why := fmt.Sprintf("it has %s, counted from 0", display.Count(base.Len(), "byte"))
			return d.answerAbsent(d.name(&p)+"!"+span, why, []tree.Part{p})
		}
		tail = piece.Tail
	}
	name := ids.Join(ids.ShortPath(d.tree, &base), tail)
	maxBytes := d.printer.Settings.MaxWholeBytes
	if piece.Len() <= maxBytes {
		return answerLeaf(name, piece)
	}
	pieces := func(lines int) []tree.Part {
		if cuts := setCuts(&base, maxBytes); span == "" && 0 < len(cuts) && len(cuts) <= lines {
			return printer.CutRanges(&base, 0, cuts, ids.ByteRange)
		}
		return d.printer.CutWindows(piece, maxBytes, lines, ids.ByteRange)
	}
	out := d.printer.Fit(pieces, d.limits())
	meta := metaOf(flow.AnswerIndex, name, &piece)
	meta.Offers = out.Offers
	return flow.Answer{Text: out.Text, Meta: meta}
}

// asRange returns p as one range: a group or fold as the span of its members, or
// if they have none, like a set, as the joined text of its parts.
func (d *Doc) asRange(p tree.Part) (tree.Part, bool) {
	if p.Source == nil && p.Kind != tree.KindSet {
		members := d.tree.PartsOf(p)
		if whole, ok := d.tree.Merge(members); ok {
			p.Source, p.Start, p.End = whole.Source, whole.Start, whole.End
			return p, true
		}
		p = d.resolver.NewSet(ids.ShortPath(d.tree, &p), d.tree.Ungroup(members))
	}
	if p.Kind != tree.KindSet {
		return p, true
	}
	joined, ok := d.joinSet(&p)
	if p.Source = joined; ok {
		p.Start, p.End = 0, len(joined.Text)
	}
	return p, ok && len(p.Tail) <= ids.MaxPath
}
