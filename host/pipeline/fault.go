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

// fault is an error of an abi kind whose text does not start with that of the kind,
// because it follows `stage "name": `.
type fault struct {
	kind error
	text string
}

func (f *fault) Error() string { return f.text }
func (f *fault) Unwrap() error { return f.kind }

func faultf(kind error, format string, args ...any) error {
	return &fault{kind, fmt.Sprintf(format, args...)}
}

// verdictOf returns the breaker's verdict on a run. Cancellation, an unavailable
// service and ambiguous or missing items are not the module's fault.
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

// LargeContent is the size, in bytes, from which a limit that a stage reaches is
// blamed on the content and not on the stage.
const LargeContent = 1 << 20

// condemns reports whether a run over a Content of size bytes counts against the
// version of its module. FAIL does not count: usually the config is wrong, and
// another version would return the same.
func condemns(out outcome, size int) bool {
	switch out.verdict {
	case breaker.Failed:
		return !errors.Is(out.err, abi.ErrRefused)
	case breaker.Exceeded:
		return size < LargeContent
	}
	return false
}

// who returns the name of a step for messages.
func (s *Step) who() string { return fmt.Sprintf("%s %q", s.Role.Kind, s.Role.Name) }

// explain adds the reason why a role that requires an LLM has passed the Content
// on.
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
		return // no code of the guest ran
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

// policy returns the policy for failures of the step.
func (s *Step) policy() string {
	switch {
	case s.OnFailure != "":
		return s.OnFailure
	case s.Role.Kind == abi.KindFilter:
		return OnFailureBlock
	}
	return OnFailurePass
}

// fail applies the policy of a failed step and reports whether the loop ends after
// it. The text for the client names the step but not the cause.
func (l *loop) fail(s *Step, row *flow.StageReport, err error) (stop bool) {
	row.Outcome = outcomeFailed
	switch s.policy() {
	case OnFailurePass:
		row.Error = fmt.Sprintf("%s: %v, content passed on unchanged", s.who(), err)
		return false
	case OnFailurePlaceholder:
		row.Error = fmt.Sprintf("%s: %v, placeholder shown", s.who(), err)
		l.cur.write([]byte(s.who() + " failed, content is not shown"))
		return true
	}
	row.Outcome = outcomeBlocked
	row.Error = fmt.Sprintf("%s: %v, result withheld", s.who(), err)
	l.blocked = s.who() + " failed, result withheld"
	return true
}
