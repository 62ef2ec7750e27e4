package transform

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"slices"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/pipeline"
	"github.com/mcpctl/mcpctl/host/proxymodel"
)

// Bound replaces a text that is part of an answer above the limit of its project by an
// index of its Original, of which each byte can be read. The built-in stage for indexes
// runs; if it cannot, or finds no parts, the index consists of windows. A text that a
// stage wrote becomes a section beside those of the Original.
//
// shown is the text as the client would get it. It is returned unchanged if it is an index
// already, or if its Original is not stored. Bound implements view.Transformer.
func (t *Transformer) Bound(ctx context.Context, scope flow.Scope, c flow.Content, shown flow.Shown, over flow.Overrun) flow.Shown {
	owner := t.Plan.Owner(scope)
	if shown.Ref == "" || shown.Meta.Kind == flow.AnswerIndex {
		return shown
	}
	original, _, err := t.Contents.Get(owner, shown.Ref)
	if err != nil {
		return shown
	}
	c.Bytes, c.Filtered = original, true // the filters have run over the Original
	res := t.indexFallback(ctx, scope, c, &shown, over)
	res.Text = original
	if shown.Changed {
		res.Text = shown.Text
	}
	doc, err := t.keep(owner, shown.Ref, c, res)
	if err != nil {
		shown.Run.Stages = append(shown.Run.Stages, t.notStored(err))
		return shown
	}
	text, meta, ok := finish(doc, original, res, shown.Ref)
	if !ok || meta.Kind != flow.AnswerIndex {
		return shown // an index would not be clearly shorter
	}
	shown.Changed, shown.Text, shown.Meta = true, text, meta
	shown.Final = shown.Final && res.Final
	return shown
}

// indexFallback returns an index of a Content: that of the fallback stage, otherwise one of
// windows. It adds the reports of both to shown.
func (t *Transformer) indexFallback(ctx context.Context, scope flow.Scope, c flow.Content, shown *flow.Shown, over flow.Overrun) pipeline.Result {
	own, err := t.Plan.Resolve(ctx, scope.Project, c)
	if err != nil {
		own = &proxymodel.Model{} // the Content was shown, so the ProxyModel has changed meanwhile
	}
	shown.Run.Model = cmp.Or(shown.Run.Model, own.Name)
	why := reasonOf(over)
	step, ok := t.Plan.Fallback(ctx)
	hasFailed := slices.ContainsFunc(shown.Run.Stages, func(s flow.StageReport) bool {
		return s.Role == step.Type && s.Outcome == flow.OutcomeFailed
	})
	if ok && !hasFailed { // one that has failed for this Content would take as long again
		req, release := t.request(ctx, scope, c, &proxymodel.Model{Cacheable: own.Cacheable, Steps: []proxymodel.Step{step}})
		defer release()
		if res, err := t.Pipeline.Run(ctx, req); err == nil {
			for i := range res.Report {
				res.Report[i].Reason = why
			}
			t.report(shown, res, scope, c)
			if len(res.Marks) > 0 {
				shown.Run.Type = res.Tree.Type
				return res
			}
		}
	}
	res := pipeline.Result{Hash: sha256.Sum256(c.Bytes)}
	showWindows(&res, fmt.Sprintf("%d bytes, %d tokens est., not indexed by any stage", len(c.Bytes), t.CountTokens(c.Bytes)))
	shown.Run.Stages = append(shown.Run.Stages, flow.StageReport{Outcome: flow.OutcomeDone, Reason: why + ", in windows", InBytes: len(c.Bytes), OutBytes: len(res.Bytes)})
	return res
}

// reasonOf describes an overrun for an event.
func reasonOf(o flow.Overrun) string {
	return fmt.Sprintf("the answer has %d tokens (est.), more than maxAnswerTokens %d of the project: shown as an index", o.Tokens, o.Limit)
}

// BoundTogether replaces the texts of an answer that are above the limit of its project
// together by one index, in which each text is a section. Their Originals are joined and
// stored as one; a Content without an Original, which has passed the filters, is joined
// itself. ok is false if an Original cannot be read.
//
// It implements view.Transformer.
func (t *Transformer) BoundTogether(ctx context.Context, scope flow.Scope, contents []flow.Content, shown []flow.Shown, over flow.Overrun) (together flow.Shown, ok bool) {
	owner := t.Plan.Owner(scope)
	var joined []byte
	tree := abi.Tree{Sections: make([]abi.Section, len(contents))}
	for i, sh := range shown {
		original := contents[i].Bytes
		if sh.Ref != "" {
			var err error
			if original, _, err = t.Contents.Get(owner, sh.Ref); err != nil {
				return flow.Shown{}, false
			}
		}
		if len(joined) > 0 && !bytes.HasSuffix(joined, []byte("\n")) {
			joined = append(joined, '\n')
		}
		start := len(joined)
		joined = append(joined, original...)
		tree.Sections[i] = abi.Section{Parent: -1, Start: start, End: len(joined), ID: fmt.Sprintf("text-%d", i+1)}
	}
	sum := sha256.Sum256(joined)
	c := flow.Content{Type: contents[0].Type, Source: contents[0].Source, Part: abi.Part{Kind: abi.PartText, Count: 1}, Bytes: joined, Filtered: true}
	ref, err := t.Contents.PutSum(owner, joined, sum, infoOf(c))
	if err != nil {
		return flow.Shown{}, false
	}
	res := pipeline.Result{Changed: true, Hash: sum, Text: joined, Tree: tree}
	res.Bytes = fmt.Appendf(nil, "%d texts, %d tokens est. together, one section each\n", len(contents), t.CountTokens(joined))
	res.Marks = []abi.Mark{{Offset: len(res.Bytes), Section: -1}}
	doc, err := t.keep(owner, ref, c, res)
	if err != nil {
		return flow.Shown{}, false
	}
	text, meta, ok := finish(doc, joined, res, ref)
	if !ok || meta.Kind != flow.AnswerIndex {
		return flow.Shown{}, false
	}
	return flow.Shown{Changed: true, Ref: ref, Text: text, Meta: meta, Final: true, Run: flow.RunReport{Stages: []flow.StageReport{
		{Outcome: flow.OutcomeDone, Reason: reasonOf(over) + ", all texts together", InBytes: len(joined), OutBytes: len(text)},
	}}}, true
}
