package wasm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/tetratelabs/wazero/sys"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/wasm/fault"
	"github.com/mcpctl/mcpctl/host/wasm/imports"
)

// errOutOfTime is the cause with which the clock cancels a run.
var errOutOfTime = errors.New("out of time")

// cause returns the error for a call into the guest that ended with err. Its text
// completes `stage "x": `.
func (r *run) cause(err error) error {
	var t *imports.Trap
	switch {
	case r.clock.expired.Load():
		return fault.NewHost(abi.ErrLimit, "guest trapped after %s (limit %v, set limits.time)", r.clock, r.clock.budget)
	case r.isGivenUp():
		return fmt.Errorf("run given up: %w", context.Cause(r.ctx))
	case errors.As(err, &t):
		if errors.Is(t.Kind, abi.ErrLimit) {
			return fault.NewHost(t.Kind, "%s", t.Text)
		}
		return &fault.Error{Kind: cmp.Or(t.Kind, abi.ErrGuest), Text: t.Text, Host: "guest trapped"}
	}
	text := trapText(err)
	if r.guest.wasRefused() && text != "" {
		return fault.NewHost(abi.ErrLimit, "guest trapped: %s at %s (limit %s, set limits.memory)",
			text, fault.MiB(r.guest.memoryBytes()), fault.MiB(r.limits().MemoryBytes))
	}
	if reason := r.call.Failure(); text == "unreachable" && reason != "" {
		// A language that cannot return from a panic reports it and traps.
		return &fault.Error{Kind: abi.ErrGuest, Text: "guest trapped: " + reason, Host: "guest trapped"}
	}
	if text != "" {
		return fault.NewHost(abi.ErrGuest, "guest trapped: %s", text)
	}
	var exit *sys.ExitError
	if errors.As(err, &exit) {
		return fault.NewHost(abi.ErrGuest, "guest was closed with status %d", exit.ExitCode())
	}
	// The only other cause is a panic of the host inside an import.
	r.rt.log.Error("import panicked", "module", r.info.Hash, "import", r.call.FuncName(), "err", err)
	return fault.NewHost(abi.ErrGuest, "host failed in %s", r.call.FuncName())
}

func isTrap(err error) bool {
	var t *imports.Trap
	return errors.As(err, &t)
}

// trapText returns the engine's description of a trap, such as "unreachable", or "".
func trapText(err error) string {
	text := err.Error()
	if i := strings.Index(text, "wasm error: "); i >= 0 {
		line, _, _ := strings.Cut(text[i+len("wasm error: "):], "\n")
		return line
	}
	if strings.Contains(text, "stack overflow") { // a trap without that prefix
		return "stack overflow"
	}
	if strings.HasPrefix(text, "data[") { // a data segment out of bounds, found before any code runs
		return text
	}
	return ""
}

// trimSubject removes the subject of a trap's text for a message that has its own.
func trimSubject(text string) string { return strings.TrimPrefix(text, "guest ") }
