package pipeline

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/breaker"
	"github.com/mcpctl/mcpctl/host/flow"
)

// Shared finds results that other machines of a team have computed, and offers own ones to
// them. It is used for stages only, so that no content is in it before the filters have run.
type Shared interface {
	// IsShared reports whether results of a project may be shared.
	IsShared(project string) bool
	// Find returns the encoded result of a run and who has computed it. It returns false if
	// there is none, if asking takes longer than the run probably does, and after a bounded time.
	// It is called before the run and notes the login in r.
	Find(ctx context.Context, r *flow.SharedRun) (encoded []byte, producer string, ok bool)
	// Refuse reports that a result of Find failed a check. The stage runs.
	Refuse(r *flow.SharedRun, producer string, why error)
	// IsWanted notes the duration of a successful run and reports whether its result is worth
	// sharing.
	IsWanted(r *flow.SharedRun, took time.Duration) bool
	// Offer shares the encoded result of a run later, or not at all. texts are all texts in it.
	Offer(r *flow.SharedRun, encoded []byte, texts []string)
}

// errShared is the error of a shared result that no stage could have returned.
var errShared = errors.New("invalid shared result")

func sharedf(format string, args ...any) error {
	return fmt.Errorf("%w: %s", errShared, fmt.Sprintf(format, args...))
}

// sharedModel returns the ProxyModel of a request if the results of its steps of a kind may be
// shared, else "". That of a filter has read content that may not leave this machine.
func (p *Pipeline) sharedModel(r *Request, kind abi.RoleKind) string {
	if p.shared == nil || kind != abi.KindStage || !p.shared.IsShared(r.Scope.Project) {
		return ""
	}
	return r.Model
}

// sharedRun returns the description of a run for Shared, nil if its result is not shared. A
// sample is no live traffic.
func (l *loop) sharedRun(s *Step, c *abi.Call, key [32]byte) *flow.SharedRun {
	if l.model == "" || !l.r.Cacheable || l.r.Sample || l.r.Content.IsPrivate {
		return nil
	}
	return &flow.SharedRun{Key: key, By: l.producer(s), Model: l.model, Type: l.r.Content.Type, Source: l.r.Content.Source,
		LLM: s.LLMIdentity != "", InBytes: len(c.Input)}
}

// runShared returns the shared result of a run, or runs the step and shares its result. It only
// runs the step if r is nil.
func (p *Pipeline) runShared(ctx context.Context, s *Step, c abi.Call, r *flow.SharedRun, sample bool) outcome {
	if r == nil {
		return p.runOnce(ctx, s, c, sample)
	}
	if b, producer, ok := p.shared.Find(ctx, r); ok {
		out, err := p.openShared(&c, s, b)
		if err == nil {
			return out
		}
		p.shared.Refuse(r, producer, err)
	}
	begin := p.now()
	out := p.runOnce(ctx, s, c, sample)
	if out.err != nil || out.private || out.provisional || !p.shared.IsWanted(r, p.now().Sub(begin)) {
		return out
	}
	if out.value.pass || !same(out.value.output, c.Input) && !same(out.value.output, c.Original) { // raw content is not shared
		if texts, err := out.value.texts(); err == nil {
			p.shared.Offer(r, out.value.encode(), texts)
		}
	}
	return out
}

// texts returns all texts in a result.
func (v *value) texts() ([]string, error) {
	_, tree, err := decodeShape(v.shape)
	if err != nil {
		return nil, err
	}
	meta, err := decodeMeta(v.meta)
	if err != nil {
		return nil, err
	}
	texts := []string{string(v.output), tree.Type, tree.Syntax}
	for i := range tree.Sections {
		n := &tree.Sections[i]
		texts = append(texts, n.ID, n.Title, n.Summary, string(n.Body))
	}
	for k, v := range meta {
		texts = append(texts, k+": "+v)
	}
	return texts, nil
}

// openShared decodes a shared result and checks it as strictly as the output of a guest, whose
// calls are checked one by one: whoever has stored it may have computed nothing.
func (p *Pipeline) openShared(c *abi.Call, s *Step, b []byte) (outcome, error) {
	v, err := decodeValue(b)
	if err != nil {
		return outcome{}, err
	}
	marks, tree, err := decodeShape(v.shape)
	if err != nil {
		return outcome{}, err
	}
	meta, err := decodeMeta(v.meta)
	if err != nil {
		return outcome{}, err
	}
	// A cached value is used by its hashes, so a wrong one would be the key of other results.
	switch {
	case !bytes.Equal(v.encode(), b), !bytes.Equal(appendShape(nil, marks, &tree), v.shape), !bytes.Equal(appendMeta(nil, meta), v.meta):
		return outcome{}, sharedf("not encoded as this version does")
	case sha256.Sum256(v.shape) != v.shapeHash, !v.pass && sha256.Sum256(v.output) != v.hash:
		return outcome{}, sharedf("wrong hash")
	}
	if err := checkOutput(c, s, &v, marks); err != nil {
		return outcome{}, err
	}
	if err := checkMeta(meta); err != nil {
		return outcome{}, err
	}
	if err := checkSections(c, &tree); err != nil {
		return outcome{}, err
	}
	if err := checkMarks(marks, &tree, len(v.output)); err != nil && !v.pass {
		return outcome{}, err
	}
	if err := p.checkTree(c.Original, tree); err != nil {
		return outcome{}, fmt.Errorf("%w: %w", errShared, err)
	}
	return outcome{value: v, meta: meta, verdict: breaker.Unknown, found: true}, nil
}

// checkOutput checks the bytes of a result.
func checkOutput(c *abi.Call, s *Step, v *value, marks []abi.Mark) error {
	switch {
	case v.pass && !slices.Equal(marks, c.Marks):
		return sharedf("passes with other indexes")
	case v.pass:
		return nil
	case !s.Role.Transforming():
		return sharedf("content of a role that does not transform")
	case len(v.output) > c.Context.Limits.OutputBytes:
		return sharedf("output of %d bytes, limit %d", len(v.output), c.Context.Limits.OutputBytes)
	case !utf8.Valid(v.output):
		return sharedf("output is not UTF-8")
	}
	return nil
}

// checkMeta checks the metadata of a result.
func checkMeta(meta map[string]string) error {
	size := 0
	for k, v := range meta {
		size += len(k) + len(v)
		if k == "" || !utf8.ValidString(k) || !utf8.ValidString(v) {
			return sharedf("metadata without a key, or not UTF-8")
		}
	}
	if len(meta) > abi.LimitMetaKeys || size > abi.LimitMetaBytes {
		return sharedf("metadata of %d keys and %d bytes", len(meta), size)
	}
	return nil
}

// checkSections checks that a result keeps the sections of earlier stages, of which it may
// change titles and summaries, and the limits of texts. Spans and ids are checked with the
// original.
func checkSections(c *abi.Call, t *abi.Tree) error {
	earlier := c.Tree.Sections
	switch {
	case len(t.Sections) > max(c.Context.Limits.Sections, len(earlier)):
		return sharedf("%d sections, limit %d", len(t.Sections), c.Context.Limits.Sections)
	case len(t.Sections) < len(earlier):
		return sharedf("%d sections after %d", len(t.Sections), len(earlier))
	}
	size := 0
	for i := range t.Sections {
		n := &t.Sections[i]
		if !utf8.ValidString(n.Title) || !utf8.ValidString(n.Summary) || len(n.Title) > abi.LimitTitleBytes || len(n.Summary) > abi.LimitSummaryBytes || len(n.Body) > abi.LimitDerivedBytes {
			return sharedf("section %d has an invalid text", i)
		}
		if n.Kind == abi.SectionDerived && (n.Start != 0 || n.End != len(n.Body)) || n.Kind != abi.SectionDerived && len(n.Body) > 0 {
			return sharedf("section %d has an invalid body", i)
		}
		size += len(n.ID) + len(n.Title) + len(n.Summary) + len(n.Body)
		if i < len(earlier) && !isSameSection(n, &earlier[i]) {
			return sharedf("section %d of an earlier stage was changed", i)
		}
	}
	if size > abi.LimitSectionTextBytes {
		return sharedf("%d bytes of section texts", size)
	}
	return nil
}

func isSameSection(a, b *abi.Section) bool {
	return a.Parent == b.Parent && a.Kind == b.Kind && a.Start == b.Start && a.End == b.End && a.Literal == b.Literal && a.ID == b.ID && bytes.Equal(a.Body, b.Body)
}

// Limits of the marks of a shared result. Those of a guest's output are the same.
const (
	maxMarks  = 1024
	maxListed = 4 * abi.LimitSections
)

// checkMarks checks the indexes in an output of size bytes.
func checkMarks(marks []abi.Mark, t *abi.Tree, size int) error {
	if len(marks) > maxMarks {
		return sharedf("%d indexes, limit %d", len(marks), maxMarks)
	}
	children := make(map[int]int) // by parent
	for i := range t.Sections {
		children[t.Sections[i].Parent]++
	}
	listed, at := 0, 0
	for i := range marks {
		m := &marks[i]
		if m.Offset < at || m.Offset > size || m.Section < -1 || m.Section >= len(t.Sections) || m.Lines < 0 || m.Bytes < 0 {
			return sharedf("index %d is outside the output or the sections", i)
		}
		at = m.Offset
		listed += children[m.Section]
	}
	if len(marks) > 1 && listed > maxListed {
		return sharedf("%d indexes list %d sections, limit %d", len(marks), listed, maxListed)
	}
	return nil
}
