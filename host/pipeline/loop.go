package pipeline

import (
	"bytes"
	"context"
	"encoding/hex"
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
	outcomeDone    = flow.OutcomeDone
	outcomePass    = flow.OutcomePass
	outcomeCached  = flow.OutcomeCached
	outcomeFailed  = flow.OutcomeFailed
	outcomeBlocked = flow.OutcomeBlocked
)

// loop takes one Content through the steps of one kind.
type loop struct {
	p     *Pipeline
	r     *Request
	kind  abi.RoleKind
	fresh bool   // ignore cached results
	model string // the ProxyModel if results may be shared, else ""

	cur         cursor
	checked     bool // the Content is valid UTF-8
	blocked     string
	report      []flow.StageReport
	failed      []Failure
	opened      []Opening
	broken      bool // a step failed, with any policy
	limited     bool // a step reached a limit
	provisional bool
	private     bool              // a run read the session
	waited      time.Duration     // of steps that may have waited for an LLM
	pending     []<-chan struct{} // closed when a missing answer may be available
	firstKey    [32]byte          // of the first pending step
}

// walk runs the steps in order. Each step takes the output of the previous one as
// its input, from the cache or from a run.
func (l *loop) walk(ctx context.Context) (Result, error) {
	if l.r.Cacheable {
		l.r.hash()
	}
	l.model = l.p.sharedModel(l.r, l.kind)
	l.cur = startAt(&l.r.Content, l.r.Hash)
	l.waited = l.r.Content.LLMWaited
	l.report = make([]flow.StageReport, 0, len(l.r.Steps))
	for i := range l.r.Steps {
		if l.r.Steps[i].Role.Kind != l.kind {
			continue
		}
		stop, err := l.step(ctx, i)
		if errors.Is(err, errValue) {
			return l.again(ctx)
		}
		if err != nil {
			return Result{}, err
		}
		if stop {
			break
		}
	}
	if err := l.cur.open(); err != nil {
		return l.again(ctx)
	}
	return l.result(), nil
}

// again restarts without the cache after a cached value could not be decoded.
func (l *loop) again(ctx context.Context) (Result, error) {
	if l.fresh {
		return Result{}, errValue // the encoding itself is broken: a bug, so do not repeat it
	}
	*l = loop{p: l.p, r: l.r, kind: l.kind, fresh: true}
	return l.walk(ctx)
}

func (l *loop) result() Result {
	res := Result{Provisional: l.provisional, Report: l.report, Failed: l.failed, Opened: l.opened, Blocked: l.blocked, LLMWaited: l.waited}
	if l.blocked != "" {
		return res
	}
	res.Limited = l.limited
	res.Final = l.r.Cacheable && !l.broken && !l.private && !l.provisional
	res.Bytes, res.Text, res.Marks, res.Tree, res.Shape = l.cur.bytes, l.cur.text, l.cur.marks, l.cur.tree, l.cur.shapeHash
	res.Changed = len(res.Marks) > 0 || !same(res.Bytes, l.r.Content.Bytes)
	if res.Changed {
		res.Hash = l.cur.sum()
	}
	return res
}

func same(a, b []byte) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0] || bytes.Equal(a, b))
}

// step applies step i and reports whether the loop ends after it.
//
// Errors: that of ctx; errValue if a cached value cannot be decoded.
func (l *loop) step(ctx context.Context, i int) (stop bool, err error) {
	p, s, begin := l.p, &l.r.Steps[i], l.p.now()
	row := flow.StageReport{Role: s.Role.Name, ModuleHash: s.ModuleHash, InBytes: len(l.cur.bytes)}
	x := p.contextOf(l.r, i, len(l.cur.bytes))
	var key [32]byte
	if l.r.Cacheable {
		key = keyOf(s, l.model, &x, l.hashes())
		row.CacheKey = shorten(key)
	}
	row.InHash = shorten(l.cur.sum())
	if v, meta, ok := l.lookUp(key, s); ok {
		l.cur.take(&v)
		row.Outcome, row.Meta = outcomeCached, meta
		s.explain(v.pass, &row)
	} else if stop, err = l.run(ctx, s, x, key, &row); err != nil {
		return true, err
	}
	row.OutBytes, row.OutHash = len(l.cur.bytes), shorten(l.cur.sum())
	row.Micros = p.now().Sub(begin).Microseconds()
	l.report = append(l.report, row)
	return stop, nil
}

// shorten returns the first 16 hex digits of a hash, for reports.
func shorten(sum [32]byte) string { return hex.EncodeToString(sum[:8]) }

// hashes returns the hashes of the input of the next run. The original of a stage
// is the Content passed to Run; that of a filter is its input.
func (l *loop) hashes() inputHashes {
	h := inputHashes{input: l.cur.sum(), shape: l.cur.shapeHash, arguments: l.r.Arguments}
	h.original = h.input
	if l.kind == abi.KindStage {
		h.original = *l.r.hash()
	}
	return h
}

func (l *loop) lookUp(key [32]byte, s *Step) (v value, meta map[string]string, ok bool) {
	if l.p.cache == nil || !l.r.Cacheable || l.fresh {
		return value{}, nil, false
	}
	b, ok := l.p.cache.Get(key, l.producer(s))
	if !ok {
		return value{}, nil, false
	}
	v, err := decodeValue(b)
	if err == nil {
		meta, err = decodeMeta(v.meta)
	}
	return v, meta, err == nil
}

func (l *loop) producer(s *Step) flow.Producer {
	return flow.Producer{Project: l.r.Scope.Project, Role: s.Role.Name, ModuleHash: s.ModuleHash}
}

// run runs a step that is not cached and takes its output, or applies the policy
// for a failure.
func (l *loop) run(ctx context.Context, s *Step, x abi.Context, key [32]byte, row *flow.StageReport) (stop bool, err error) {
	if err := l.cur.open(); err != nil {
		return true, err
	}
	if !l.checked && !utf8.Valid(l.r.Content.Bytes) {
		return l.notText(s, row), nil
	}
	l.checked = true
	begin := l.p.now()
	out, err := l.obtain(ctx, s, l.call(s, x), key)
	if err != nil {
		return true, err
	}
	if s.LLMIdentity != "" {
		l.waited += l.p.now().Sub(begin)
	}
	if l.kind == abi.KindFilter && !l.r.Sample {
		s.withhold(&out)
	}
	row.Log, row.Skipped = out.log, out.skipped
	row.Memory, row.LLMRequests = out.stats.MemoryBytes, out.stats.LLMRequests
	if out.err != nil {
		l.broken = true
		l.limited = l.limited || errors.Is(out.err, abi.ErrLimit)
		if out.own && condemns(out, len(l.r.Content.Bytes)) {
			l.failed = append(l.failed, Failure{ModuleHash: s.ModuleHash, Role: s.Role.Name, Err: out.err})
		}
		if out.own && out.opened {
			l.opened = append(l.opened, Opening{Role: s.Role.Name, Cause: fmt.Sprintf("%d failures in %v, the last: %v", breaker.After, breaker.Within, out.err)})
		}
		return l.fail(s, row, out.err), nil
	}
	s.explain(out.value.pass, row)
	row.Outcome, row.Meta = outcomeDone, out.meta
	switch {
	case out.found:
		row.Outcome = outcomeCached
	case out.value.pass:
		row.Outcome = outcomePass
	}
	l.private = l.private || out.private
	l.provisional = l.provisional || out.provisional
	if out.settled != nil {
		if len(l.pending) == 0 {
			l.firstKey = keyOf(s, l.model, &x, l.hashes())
		}
		l.pending = append(l.pending, out.settled)
	}
	l.cur.take(&out.value)
	return false, nil
}

// notText handles a Content that is not UTF-8, which no guest may read. Stages are
// skipped; a filter withholds the Content, because it cannot check it.
func (l *loop) notText(s *Step, row *flow.StageReport) (stop bool) {
	row.Outcome, row.Error = outcomePass, s.who()+": content is not UTF-8, passed on unchanged"
	if l.kind == abi.KindFilter {
		row.Outcome, row.Error = outcomeBlocked, s.who()+": content is not UTF-8, result withheld"
		l.blocked = row.Error
	}
	return true
}

func (l *loop) call(s *Step, x abi.Context) abi.Call {
	c := abi.Call{
		Role: s.Role.Name, Context: x, Config: s.Config,
		Input: l.cur.bytes, Marks: l.cur.marks, Tree: l.cur.tree,
		Original: l.r.Content.Bytes, Session: l.r.Scope.Session, LLMWaited: l.waited,
	}
	if s.Role.ReadsArguments() {
		c.Arguments = l.r.Arguments
	}
	if l.kind == abi.KindFilter {
		c.Original = c.Input // a later filter must not see the content that an earlier one removed
	}
	return c
}
