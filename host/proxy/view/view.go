package view

import (
	"context"
	"slices"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/proxy/result"
)

// Result is a result as the client gets to see it.
type Result struct {
	Reply   flow.Reply
	Refs    []string // of the Originals
	Reports []flow.RunReport
	Blocked string // not empty: the result is withheld; this is the text of the error
	Before  int    // estimated tokens of the parts
	After   int    // estimated tokens of the text that the client reads instead
	Changed bool
	final   bool // shown the same until the configuration changes
}

// Viewer shows results. It is safe for concurrent use.
type Viewer struct {
	pipeline Transformer
	store    Store
	memo     *memo
}

// New returns a Viewer.
func New(pipeline Transformer, store Store) *Viewer {
	return &Viewer{pipeline: pipeline, store: store, memo: newMemo(pipeline)}
}

// transform is one of the methods of a Transformer.
type transform func(ctx context.Context, scope flow.Scope, c flow.Content) (flow.Shown, error)

// Show runs the pipeline over the parts of a result and replaces those that changed.
func (v *Viewer) Show(ctx context.Context, scope flow.Scope, src result.Source, l *result.Layout) Result {
	res, shown := show(ctx, v.pipeline.Transform, scope, src, l)
	return v.bound(ctx, scope, src, l, res, shown)
}

// Bound is Show without filters and stages, for a result over which no pipeline runs: only
// the limit of the project applies. Nothing is stored unless the result exceeds it.
func (v *Viewer) Bound(ctx context.Context, scope flow.Scope, src result.Source, l *result.Layout) Result {
	res, shown := show(ctx, passOn, scope, src, l)
	res.Reports = nil // nothing ran
	return v.bound(ctx, scope, src, l, res, shown)
}

// passOn is the transform that changes nothing.
func passOn(context.Context, flow.Scope, flow.Content) (flow.Shown, error) { return flow.Shown{}, nil }

// Filter is Show with the filters alone. It also returns the outcome for each part.
func (v *Viewer) Filter(ctx context.Context, scope flow.Scope, src result.Source, l *result.Layout) (Result, []flow.Shown) {
	return show(ctx, v.pipeline.Filter, scope, src, l)
}

// Error runs the filters over a JSON-RPC error.
func (v *Viewer) Error(ctx context.Context, scope flow.Scope, src result.Source, raw []byte) Result {
	res := v.Show(ctx, scope, src, result.Error(raw))
	res.Reply = flow.Reply{Error: res.Reply.Result}
	return res
}

// ToolResult shows a result of tools/call. One that was shown before, byte for byte, is
// shown the same again.
func (v *Viewer) ToolResult(ctx context.Context, scope flow.Scope, src result.Source, reply flow.Reply, filtered bool, maxTokens int) Result {
	k := v.memo.key(scope, src, maxTokens, reply.Result)
	if res, ok := v.memo.find(scope, k); ok {
		if res.Reply.Result == nil {
			res.Reply = reply
		}
		return res
	}
	l := result.Tool(reply.Result, filtered)
	l.MaxTokens = maxTokens
	res := v.Show(ctx, scope, src, l)
	if res.Blocked == "" {
		v.memo.keep(k, res)
	}
	return res.OrToolError()
}

// Store stores the parts of a result over which no pipeline runs.
func (v *Viewer) Store(ctx context.Context, scope flow.Scope, src result.Source, l *result.Layout) Result {
	res := Result{Reply: flow.Reply{Result: l.Rebuild(nil)}}
	for i := range l.Len() {
		c, ok := l.Content(src, i)
		if !ok {
			continue
		}
		if ref, err := v.store.Store(ctx, scope, c); err == nil {
			res.Refs = append(res.Refs, ref)
		}
	}
	return res
}

// FilterTexts runs the filters over texts that controllers wrote. A text that a filter
// withholds is replaced by the reason.
func (v *Viewer) FilterTexts(ctx context.Context, scope flow.Scope, src result.Source, texts [][]byte) (filtered [][]byte, reports []flow.RunReport) {
	filtered = slices.Clone(texts)
	for i, text := range texts {
		sh, err := v.pipeline.Filter(ctx, scope, flow.Content{
			Type: src.Type, Source: src.Name, Part: abi.Part{Kind: abi.PartText, Index: i, Count: len(texts)},
			Bytes: text, OnlyFilters: true,
		})
		switch {
		case err != nil:
			filtered[i] = []byte(err.Error())
		case sh.Blocked != "":
			filtered[i] = []byte(sh.Blocked)
		case sh.Changed:
			filtered[i] = sh.Text
		}
		reports = append(reports, sh.Run)
	}
	return filtered, reports
}

// show runs a transform over the parts of a result and rebuilds it.
func show(ctx context.Context, run transform, scope flow.Scope, src result.Source, l *result.Layout) (res Result, shown []flow.Shown) {
	shown = make([]flow.Shown, l.Len())
	res.final = true
	var waited time.Duration // for an LLM, by all parts together
	for i := range shown {
		if l.IsRepeated(i) && shown[0].Changed {
			continue // removed when the result is rebuilt
		}
		c, ok := l.Content(src, i)
		if !ok && l.IsFiltered() {
			res.Blocked = "a text is no valid UTF-8, so no filter can read it: result withheld"
			return res, shown
		}
		if !ok {
			continue // passed on unchanged
		}
		if l.IsBeyond(i) && !l.IsFiltered() {
			shown[i].Tokens = abi.EstimateTokens(c.Bytes)
			res.Before, res.After = res.Before+shown[i].Tokens, res.After+shown[i].Tokens
			continue
		}
		c.LLMWaited = waited
		sh, err := run(ctx, scope, c)
		waited = max(waited, sh.LLMWaited)
		if err != nil {
			sh = flow.Shown{Blocked: err.Error(), Run: sh.Run}
		}
		if sh.Tokens == 0 {
			sh.Tokens = abi.EstimateTokens(c.Bytes)
		}
		res.add(sh, l.IsRepeated(i))
		if sh.Blocked != "" {
			res.Blocked, res.After = sh.Blocked, abi.EstimateTokens([]byte(sh.Blocked))
			return res, shown
		}
		res.final = res.final && sh.Final
		res.Changed = res.Changed || sh.Changed
		shown[i] = sh
	}
	res.Reply.Result = l.Rebuild(shown)
	return res, shown
}

// add adds the outcome for one part. A repeated part is not counted, because its text
// is counted as structuredContent.
func (r *Result) add(sh flow.Shown, repeated bool) {
	r.Reports = append(r.Reports, sh.Run)
	if sh.Ref != "" {
		r.Refs = append(r.Refs, sh.Ref)
	}
	if repeated {
		return
	}
	r.Before += sh.Tokens
	r.After += tokensAfter(sh)
}

// tokensAfter returns the estimated tokens of a part as the client gets it.
func tokensAfter(sh flow.Shown) int {
	if sh.Changed {
		return abi.EstimateTokens(sh.Text)
	}
	return sh.Tokens
}

// OrToolError returns a withheld result as the error result of a tool, and any other
// unchanged.
func (r Result) OrToolError() Result {
	if r.Blocked != "" {
		r.Reply = result.Text(r.Blocked, true)
	}
	return r
}

// Then joins two passes over a result: next was made from r.
func (r Result) Then(next Result) Result {
	next.Before, next.Changed, next.final = r.Before, next.Changed || r.Changed, false
	next.Reports = append(r.Reports, next.Reports...)
	for _, ref := range next.Refs {
		if !slices.Contains(r.Refs, ref) {
			r.Refs = append(r.Refs, ref)
		}
	}
	next.Refs = r.Refs
	return next
}

// Withheld returns a result of a tool that is withheld for a reason.
func Withheld(why string) Result {
	return Result{Blocked: why, After: abi.EstimateTokens([]byte(why))}.OrToolError()
}
