package proxytest

import (
	"bytes"
	"context"
	"fmt"
	"sync"

	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/proxy/jsonedit"
)

// Pipeline is a Transformer and Reader for tests. It runs a function over every Content
// and keeps the Originals in memory. It is safe for concurrent use.
type Pipeline struct {
	Stage  func(c flow.Content) (flow.Shown, error) // nil: no change
	Redact func(c flow.Content) flow.Shown          // a filter before the stage; nil: no change

	mu     sync.Mutex
	seen   []flow.Content
	stored map[string]flow.Content
}

// Seen returns the Contents that were transformed.
func (p *Pipeline) Seen() []flow.Content {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.seen
}

// Transform runs the filter and the stage.
func (p *Pipeline) Transform(ctx context.Context, scope flow.Scope, c flow.Content) (flow.Shown, error) {
	sh := flow.Shown{}
	if p.Redact != nil && !c.Filtered {
		if sh = p.Redact(c); sh.Blocked != "" || c.OnlyFilters {
			return sh, nil
		}
		if sh.Changed {
			c.Bytes = sh.Text
		}
	}
	ref, err := p.Store(ctx, scope, c)
	p.mu.Lock()
	p.seen = append(p.seen, c)
	p.mu.Unlock()
	if p.Stage == nil || err != nil {
		sh.Ref = ref
		return sh, err
	}
	sh, err = p.Stage(c)
	sh.Ref = ref
	return sh, err
}

// Filter runs the filter alone.
func (p *Pipeline) Filter(ctx context.Context, scope flow.Scope, c flow.Content) (flow.Shown, error) {
	sh := flow.Shown{}
	if p.Redact != nil {
		sh = p.Redact(c)
	}
	if sh.Changed {
		c.Bytes = sh.Text
	}
	if sh.Blocked == "" && !c.OnlyFilters {
		sh.Ref, _ = p.Store(ctx, scope, c)
	}
	return sh, nil
}

// Bound replaces the text by "index of" its ref.
func (p *Pipeline) Bound(_ context.Context, _ flow.Scope, _ flow.Content, sh flow.Shown, over flow.Overrun) flow.Shown {
	if sh.Ref == "" || sh.Meta.Kind == flow.AnswerIndex {
		return sh
	}
	sh.Changed, sh.Text, sh.Meta = true, []byte("index of "+sh.Ref), flow.AnswerMeta{Kind: flow.AnswerIndex, Ref: sh.Ref}
	sh.Run.Stages = append(sh.Run.Stages, flow.StageReport{Outcome: flow.OutcomeDone, Reason: fmt.Sprintf("%d tokens, limit %d", over.Tokens, over.Limit)})
	return sh
}

// BoundTogether replaces the texts by "index of" the ref of their joined Originals.
func (p *Pipeline) BoundTogether(ctx context.Context, scope flow.Scope, contents []flow.Content, shown []flow.Shown, over flow.Overrun) (flow.Shown, bool) {
	joined := contents[0]
	joined.Bytes = nil
	p.mu.Lock()
	for i, sh := range shown {
		text := contents[i].Bytes
		if sh.Ref != "" {
			text = p.stored[sh.Ref].Bytes
		}
		joined.Bytes = append(joined.Bytes, text...)
	}
	p.mu.Unlock()
	ref, err := p.Store(ctx, scope, joined)
	return p.Bound(ctx, scope, joined, flow.Shown{Ref: ref}, over), err == nil
}

// Store stores an Original.
func (p *Pipeline) Store(_ context.Context, _ flow.Scope, c flow.Content) (string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stored == nil {
		p.stored = make(map[string]flow.Content)
	}
	ref := fmt.Sprintf("ref%013d", len(p.stored))
	p.stored[ref] = c
	return ref, nil
}

// Original returns a stored Original.
func (p *Pipeline) Original(ref string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return string(p.stored[ref].Bytes)
}

// Touch reports whether an Original is stored.
func (p *Pipeline) Touch(_ flow.Scope, ref string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, ok := p.stored[ref]
	return ok
}

// Read returns an index for the section "", and a member of the Original by name.
func (p *Pipeline) Read(_ context.Context, _ flow.Scope, ref, section string) flow.Answer {
	p.mu.Lock()
	defer p.mu.Unlock()
	c, ok := p.stored[ref]
	if !ok {
		return flow.Answer{Text: []byte("nothing stored under ref " + ref), IsError: true}
	}
	if section == "" {
		return flow.Answer{Text: []byte("index of " + ref), Meta: flow.AnswerMeta{Kind: flow.AnswerIndex, Ref: ref}}
	}
	if m := jsonedit.Member(c.Bytes, section); m.End > 0 {
		return flow.Answer{Text: c.Bytes[m.Start:m.End], Meta: flow.AnswerMeta{Kind: flow.AnswerLeaf, Ref: ref, Section: section, Bytes: &[2]int{m.Start, m.End}}}
	}
	return flow.Answer{Text: []byte("no section " + section), IsError: true}
}

// Shout is a stage that answers every Content in capitals.
func Shout(c flow.Content) (flow.Shown, error) {
	return flow.Shown{Changed: true, Text: bytes.ToUpper(c.Bytes), Meta: flow.AnswerMeta{Kind: flow.AnswerIndex}}, nil
}

// Hide is a filter, as a stage, that replaces the password "hunter2".
func Hide(c flow.Content) (flow.Shown, error) {
	text := bytes.ReplaceAll(c.Bytes, []byte("hunter2"), []byte("***"))
	return flow.Shown{Changed: !bytes.Equal(text, c.Bytes), Text: text}, nil
}
