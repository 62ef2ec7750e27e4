package stage

import "github.com/mcpctl/mcpctl/sdk-go/internal/raw"

// Code is the code of a refusal. It is an error, for use as
// errors.Is(err, stage.NotFound).
type Code int32

// The codes of ABI 1.0. A later host may have others.
const (
	NotFound    = Code(raw.CodeNotFound)    // there is no such key, pointer, position or name
	BadArg      = Code(raw.CodeBadArg)      // an argument is not allowed
	Limit       = Code(raw.CodeLimit)       // a limit was reached; nothing was done
	Unavailable = Code(raw.CodeUnavailable) // not configured, or currently unavailable
	Denied      = Code(raw.CodeDenied)      // not granted; the manifest must list the capability
	Timeout     = Code(raw.CodeTimeout)     // not ready within the time given
	Upstream    = Code(raw.CodeUpstream)    // the LLM answered with an error
	Unsupported = Code(raw.CodeUnsupported) // not possible in this role or phase
	Conflict    = Code(raw.CodeConflict)    // the name is taken
)

// Error returns the code in words.
func (c Code) Error() string {
	switch c {
	case NotFound:
		return "not found"
	case BadArg:
		return "argument not allowed"
	case Limit:
		return "limit reached"
	case Unavailable:
		return "unavailable"
	case Denied:
		return "denied"
	case Timeout:
		return "timeout"
	case Upstream:
		return "error from upstream"
	case Unsupported:
		return "unsupported"
	case Conflict:
		return "conflict"
	}
	return "code " + format(int(c))
}

// Error is a refusal of the host: its code, and a sentence whose wording may
// change. Unwrap returns the code.
type Error struct {
	Code Code
	Text string
}

func (e *Error) Error() string {
	if e.Text == "" {
		return e.Code.Error()
	}
	return e.Text
}

// Unwrap makes errors.Is(err, stage.NotFound) work.
func (e *Error) Unwrap() error { return e.Code }

// missing is the error of every NotFound, which is frequent and needs no sentence.
var missing = &Error{Code: NotFound}

// newError returns the error of the latest import, which returned a negative result.
func newError(code int32) error {
	if code == raw.CodeNotFound {
		return missing
	}
	e := &Error{Code: Code(code)}
	if h := raw.LastError(); h >= 0 {
		e.Text = take(h)
	}
	return e
}

// check returns the error of a result, or nil.
func check(result int32) error {
	if result < 0 {
		return newError(result)
	}
	return nil
}
