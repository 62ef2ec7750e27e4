package upstream

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	mathrand "math/rand/v2"
	"net/http"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/host/jsonrpc"
)

// The pause before a call is repeated doubles from firstRepeat to lastRepeat. It is shortened
// at random by up to a half, so that not all callers of a team server that restarts return at
// once.
const (
	firstRepeat = 100 * time.Millisecond
	lastRepeat  = 2 * time.Second
)

// awayError means that the team server, or a proxy in front of it, did not pass a request on.
type awayError struct {
	err     error
	certain bool // that the server has not received the request
}

func (e *awayError) Error() string { return e.err.Error() }
func (e *awayError) Unwrap() error { return e.err }

// errUnknownOutcome means that the team server does not know whether a call was executed.
var errUnknownOutcome = errors.New("it is not known whether the call was executed")

// relayError returns the error of a response of the team server that decides whether a call is
// repeated; nil if the response does not. err describes the response.
func (h *httpLink) relayError(resp *http.Response, err error) error {
	if name := h.shared.cfg.OutcomeHeader; name != "" && resp.Header.Get(name) != "" {
		return &brokenError{fmt.Errorf("%w: %w", errUnknownOutcome, err)}
	}
	isOwn := strings.HasPrefix(resp.Header.Get("Content-Type"), "application/problem+json")
	switch {
	case !isAwayStatus(resp.StatusCode):
		return nil
	case isOwn && resp.StatusCode != http.StatusServiceUnavailable: // the server is away, not the team server
		return nil
	}
	return &awayError{err, isOwn}
}

// isAwayStatus reports whether a status is one with which a proxy reports that the team server
// is away.
func isAwayStatus(status int) bool {
	return status == http.StatusBadGateway || status == http.StatusServiceUnavailable || status == http.StatusGatewayTimeout
}

// repeat calls try with the id of a new call until it has an answer, or an error for which the
// team server need not be asked again, or until Config.RepeatFor is over. Its error says whether
// a try before the last one may have been executed.
func (h *httpLink) repeat(ctx context.Context, try func(id string) (jsonrpc.Message, error)) (jsonrpc.Message, error) {
	id := rand.Text()
	certain := true // that no try was executed
	var first error
	tries := repeater{limit: h.shared.cfg.RepeatFor}
	for {
		m, err := try(id)
		if err == nil || ctx.Err() != nil {
			return m, err
		}
		if !isAway(err) {
			return m, refusedError(err, first, certain)
		}
		certain = certain && isCertain(err)
		if first == nil {
			first = err
		}
		if passed, isOver := tries.pause(ctx); isOver {
			return m, overError(err, certain, passed)
		}
		if ctx.Err() != nil {
			return m, context.Cause(ctx)
		}
		h.shared.counts.repeated.Add(1)
	}
}

// awaitRelay is connection for a call through a team server: while that is away, it waits for
// further attempts to connect, until Config.RepeatFor or Config.QueueWait is over. certain is that
// the call was not executed before.
func awaitRelay(ctx context.Context, c *Client, certain bool) (link, error) {
	tries := repeater{limit: min(c.cfg.RepeatFor, c.cfg.QueueWait)}
	for {
		l, err := c.connection(ctx)
		if err == nil || ctx.Err() != nil || !isAway(err) || errors.Is(err, errWaited) {
			return l, err
		}
		if passed, isOver := tries.pause(ctx); isOver {
			return nil, overError(err, certain, passed)
		}
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
	}
}

// repeater limits the tries of a call while the team server is away. Tries begin for limit after
// the first failure.
type repeater struct {
	limit time.Duration
	began time.Time // of the first failure
	wait  time.Duration
}

// pause waits after a failure, or until ctx ends. It returns the time since the first failure,
// and whether no further try may begin.
func (r *repeater) pause(ctx context.Context) (passed time.Duration, isOver bool) {
	if r.began.IsZero() {
		r.began, r.wait = time.Now(), firstRepeat
	}
	passed = time.Since(r.began)
	if passed >= r.limit {
		return passed, true
	}
	pause(ctx, min(r.wait/2+mathrand.N(r.wait/2), r.limit-passed))
	r.wait = min(2*r.wait, lastRepeat)
	return passed, false
}

// refusedError returns the error of a call that was refused when it was repeated, after the error
// of the first try, nil if there was no other one. certain is that no earlier try was executed.
func refusedError(err, first error, certain bool) error {
	switch {
	case first == nil:
		return err
	case errors.Is(err, errUnknownOutcome):
		return fmt.Errorf("%w; first try: %v", err, first)
	case certain:
		return err
	case errors.Is(err, errSessionLost): // for which the call would be sent again, with another id
		return fmt.Errorf("%w: %v; first try: %v", errUnknownOutcome, err, first)
	}
	return fmt.Errorf("%w; first try: %v; repeated: %w", errUnknownOutcome, first, err) // err may end with a command
}

// isAway reports whether a call failed because the team server is away, so that the next try
// may succeed.
func isAway(err error) bool {
	if errors.Is(err, errUnknownOutcome) {
		return false
	}
	var dial *dialError
	var broken *brokenError
	var away *awayError
	return errors.As(err, &dial) || errors.As(err, &broken) || errors.As(err, &away)
}

// isCertain reports whether a call that failed with err was not executed for certain.
func isCertain(err error) bool {
	if away, ok := errors.AsType[*awayError](err); ok {
		return away.certain
	}
	_, isDial := errors.AsType[*dialError](err)
	return isDial
}

// overError returns the error of a call that was repeated until the time was over, after it has
// passed. It is no brokenError, for which the call would be repeated again.
func overError(err error, certain bool, passed time.Duration) error {
	known := "the call was not executed"
	if !certain {
		known = errUnknownOutcome.Error()
	}
	passed = passed.Round(100 * time.Millisecond)
	if e, ok := errors.AsType[*dialError](err); ok {
		return &dialError{fmt.Errorf("no answer of the team server for %s, %s: %w", passed, known, e.err)}
	}
	return fmt.Errorf("no answer of the team server for %s, %s: %v", passed, known, awayCause(err))
}

// awayCause returns the part of an error of isAway without the step that failed and its kind.
func awayCause(err error) error {
	if away, ok := errors.AsType[*awayError](err); ok {
		return away
	}
	if broken, ok := errors.AsType[*brokenError](err); ok {
		return broken
	}
	return err
}
