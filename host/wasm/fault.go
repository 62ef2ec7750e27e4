package wasm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/tetratelabs/wazero/sys"

	"github.com/mcpctl/mcpctl/abi"
)

// fault is an error whose text stands alone, with the kind that callers test.
type fault struct {
	kind error
	text string
	host string // see HostText
}

func (f *fault) Error() string { return f.text }
func (f *fault) Unwrap() error { return f.kind }

// HostText returns the part of the text that the host wrote, which quotes nothing that
// the guest wrote. It is empty if that part is not known.
func (f *fault) HostText() string { return f.host }

func faultf(kind error, format string, args ...any) error {
	return &fault{kind: kind, text: fmt.Sprintf(format, args...)}
}

// hostFaultf is faultf for a text that quotes nothing that the guest wrote.
func hostFaultf(kind error, format string, args ...any) error {
	text := fmt.Sprintf(format, args...)
	return &fault{kind: kind, text: text, host: text}
}

// trap ends a guest from inside an import: it is thrown, and comes back as the
// error of the call into the guest.
type trap struct {
	text string
	kind error // nil: abi.ErrGuest
}

func (t *trap) Error() string { return t.text }

// errOutOfTime is the cause with which the clock cancels a run.
var errOutOfTime = errors.New("out of time")

// cause says why a call into the guest ended with err: what a person reads,
// completing `stage "x": `.
func (r *run) cause(err error) error {
	var t *trap
	switch {
	case r.clock.out.Load():
		return hostFaultf(abi.ErrLimit, "guest trapped after %s (limit %v, set limits.time)", r.clock, r.clock.budget)
	case r.Err() != nil:
		return fmt.Errorf("run given up: %w", context.Cause(r))
	case errors.As(err, &t):
		if t.kind == abi.ErrLimit {
			return hostFaultf(t.kind, "%s", t.text)
		}
		return &fault{kind: cmp.Or(t.kind, abi.ErrGuest), text: t.text, host: "guest trapped"}
	}
	text := trapText(err)
	if r.mem != nil && r.mem.refused && text != "" {
		return hostFaultf(abi.ErrLimit, "guest trapped: %s at %s (limit %s, set limits.memory)",
			text, mib(r.memoryBytes()), mib(r.call.Context.Limits.MemoryBytes))
	}
	if text == "unreachable" && r.reason != "" {
		// A language that cannot return from a panic reports it and traps.
		return &fault{kind: abi.ErrGuest, text: "guest trapped: " + r.reason, host: "guest trapped"}
	}
	if text != "" {
		return hostFaultf(abi.ErrGuest, "guest trapped: %s", text)
	}
	var exit *sys.ExitError
	if errors.As(err, &exit) {
		return hostFaultf(abi.ErrGuest, "guest was closed with status %d", exit.ExitCode())
	}
	// What is left is a panic of ours inside an import.
	r.m.rt.log.Error("import panicked", "module", r.m.info.Hash, "import", r.importName(), "err", err)
	return hostFaultf(abi.ErrGuest, "host failed in %s", r.importName())
}

// trapText gives the engine's word for a trap, "unreachable", or "".
func trapText(err error) string {
	text := err.Error()
	if i := strings.Index(text, "wasm error: "); i >= 0 {
		line, _, _ := strings.Cut(text[i+len("wasm error: "):], "\n")
		return line
	}
	if strings.Contains(text, "stack overflow") { // the one trap without that prefix
		return "stack overflow"
	}
	return ""
}

func mib(n int) string { return strconv.Itoa((n+1<<20-1)>>20) + " MiB" }

// group writes a figure as people read it: 1,520,820.
func group(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// millis makes a duration of a limit of the ABI.
func millis(n int) time.Duration { return time.Duration(n) * time.Millisecond }

// afterGuest drops the subject of a trap's text where another one stands.
func afterGuest(text string) string { return strings.TrimPrefix(text, "guest ") }
