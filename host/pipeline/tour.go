package pipeline

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/breaker"
	"github.com/mcpctl/mcpctl/host/flow"
)

// Outcomes of a step in its report.
const (
	outcomeDone    = "done"
	outcomePass    = "pass"
	outcomeCached  = "cached"
	outcomeFailed  = "failed"
	outcomeBlocked = "blocked"
)

// tour is one way of a Content through the steps of one kind.
type tour struct {
	p     *Pipeline
	r     *Request
	kind  abi.RoleKind
	fresh bool // ignore what the cache has

	cur         cursor
	checked     bool // the Content was found to be UTF-8
	blocked     string
	report      []flow.StageReport
	failed      []Failure
	opened      []Opening
	broken      bool // a step failed, whatever became of it
	limited     bool // one of them at a limit
	provisional bool
	private     bool              // a run touched the session
	waited      time.Duration     // of steps that may have waited for an LLM
	pending     []<-chan struct{} // closed when more can be had
	firstKey    [32]byte          // of the first step that is pending
}

// walk is the straight line: for each step the cached result or a run, then
// what it left is the input of the next.
func (t *tour) walk(ctx context.Context) (Result, error) {
	if t.r.Cacheable {
		t.r.hash()
	}
	t.cur = startAt(&t.r.Content, t.r.Hash)
	t.waited = t.r.Content.LLMWaited
	t.report = make([]flow.StageReport, 0, len(t.r.Steps))
	for i := range t.r.Steps {
		if t.r.Steps[i].Role.Kind != t.kind {
			continue
		}
		stop, err := t.step(ctx, i)
		if errors.Is(err, errValue) {
			return t.again(ctx)
		}
		if err != nil {
			return Result{}, err
		}
		if stop {
			break
		}
	}
	if err := t.cur.open(); err != nil {
		return t.again(ctx)
	}
	return t.result(), nil
}

// again starts over without the cache, once a value of it turned out unreadable.
func (t *tour) again(ctx context.Context) (Result, error) {
	if t.fresh {
		return Result{}, errValue // our own encoding cannot be read: a bug, not to be repeated for ever
	}
	*t = tour{p: t.p, r: t.r, kind: t.kind, fresh: true}
	return t.walk(ctx)
}

func (t *tour) result() Result {
	res := Result{Provisional: t.provisional, Report: t.report, Failed: t.failed, Opened: t.opened, Blocked: t.blocked, LLMWaited: t.waited}
	if t.blocked != "" {
		return res
	}
	res.Limited = t.limited
	res.Final = t.r.Cacheable && !t.broken && !t.private && !t.provisional
	res.Bytes, res.Text, res.Marks, res.Tree, res.Shape = t.cur.bytes, t.cur.text, t.cur.marks, t.cur.tree, t.cur.shapeHash
	res.Changed = len(res.Marks) > 0 || !same(res.Bytes, t.r.Content.Bytes)
	if res.Changed {
		res.Hash = t.cur.sum()
	}
	return res
}

func same(a, b []byte) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0] || bytes.Equal(a, b))
}

// step takes the Content through step i and reports whether the tour ends there.
//
// Errors: that of ctx; errValue if the cache held what cannot be read.
func (t *tour) step(ctx context.Context, i int) (stop bool, err error) {
	p, s, begin := t.p, &t.r.Steps[i], t.p.now()
	row := flow.StageReport{Role: s.Role.Name, ModuleHash: s.ModuleHash, InBytes: len(t.cur.bytes)}
	x := p.contextOf(t.r, i, len(t.cur.bytes))
	var key [32]byte
	if t.r.Cacheable {
		key = keyOf(s, &x, t.hashes())
	}
	if v, meta, ok := t.lookUp(key, s); ok {
		t.cur.take(&v)
		row.Outcome, row.Meta = outcomeCached, meta
		s.explain(v.pass, &row)
	} else if stop, err = t.run(ctx, s, x, key, &row); err != nil {
		return true, err
	}
	row.OutBytes = len(t.cur.bytes)
	row.Micros = p.now().Sub(begin).Microseconds()
	t.report = append(t.report, row)
	return stop, nil
}

// hashes of what the next run reads. The original of a stage is the Content as
// it came to Run; that of a filter is its input.
func (t *tour) hashes() inputHashes {
	h := inputHashes{input: t.cur.sum(), shape: t.cur.shapeHash}
	h.original = h.input
	if t.kind == abi.KindStage {
		h.original = *t.r.hash()
	}
	return h
}

func (t *tour) lookUp(key [32]byte, s *Step) (v value, meta map[string]string, ok bool) {
	if t.p.cache == nil || !t.r.Cacheable || t.fresh {
		return value{}, nil, false
	}
	b, ok := t.p.cache.Get(key, t.producer(s))
	if !ok {
		return value{}, nil, false
	}
	v, err := decodeValue(b)
	if err == nil {
		meta, err = decodeMeta(v.meta)
	}
	return v, meta, err == nil
}

func (t *tour) producer(s *Step) flow.Producer {
	return flow.Producer{Project: t.r.Scope.Project, Role: s.Role.Name, ModuleHash: s.ModuleHash}
}

// run runs a step that is not cached and takes over what it left, or applies
// the policy for its failure.
func (t *tour) run(ctx context.Context, s *Step, x abi.Context, key [32]byte, row *flow.StageReport) (stop bool, err error) {
	if err := t.cur.open(); err != nil {
		return true, err
	}
	if !t.checked && !utf8.Valid(t.r.Content.Bytes) {
		return t.notText(s, row), nil
	}
	t.checked = true
	begin := t.p.now()
	out, err := t.obtain(ctx, s, t.call(s, x), key)
	if err != nil {
		return true, err
	}
	if s.LLMIdentity != "" {
		t.waited += t.p.now().Sub(begin)
	}
	if t.kind == abi.KindFilter && !t.r.Sample {
		s.withhold(&out)
	}
	row.Log, row.Skipped = out.log, out.skipped
	if out.err != nil {
		t.broken = true
		t.limited = t.limited || errors.Is(out.err, abi.ErrLimit)
		if out.own && condemns(out, len(t.r.Content.Bytes)) {
			t.failed = append(t.failed, Failure{ModuleHash: s.ModuleHash, Role: s.Role.Name, Err: out.err})
		}
		if out.own && out.opened {
			t.opened = append(t.opened, Opening{Role: s.Role.Name, Cause: fmt.Sprintf("%d failures in %v, the last: %v", breaker.After, breaker.Within, out.err)})
		}
		return t.fail(s, row, out.err), nil
	}
	s.explain(out.value.pass, row)
	row.Outcome, row.Meta = outcomeDone, out.meta
	if out.value.pass {
		row.Outcome = outcomePass
	}
	t.private = t.private || out.private
	t.provisional = t.provisional || out.provisional
	if out.settled != nil {
		if len(t.pending) == 0 {
			t.firstKey = keyOf(s, &x, t.hashes())
		}
		t.pending = append(t.pending, out.settled)
	}
	t.cur.take(&out.value)
	return false, nil
}

// notText handles a Content that no guest may see: it passes stages by, and a
// filter that cannot look into it withholds it.
func (t *tour) notText(s *Step, row *flow.StageReport) (stop bool) {
	row.Outcome, row.Error = outcomePass, s.who()+": content is not UTF-8, passed on unchanged"
	if t.kind == abi.KindFilter {
		row.Outcome, row.Error = outcomeBlocked, s.who()+": content is not UTF-8, result withheld"
		t.blocked = row.Error
	}
	return true
}

func (t *tour) call(s *Step, x abi.Context) abi.Call {
	c := abi.Call{
		Role: s.Role.Name, Context: x, Config: s.Config,
		Input: t.cur.bytes, Marks: t.cur.marks, Tree: t.cur.tree,
		Original: t.r.Content.Bytes, Session: t.r.Scope.Session, LLMWaited: t.waited,
	}
	if t.kind == abi.KindFilter {
		c.Original = c.Input // what a filter has removed, no later one sees again
	}
	return c
}
