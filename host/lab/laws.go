package lab

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/section"
	"github.com/mcpctl/mcpctl/host/section/crawl"
)

// Law is a rule that every stage must follow.
type Law string

// The laws, in the order in which they are checked.
const (
	LawSame     Law = "same output twice"
	LawLeaves   Law = "leaves are exact"
	LawLLM      Law = "an LLM without a useful answer changes nothing"
	LawDefaults Law = "defaults are accepted"
)

// Breach describes how a call breaks a law.
type Breach struct {
	Law  Law    `json:"law"`
	Text string `json:"what"`

	Before, After []byte `json:"-"` // two outputs that should be equal; both nil if other properties differ
}

// between sets the outputs of two runs if they differ.
func (b *Breach) between(before, after Result) *Breach {
	if before.Outcome == after.Outcome && !bytes.Equal(before.Output.Bytes, after.Output.Bytes) {
		b.Before, b.After = before.Output.Bytes, after.Output.Bytes
	}
	return b
}

// Laws runs a call several times and returns the laws that its role breaks. first
// is the result of an earlier run of the call. If a limit ended that run, Laws
// checks nothing.
//
// Errors: those of Run.
func (m *Module) Laws(ctx context.Context, c Call, first Result) ([]Breach, error) {
	if first.Limit {
		return nil, nil
	}
	var broken []Breach
	for _, law := range []func(context.Context, Call, Result) (*Breach, error){m.same, m.leaves, m.withoutLLM, m.defaults} {
		b, err := law(ctx, c, first)
		if err != nil {
			return nil, err
		}
		if b != nil {
			broken = append(broken, *b)
		}
	}
	return broken, nil
}

// same checks that a run with the same script has an equal result, also with the
// values that the first run stored in the cache. If the role has a cache, the
// results with an empty, a full and a disabled cache must be equal too. These three
// are only compared with each other, because a script may contain invented values.
func (m *Module) same(ctx context.Context, c Call, first Result) (*Breach, error) {
	again := []variant{{"a second run", c}}
	if len(first.Kept) > 0 {
		warm := c
		warm.Cache = c.Cache.with(first.Kept)
		again = append(again, variant{"a second run, with the values that the first one stored in the cache,", warm})
	}
	b, err := m.compared(ctx, first, again...)
	if b != nil || err != nil || !m.granted(c.Role, "cache") {
		return b, err
	}
	c.Cache = Cache{}
	empty, err := m.Run(ctx, c)
	if err != nil {
		return nil, err
	}
	full, off := c, c
	full.Cache.Way, off.Cache.Way = CacheFull, CacheOff
	return m.compared(ctx, empty, variant{"a run with a cache that is full", full}, variant{"a run without a cache", off})
}

// variant is a call that should have the same result as another one.
type variant struct {
	what string
	call Call
}

// compared returns a breach of LawSame for the first variant with a different
// result.
func (m *Module) compared(ctx context.Context, want Result, variants ...variant) (*Breach, error) {
	for _, v := range variants {
		got, err := m.Run(ctx, v.call)
		if err != nil {
			return nil, err
		}
		if what := difference(want, got); what != "" {
			b := &Breach{Law: LawSame, Text: v.what + " has a different " + what}
			return b.between(want, got), nil
		}
	}
	return nil, nil
}

// granted reports whether a role has a capability.
func (m *Module) granted(role, capability string) bool {
	r, err := m.role(role)
	return err == nil && slices.Contains(r.Capabilities, capability)
}

// difference describes the difference between two results. It is empty if there is
// none.
func difference(a, b Result) string {
	switch {
	case a.Outcome != b.Outcome:
		return fmt.Sprintf("outcome: %s, then %s", a.outcome(), b.outcome())
	case a.Reason != b.Reason:
		return fmt.Sprintf("reason: %q, then %q", a.Reason, b.Reason)
	case !bytes.Equal(a.Output.Bytes, b.Output.Bytes):
		return "output, from byte " + fmt.Sprint(firstDifference(a.Output.Bytes, b.Output.Bytes)) + " on"
	case !slices.Equal(a.Output.Marks, b.Output.Marks):
		return "place of an index"
	case !sameTree(a.Output.Tree, b.Output.Tree):
		return "tree of sections"
	}
	return ""
}

func sameTree(a, b abi.Tree) bool {
	return a.Type == b.Type && a.Syntax == b.Syntax && slices.EqualFunc(a.Sections, b.Sections, func(x, y abi.Section) bool {
		same := bytes.Equal(x.Body, y.Body)
		x.Body, y.Body = nil, nil
		return same && x.Parent == y.Parent && x.Kind == y.Kind && x.Start == y.Start && x.End == y.End &&
			x.Literal == y.Literal && x.ID == y.ID && x.Title == y.Title && x.Summary == y.Summary
	})
}

func firstDifference(a, b []byte) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
	}
	return min(len(a), len(b))
}

// outcome returns the outcome with its reason.
func (r Result) outcome() string {
	if r.Outcome == Fail {
		return fmt.Sprintf("%s (%s)", r.Outcome, r.Reason)
	}
	return string(r.Outcome)
}

// leaves checks that the leaves contain all bytes of the original. It reads them as
// a client does.
func (m *Module) leaves(_ context.Context, c Call, first Result) (*Breach, error) {
	if first.Outcome == Fail || len(first.Output.Tree.Sections) == 0 {
		return nil, nil
	}
	doc, err := section.New(c.Input, first.Output.Tree, m.trial.opts.Reading)
	if err != nil {
		return &Breach{Law: LawLeaves, Text: err.Error()}, nil
	}
	read := func(path string) flow.Answer { return doc.Read("abcdefghijklmnop", path) }
	if err := crawl.Run(read, c.Input, doc.IsStructure).Err(); err != nil {
		return &Breach{Law: LawLeaves, Text: err.Error()}, nil
	}
	return nil, nil
}

// withoutLLM checks that a stage with an LLM that fails, is slow, returns an empty
// answer or returns false statements passes the content on, or has the same result
// as without an LLM. A filter must fail. The cache is empty, because it could
// contain an answer.
func (m *Module) withoutLLM(ctx context.Context, c Call, _ Result) (*Breach, error) {
	role, err := m.role(c.Role)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(role.Capabilities, "llm") {
		return nil, nil // it cannot use an LLM
	}
	c.LLM, c.Cache = LLM{}, c.Cache.cold()
	none, err := m.Run(ctx, c)
	if err != nil {
		return nil, err
	}
	for _, way := range Faults {
		c.LLM = LLM{Way: way}
		r, err := m.Run(ctx, c)
		if err != nil {
			return nil, err
		}
		if what := unhelped(role.Kind, way, r, none); what != "" {
			b := &Breach{Law: LawLLM, Text: fmt.Sprintf("with an LLM that %s: %s", wayWords[way], what)}
			return b.between(none, r), nil
		}
	}
	return nil, nil
}

var wayWords = map[Way]string{Fails: "fails", Slow: "is slow", Empty: "returns nothing", Lies: "returns false statements"}

// unhelped returns the error in a result whose LLM returned no useful answer. none
// is the result without an LLM.
func unhelped(kind abi.RoleKind, way Way, r, none Result) string {
	switch {
	case r.Spent.Requests == 0:
		return "" // it did not use an LLM
	case kind == abi.KindFilter && r.Outcome == Pass && way != Lies:
		return "it passes on content that it could not check; a filter must fail"
	case kind == abi.KindFilter, r.Outcome == Pass:
		return ""
	case r.Outcome == Fail && none.Outcome != Fail:
		return "it fails (" + r.Reason + "); a stage must pass the content on"
	case way == Lies: // a false answer cannot be detected
		return ""
	}
	if what := difference(none, r); what != "" {
		return "it neither passes the content on nor has the same result as without an LLM: different " + what
	}
	return ""
}

// defaults checks that the stage works with the default config of its manifest. The
// cache is empty, because its values belong to another config.
func (m *Module) defaults(ctx context.Context, c Call, first Result) (*Breach, error) {
	if len(c.Config) == 0 || first.Outcome == Fail {
		return nil, nil // the defaults were used, or the stage fails for another reason
	}
	c.Config, c.Cache = nil, c.Cache.cold()
	r, err := m.Run(ctx, c)
	if err != nil {
		return &Breach{Law: LawDefaults, Text: err.Error()}, nil
	}
	if r.Outcome == Fail {
		return &Breach{Law: LawDefaults, Text: "with the defaults of plugin.yaml it fails: " + r.Reason}, nil
	}
	return nil, nil
}
