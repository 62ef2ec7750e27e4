package controller

import (
	"errors"
	"fmt"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/breaker"
)

// fault is an error whose text completes `controller "x": on_tool_call `; its kind
// is behind it, not in the text.
type fault struct {
	text string
	kind error
}

func (f *fault) Error() string { return f.text }
func (f *fault) Unwrap() error { return f.kind }

func faultf(kind error, format string, args ...any) error {
	return &fault{fmt.Sprintf(format, args...), kind}
}

// against reports whether a failure speaks against the module: it did wrong, and
// did not say FAIL in order.
func against(err error) bool {
	return (errors.Is(err, abi.ErrGuest) || errors.Is(err, abi.ErrLimit)) && !errors.Is(err, abi.ErrRefused)
}

// verdictOf is what the end of a run tells the breaker. Who says FAIL in order
// works.
func verdictOf(err error) breaker.Verdict {
	switch {
	case against(err):
		return breaker.Failed
	case err == nil, errors.Is(err, abi.ErrRefused):
		return breaker.Good
	}
	return breaker.Unknown
}

// What becomes of the request when a hook fails and its controller passes.
var passed = map[abi.Hook]string{
	abi.OnInitialize: ", nothing added",
	abi.OnToolsList:  ", list left as it was",
	abi.OnToolCall:   ", call routed",
	abi.OnToolResult: ", result passed on unchanged",
}

// What becomes of it when the controller blocks.
var blocked = map[abi.Hook]string{
	abi.OnToolCall:   ", call blocked",
	abi.OnToolResult: ", result withheld",
}

// describe is a failure as a person reads it.
func describe(m *Member, h abi.Hook, err error, own bool) string {
	end := passed[h]
	if text, ok := blocked[h]; ok && m.Block {
		end = text
	} else if own {
		end = ", call answered by an error"
	}
	return fmt.Sprintf("controller %q: %s %v%s", m.Role.Name, h, err, end)
}
