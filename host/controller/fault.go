package controller

import (
	"errors"
	"fmt"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/breaker"
)

// fault is an error whose text completes `controller "x": on_tool_call `. Unwrap
// returns its kind, which is not part of the text.
type fault struct {
	text string
	kind error
}

func (f *fault) Error() string { return f.text }
func (f *fault) Unwrap() error { return f.kind }

func faultf(kind error, format string, args ...any) error {
	return &fault{fmt.Sprintf(format, args...), kind}
}

// isModuleFault reports whether err is a fault of the module. A regular FAIL is not a
// fault.
func isModuleFault(err error) bool {
	return (errors.Is(err, abi.ErrGuest) || errors.Is(err, abi.ErrLimit)) && !errors.Is(err, abi.ErrRefused)
}

// breakerVerdict returns the breaker's verdict for the error of a run. A regular FAIL is
// good.
func breakerVerdict(err error) breaker.Verdict {
	switch {
	case isModuleFault(err):
		return breaker.Failed
	case err == nil, errors.Is(err, abi.ErrRefused):
		return breaker.Good
	}
	return breaker.Unknown
}

// passed is the consequence of a failed hook, for the report, if its controller does
// not block.
var passed = map[abi.Hook]string{
	abi.OnInitialize: ", nothing added",
	abi.OnToolsList:  ", list unchanged",
	abi.OnToolCall:   ", call routed",
	abi.OnToolResult: ", result passed on unchanged",
}

// blocked is the consequence of a failed hook if its controller blocks.
var blocked = map[abi.Hook]string{
	abi.OnToolCall:   ", call blocked",
	abi.OnToolResult: ", result withheld",
}

// describe returns the error text of the report.
func describe(m *Member, h abi.Hook, err error, own bool) string {
	end := passed[h]
	if text, ok := blocked[h]; ok && m.Block {
		end = text
	} else if own {
		end = ", call answered by an error"
	}
	return fmt.Sprintf("controller %q: %s %v%s", m.Role.Name, h, err, end)
}
