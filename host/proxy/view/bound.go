package view

import (
	"cmp"
	"context"
	"slices"

	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/proxy/result"
)

// minBounded is the number of estimated tokens from which a text gets an index of its own:
// an index takes up to as many.
const minBounded = 1000

// elsewhere replaces a text whose index is in an earlier block.
const elsewhere = "see above"

// bounder applies the limit of a project to one answer.
type bounder struct {
	*Viewer
	scope flow.Scope
	src   result.Source
	l     *result.Layout
	res   Result
	shown []flow.Shown
	over  flow.Overrun
}

// bound replaces texts of an answer that exceeds its limit by indexes: the largest first,
// until the answer is below the limit. If texts that are too short for an index of their
// own still exceed it, one index replaces all texts.
func (v *Viewer) bound(ctx context.Context, scope flow.Scope, src result.Source, l *result.Layout, res Result, shown []flow.Shown) Result {
	if l.MaxTokens <= 0 || res.After <= l.MaxTokens || res.Blocked != "" || ctx.Err() != nil {
		return res
	}
	b := &bounder{v, scope, src, l, res, shown, flow.Overrun{Tokens: res.After, Limit: l.MaxTokens}}
	b.boundEach(ctx)
	if b.res.After > l.MaxTokens {
		b.boundTogether(ctx)
	}
	for i := range shown {
		if l.IsRepeated(i) && shown[0].Changed {
			shown[i] = flow.Shown{Run: shown[i].Run} // removed when the result is rebuilt
		}
	}
	b.res.Reports = nil
	for _, sh := range shown {
		if sh.Run.Model != "" || len(sh.Run.Stages) > 0 {
			b.res.Reports = append(b.res.Reports, sh.Run)
		}
	}
	b.res.Reply.Result = l.Rebuild(shown)
	return b.res
}

// parts returns the parts that an index can replace, the largest first.
func (b *bounder) parts() (parts []int) {
	for i := range b.shown {
		_, isText := b.l.Content(b.src, i)
		if isText && (b.l.IsForStages(i) || b.l.IsBeyond(i)) && !b.l.IsRepeated(i) {
			parts = append(parts, i)
		}
	}
	slices.SortStableFunc(parts, func(x, y int) int {
		return cmp.Compare(tokensAfter(b.shown[y]), tokensAfter(b.shown[x]))
	})
	return parts
}

func (b *bounder) boundEach(ctx context.Context) {
	for _, i := range b.parts() {
		if b.res.After <= b.l.MaxTokens || tokensAfter(b.shown[i]) < minBounded {
			return
		}
		if b.l.IsBeyond(i) {
			continue
		}
		c, _ := b.l.Content(b.src, i)
		b.store(ctx, c, i)
		b.replace(i, b.pipeline.Bound(ctx, b.scope, c, b.shown[i], b.over))
	}
}

// boundTogether replaces all texts by one index. It joins their Originals; of a text without
// one, the output of the filters.
func (b *bounder) boundTogether(ctx context.Context) {
	parts := b.parts()
	if len(parts) < 2 {
		return
	}
	slices.Sort(parts)
	contents, shown := make([]flow.Content, len(parts)), make([]flow.Shown, len(parts))
	for n, i := range parts {
		contents[n], _ = b.l.Content(b.src, i)
		shown[n] = b.shown[i]
		if shown[n].Ref != "" || !b.l.IsFiltered() {
			continue
		}
		if !b.l.IsBeyond(i) {
			return // the output of the filters could not be stored
		}
		if shown[n].Changed {
			contents[n].Bytes = shown[n].Text
		}
	}
	together, ok := b.pipeline.BoundTogether(ctx, b.scope, contents, shown, b.over)
	if !ok {
		return
	}
	for n, i := range parts {
		one := b.shown[i]
		one.Changed, one.Text, one.Meta = true, []byte(elsewhere), flow.AnswerMeta{Kind: flow.AnswerDerived, Ref: together.Ref}
		if n == 0 {
			one.Text, one.Meta = together.Text, together.Meta
			one.Run.Stages = append(slices.Clip(one.Run.Stages), together.Run.Stages...)
		}
		b.replace(i, one)
	}
	b.res.Refs = append([]string{together.Ref}, b.res.Refs...)
}

// store stores the Original of a part over which no pipeline runs. A part that passed
// through a pipeline has an Original, or could not be stored.
func (b *bounder) store(ctx context.Context, c flow.Content, i int) {
	if b.shown[i].Ref != "" || b.shown[i].Run.Model != "" || b.l.IsFiltered() {
		return
	}
	if ref, err := b.Viewer.store.Store(ctx, b.scope, c); err == nil {
		b.shown[i].Ref = ref
		b.res.Refs = append(b.res.Refs, ref)
	}
}

// replace replaces the outcome for a part.
func (b *bounder) replace(i int, sh flow.Shown) {
	old := b.shown[i]
	b.res.After += tokensAfter(sh) - tokensAfter(old)
	b.res.Changed = b.res.Changed || sh.Changed
	b.res.final = b.res.final && (sh.Final || old.Run.Model == "")
	b.shown[i] = sh
}
