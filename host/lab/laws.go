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

// Law is one of those that every stage keeps, whatever it does.
type Law string

// The laws, in the order in which they are looked at.
const (
	LawSame     Law = "same output twice"
	LawLeaves   Law = "leaves are exact"
	LawLLM      Law = "an LLM that is of no help changes nothing"
	LawDefaults Law = "defaults are accepted"
)

// Breach is a law that a call has broken.
type Breach struct {
	Law  Law    `json:"law"`
	What string `json:"what"`

	Before, After []byte `json:"-"` // two outputs that should be one; both nil if it is not they that differ
}

// between notes the outputs of two runs, if they differ.
func (b *Breach) between(before, after Result) *Breach {
	if before.Outcome == after.Outcome && !bytes.Equal(before.Output.Bytes, after.Output.Bytes) {
		b.Before, b.After = before.Output.Bytes, after.Output.Bytes
	}
	return b
}

// Laws runs a call as often as it takes to tell which laws the role breaks. first is
// what the call gave before; a run that a limit ended is judged by none of them.
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

// same: a run with the same script gives the same, and so does one with what the
// first has left in the cache. Of a role that has a cache neither an empty one nor
// one of no use changes anything: values of a script may be made up, so these three
// are compared with each other.
func (m *Module) same(ctx context.Context, c Call, first Result) (*Breach, error) {
	again := []variant{{"a second run", c}}
	if len(first.Kept) > 0 {
		warm := c
		warm.Cache = c.Cache.with(first.Kept)
		again = append(again, variant{"a second run, with what the first one kept in the cache,", warm})
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

// variant is a call that should give what another one gives.
type variant struct {
	what string
	call Call
}

// compared is the first variant that gives something else, as a breach of LawSame.
func (m *Module) compared(ctx context.Context, want Result, variants ...variant) (*Breach, error) {
	for _, v := range variants {
		got, err := m.Run(ctx, v.call)
		if err != nil {
			return nil, err
		}
		if what := difference(want, got); what != "" {
			b := &Breach{Law: LawSame, What: v.what + " gives another " + what}
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

// difference names what two results differ in, empty if in nothing.
func difference(a, b Result) string {
	switch {
	case a.Outcome != b.Outcome:
		return fmt.Sprintf("outcome: %s, then %s", a.say(), b.say())
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
	return a.Type == b.Type && slices.EqualFunc(a.Sections, b.Sections, func(x, y abi.Section) bool {
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

// say is an outcome with its reason.
func (r Result) say() string {
	if r.Outcome == Fail {
		return fmt.Sprintf("%s (%s)", r.Outcome, r.Reason)
	}
	return string(r.Outcome)
}

// leaves: what drill-down serves are the bytes of the original, and all of them.
// It reads them as a client does.
func (m *Module) leaves(_ context.Context, c Call, first Result) (*Breach, error) {
	if first.Outcome == Fail || len(first.Output.Tree.Sections) == 0 {
		return nil, nil
	}
	doc, err := section.New(c.Input, first.Output.Tree, m.trial.opts.Reading)
	if err != nil {
		return &Breach{Law: LawLeaves, What: err.Error()}, nil
	}
	read := func(path string) flow.Answer { return doc.Read("abcdefghijklmnop", path) }
	if err := crawl.Run(read, c.Input).Err(); err != nil {
		return &Breach{Law: LawLeaves, What: err.Error()}, nil
	}
	return nil, nil
}

// withoutLLM: with an LLM that fails, is slow, says nothing or lies, a stage passes
// the content on or gives what it gives without one; a filter withholds it. The cache
// is cold, or an answer could come from there.
func (m *Module) withoutLLM(ctx context.Context, c Call, _ Result) (*Breach, error) {
	role, err := m.role(c.Role)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(role.Capabilities, "llm") {
		return nil, nil // it cannot ask
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
			b := &Breach{Law: LawLLM, What: fmt.Sprintf("with an LLM that %s: %s", wayWords[way], what)}
			return b.between(none, r), nil
		}
	}
	return nil, nil
}

var wayWords = map[Way]string{Fails: "fails", Slow: "is slow", Empty: "says nothing", Lies: "lies"}

// unhelped is what is wrong with a result that a role gave when its LLM was of no
// help; none is what it gives when there is no LLM.
func unhelped(kind abi.RoleKind, way Way, r, none Result) string {
	switch {
	case r.Spent.Requests == 0:
		return "" // it did not need one
	case kind == abi.KindFilter && r.Outcome == Pass && way != Lies:
		return "it passes on what it could not judge; a filter has to fail then"
	case kind == abi.KindFilter, r.Outcome == Pass:
		return ""
	case r.Outcome == Fail && none.Outcome != Fail:
		return "it fails (" + r.Reason + "); a stage passes then"
	case way == Lies: // nobody can tell a lie from an answer
		return ""
	}
	if what := difference(none, r); what != "" {
		return "it does neither pass nor give what it gives without an LLM: another " + what
	}
	return ""
}

// defaults: the config that the manifest gives works as it is. What the cache holds
// for another config is not there.
func (m *Module) defaults(ctx context.Context, c Call, first Result) (*Breach, error) {
	if len(c.Config) == 0 || first.Outcome == Fail {
		return nil, nil // they were used, or it fails for another reason
	}
	c.Config, c.Cache = nil, c.Cache.cold()
	r, err := m.Run(ctx, c)
	if err != nil {
		return &Breach{Law: LawDefaults, What: err.Error()}, nil
	}
	if r.Outcome == Fail {
		return &Breach{Law: LawDefaults, What: "with the defaults of plugin.yaml it fails: " + r.Reason}, nil
	}
	return nil, nil
}
