package pipeline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/breaker"
	"github.com/mcpctl/mcpctl/host/flow"
)

// fault is an error of an abi kind whose text does not begin with the kind's:
// it is read after `stage "name": `.
type fault struct {
	kind error
	text string
}

func (f *fault) Error() string { return f.text }
func (f *fault) Unwrap() error { return f.kind }

func faultf(kind error, format string, args ...any) error {
	return &fault{kind, fmt.Sprintf(format, args...)}
}

// verdictOf says whether a run speaks against its module: being cancelled, or
// wanting something that is not there now or not to be told apart, does not.
func verdictOf(ctx context.Context, err error) breaker.Verdict {
	switch {
	case err == nil:
		return breaker.Good
	case ctx.Err() != nil, errors.Is(err, abi.ErrUnavailable), errors.Is(err, abi.ErrNotFound), errors.Is(err, abi.ErrConflict):
		return breaker.Unknown
	case errors.Is(err, abi.ErrLimit):
		return breaker.Exceeded
	}
	return breaker.Failed
}

// LargeContent is from where on a limit that a stage reached is the content's
// doing and not the stage's.
const LargeContent = 1 << 20

// condemns reports whether a run over a Content of so many bytes speaks against
// the version of its module. One that says FAIL works, as far as anybody knows:
// its config is wrong, most often, and another version would say the same.
func condemns(out outcome, size int) bool {
	switch out.verdict {
	case breaker.Failed:
		return !errors.Is(out.err, abi.ErrRefused)
	case breaker.Exceeded:
		return size < LargeContent
	}
	return false
}

// who names a step as people read it.
func (s *Step) who() string { return fmt.Sprintf("%s %q", s.Role.Kind, s.Role.Name) }

// explain says why a role that is nothing without an LLM has let a Content pass.
func (s *Step) explain(pass bool, row *flow.StageReport) {
	if pass && s.Role.LLM == abi.LLMRequired && s.LLMIdentity == "" {
		row.Error = fmt.Sprintf("%s: %s, content passed on unchanged", s.who(), cmp.Or(s.NoLLM, "no LLM provider configured"))
	}
}

// withhold removes a filter's own text from an outcome. The message of a failure or a
// panic, and log lines, may quote content that the filter removes.
func (s *Step) withhold(out *outcome) {
	if n := len(out.log); n > 0 {
		level := slices.MaxFunc(out.log, func(a, b abi.LogLine) int {
			return cmp.Compare(slices.Index(logLevels, a.Level), slices.Index(logLevels, b.Level))
		}).Level
		out.log = []abi.LogLine{{Level: level,
			Text: fmt.Sprintf("lines not kept: %d; they may quote content, mcpctl stage run %s < FILE shows them", n, s.Role.Name)}}
	}
	if !errors.Is(out.err, abi.ErrGuest) && !errors.Is(out.err, abi.ErrLimit) || out.skipped || s.ModuleHash == "" {
		return // not the guest's: nothing of it ran
	}
	kind, text := abi.ErrGuest, "failed"
	switch {
	case errors.Is(out.err, abi.ErrLimit):
		kind, text = abi.ErrLimit, "reached a limit"
	case errors.Is(out.err, abi.ErrRefused):
		kind = abi.ErrRefused
	}
	var host interface{ HostText() string }
	if errors.As(out.err, &host) && host.HostText() != "" {
		text = host.HostText()
	}
	if text != out.err.Error() {
		out.err = faultf(kind, "%s (its message may quote content and is not kept: mcpctl stage run %s < FILE shows it)", text, s.Role.Name)
	}
}

// logLevels are the levels of the lines of a guest, the least severe first.
var logLevels = []string{"debug", "info", "warn", "error"}

// policy is what to do when the step fails.
func (s *Step) policy() string {
	switch {
	case s.OnFailure != "":
		return s.OnFailure
	case s.Role.Kind == abi.KindFilter:
		return OnFailureBlock
	}
	return OnFailurePass
}

// fail applies the policy of a step that failed and reports whether the tour
// ends with it. What the client gets to read names the step and no cause.
func (t *tour) fail(s *Step, row *flow.StageReport, err error) (stop bool) {
	row.Outcome = outcomeFailed
	switch s.policy() {
	case OnFailurePass:
		row.Error = fmt.Sprintf("%s: %v, content passed on unchanged", s.who(), err)
		return false
	case OnFailurePlaceholder:
		row.Error = fmt.Sprintf("%s: %v, placeholder shown", s.who(), err)
		t.cur.write([]byte(s.who() + " failed, content is not shown"))
		return true
	}
	row.Outcome = outcomeBlocked
	row.Error = fmt.Sprintf("%s: %v, result withheld", s.who(), err)
	t.blocked = s.who() + " failed, result withheld"
	return true
}
