// Package problem turns an error into what a person or a program reads: what
// failed, why, and the command that helps, with a stable code and the exit
// status of DESIGN 6. It is the one place where error kinds become codes.
package problem

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
)

// Problem is an error in the parts that are shown. It is also the JSON body of
// a failed management call, so that the CLI prints what the daemon meant.
type Problem struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Cause   string `json:"cause,omitempty"`
	At      string `json:"at,omitempty"` // file:line:column
	Hint    string `json:"hint,omitempty"`
}

// Error is the message with its cause, for logs.
func (p *Problem) Error() string {
	if p.Cause == "" {
		return p.Message
	}
	return p.Message + ": " + p.Cause
}

// Is lets errors.Is(p, abi.ErrNotFound) hold on the far side of the socket.
func (p *Problem) Is(target error) bool {
	for _, k := range kinds {
		if k.err == target {
			return k.code == p.Code
		}
	}
	return false
}

// WithHint returns p with a command that helps.
func (p *Problem) WithHint(format string, args ...any) *Problem {
	q := *p
	q.Hint = fmt.Sprintf(format, args...)
	return &q
}

// kind ties an error kind to its code, exit status and HTTP status.
type kind struct {
	err    error
	code   string
	exit   int
	status int
}

var kinds = []kind{
	{abi.ErrNotFound, "E_NOT_FOUND", ExitNotFound, http.StatusNotFound},
	{abi.ErrDenied, "E_DENIED", ExitDenied, http.StatusForbidden},
	{abi.ErrConflict, "E_CONFLICT", ExitConflict, http.StatusConflict},
	{abi.ErrUnavailable, "E_UNREACHABLE", ExitUnreachable, http.StatusServiceUnavailable},
	{abi.ErrConfig, "E_INVALID", ExitInvalid, http.StatusUnprocessableEntity},
	{abi.ErrLimit, "E_LIMIT", ExitFailed, http.StatusRequestEntityTooLarge},
	{abi.ErrGuest, "E_GUEST", ExitFailed, http.StatusBadGateway},
	{context.DeadlineExceeded, "E_TIMEOUT", ExitFailed, http.StatusGatewayTimeout},
	{ErrUsage, "E_USAGE", ExitUsage, http.StatusBadRequest},
}

// Exit statuses; `mcpctl help exit-codes` prints them.
const (
	ExitOK          = 0
	ExitFailed      = 1
	ExitUsage       = 2
	ExitNotFound    = 3
	ExitDenied      = 4
	ExitConflict    = 5
	ExitUnreachable = 6
	ExitInvalid     = 7
)

// ErrUsage: the command line itself is wrong.
var ErrUsage = errors.New("usage")

// Usagef is a Problem for a wrong command line.
func Usagef(format string, args ...any) *Problem {
	return &Problem{Code: "E_USAGE", Message: fmt.Sprintf(format, args...)}
}

// New is a Problem of the kind of err (one of the kinds of package abi).
func New(err error, format string, args ...any) *Problem {
	return &Problem{Code: kindOf(err).code, Message: fmt.Sprintf(format, args...)}
}

// From reads any error as a Problem. An error may carry parts of its own by
// methods At and Cause, each returning a string, or by a last line "hint: ...".
func From(err error) *Problem {
	var p *Problem
	if errors.As(err, &p) {
		return p
	}
	message, hint := cutHint(err.Error())
	return &Problem{
		Code:    kindOf(err).code,
		Message: message,
		Cause:   part[interface{ Cause() string }](err, func(e interface{ Cause() string }) string { return e.Cause() }),
		At:      part[interface{ At() string }](err, func(e interface{ At() string }) string { return e.At() }),
		Hint:    hint,
	}
}

// cutHint takes the hint from an error that prints all its parts, as those of
// host/object do: of several the first.
func cutHint(text string) (message, hint string) {
	message, rest, ok := strings.Cut(text, "\nhint: ")
	if !ok {
		return text, ""
	}
	hint, _, _ = strings.Cut(rest, "\n")
	return message, hint
}

func part[T any](err error, get func(T) string) string {
	var e T
	if errors.As(err, &e) {
		return get(e)
	}
	return ""
}

func kindOf(err error) kind {
	for _, k := range kinds {
		if errors.Is(err, k.err) {
			return k
		}
	}
	return kind{nil, "E_FAILED", ExitFailed, http.StatusInternalServerError}
}

func (p *Problem) kind() kind {
	for _, k := range kinds {
		if k.code == p.Code {
			return k
		}
	}
	return kindOf(nil)
}

// Exit is the exit status of a command that ended with err.
func Exit(err error) int {
	if err == nil {
		return ExitOK
	}
	return From(err).kind().exit
}

// HTTPStatus is the status of a management answer that says p.
func (p *Problem) HTTPStatus() int { return p.kind().status }

// Print writes err for a person: three parts, in this order, or as JSON.
func Print(w io.Writer, err error, asJSON bool) {
	p := From(err)
	if asJSON {
		b, _ := json.Marshal(map[string]*Problem{"error": p}) // a struct of strings always encodes
		fmt.Fprintf(w, "%s\n", b)
		return
	}
	fmt.Fprintf(w, "error: %s\n", indentRest(p.Message))
	switch {
	case p.Cause != "" && p.At != "":
		fmt.Fprintf(w, "  %s   (%s)\n", indentRest(p.Cause), p.At)
	case p.Cause != "" || p.At != "":
		fmt.Fprintf(w, "  %s\n", indentRest(p.Cause+p.At))
	}
	if p.Hint != "" {
		fmt.Fprintf(w, "hint: %s\n", p.Hint)
	}
}

// indentRest keeps a text of several lines (a YAML excerpt with its caret) apart
// from the labels at the margin.
func indentRest(s string) string {
	lines := strings.Split(strings.TrimRight(s, "\n"), "\n")
	for i, l := range lines[1:] {
		if !strings.HasPrefix(l, "  ") {
			lines[i+1] = "  " + l
		}
	}
	return strings.Join(lines, "\n")
}
