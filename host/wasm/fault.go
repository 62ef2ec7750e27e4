package wasm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/tetratelabs/wazero/sys"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/wasm/fault"
)

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
		return fault.NewHost(abi.ErrLimit, "guest trapped after %s (limit %v, set limits.time)", r.clock, r.clock.budget)
	case r.Err() != nil:
		return fmt.Errorf("run given up: %w", context.Cause(r))
	case errors.As(err, &t):
		if t.kind == abi.ErrLimit {
			return fault.NewHost(t.kind, "%s", t.text)
		}
		return &fault.Error{Kind: cmp.Or(t.kind, abi.ErrGuest), Text: t.text, Host: "guest trapped"}
	}
	text := trapText(err)
	if r.mem != nil && r.mem.refused && text != "" {
		return fault.NewHost(abi.ErrLimit, "guest trapped: %s at %s (limit %s, set limits.memory)",
			text, fault.MiB(r.memoryBytes()), fault.MiB(r.call.Context.Limits.MemoryBytes))
	}
	if text == "unreachable" && r.reason != "" {
		// A language that cannot return from a panic reports it and traps.
		return &fault.Error{Kind: abi.ErrGuest, Text: "guest trapped: " + r.reason, Host: "guest trapped"}
	}
	if text != "" {
		return fault.NewHost(abi.ErrGuest, "guest trapped: %s", text)
	}
	var exit *sys.ExitError
	if errors.As(err, &exit) {
		return fault.NewHost(abi.ErrGuest, "guest was closed with status %d", exit.ExitCode())
	}
	// What is left is a panic of ours inside an import.
	r.m.rt.log.Error("import panicked", "module", r.m.info.Hash, "import", r.importName(), "err", err)
	return fault.NewHost(abi.ErrGuest, "host failed in %s", r.importName())
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

// millis makes a duration of a limit of the ABI.
func millis(n int) time.Duration { return time.Duration(n) * time.Millisecond }

// afterGuest drops the subject of a trap's text where another one stands.
func afterGuest(text string) string { return strings.TrimPrefix(text, "guest ") }
