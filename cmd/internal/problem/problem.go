// Package problem converts errors into a Problem for users and programs: message,
// cause, a command that helps, a stable code and an exit status. It is the only
// package that maps error kinds to codes; `mcpctl help exit-codes` lists them.
package problem

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/strictyaml"
)

// Problem is an error, split into the parts that are printed. It is also the JSON
// body of a failed management call, so that the CLI prints the daemon's error.
type Problem struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Cause   string `json:"cause,omitempty"`
	At      string `json:"at,omitempty"`      // file:line:column
	Snippet string `json:"snippet,omitempty"` // the source line, a caret below
	Hint    string `json:"hint,omitempty"`    // a command that can be pasted

	// Errors are the errors of a file, in its order, if there are several.
	Errors []*Problem `json:"mistakes,omitempty"`
}

// Error returns the message and the cause, for logs.
func (p *Problem) Error() string {
	if p.Cause == "" {
		return p.Message
	}
	return p.Message + ": " + p.Cause
}

// Is reports whether p has the code of target, so that errors.Is(p, abi.ErrNotFound)
// also works for a Problem received from the daemon.
func (p *Problem) Is(target error) bool {
	return slices.ContainsFunc(kinds, func(k kind) bool { return k.err == target && k.code == p.Code })
}

// WithHint returns p with a hint.
func (p *Problem) WithHint(format string, args ...any) *Problem {
	q := *p
	q.Hint = fmt.Sprintf(format, args...)
	return &q
}

// ErrUsage is the kind of errors about invalid command lines.
var ErrUsage = errors.New("usage")

// Usagef returns a Problem about an invalid command line.
func Usagef(format string, args ...any) *Problem {
	return &Problem{Code: "E_USAGE", Message: fmt.Sprintf(format, args...)}
}

// New returns a Problem of the kind of err, which is one of the kinds of package abi.
func New(err error, format string, args ...any) *Problem {
	return &Problem{Code: kindOf(err).code, Message: fmt.Sprintf(format, args...)}
}

// From converts any error to a Problem. Errors in files keep their positions.
func From(err error) *Problem {
	var p *Problem
	var several strictyaml.Errors
	var one *strictyaml.FieldError
	switch {
	case errors.As(err, &p):
		return p
	case errors.As(err, &several) && len(several) != 1:
		return fromFieldErrors(err, several)
	case errors.As(err, &one):
		return fromFieldError(one)
	}
	message, hint := cutHint(err.Error())
	k := kindOf(err)
	q := &Problem{Code: k.code, Message: k.trimKind(message), Hint: hint}
	if m := notFound.FindStringSubmatch(q.Message); m != nil && hint == "" {
		return q.WithHint("mcpctl get %ss", m[1])
	}
	return q.adviseModule().adviseGuest().WithAdvice(systemAdvice(err))
}

// notFound matches the message about a name that does not exist. The hint is the
// command that lists the existing names.
var notFound = regexp.MustCompile(`^(server|project|proxymodel|prompt|promptrequest|stage) "[^"]*" not found`)

// bare matches a message that consists of a kind and a name, with an optional suggestion.
var bare = regexp.MustCompile(`^([a-z]+ "[^"]*")($|, did you mean )`)

// trimKind shortens "denied: stage is built in" to "stage is built in", because the code
// expresses the kind, and changes `not found: server "x"` to `server "x" not found`.
func (k kind) trimKind(message string) string {
	if k.err == nil || errors.Is(k.err, abi.ErrLimit) || errors.Is(k.err, abi.ErrGuest) {
		return message
	}
	text, ok := strings.CutPrefix(message, k.err.Error()+": ")
	if ok {
		text = bare.ReplaceAllString(text, "$1 "+k.err.Error()+"$2")
	}
	return text
}

func fromFieldError(e *strictyaml.FieldError) *Problem {
	return &Problem{Code: kindOf(e).code, Message: e.Summary(), Cause: e.Cause, At: e.Position(), Snippet: e.Snippet, Hint: cmp.Or(e.Hint, fieldsOf(e.Object))}
}

// kindsWithFields are the kinds of objects that users write.
var kindsWithFields = []string{"server", "project", "proxymodel", "prompt", "promptrequest", "user", "group", "serviceaccount", "rbacbinding"}

// fieldsOf returns the command that lists the fields of an object's kind. shown is
// the kind and the name, as in `server "x"`.
func fieldsOf(shown string) string {
	kind, _, _ := strings.Cut(shown, " ")
	if !slices.Contains(kindsWithFields, kind) {
		return ""
	}
	return "mcpctl explain " + kind + ".spec"
}

func fromFieldErrors(err error, several strictyaml.Errors) *Problem {
	message, _, _ := strings.Cut(several.Error(), "\n") // "smart.yaml: 3 errors"
	p := &Problem{Code: kindOf(err).code, Message: message}
	for _, e := range several {
		m := fromFieldError(e)
		if p.Hint == "" {
			p.Hint = m.Hint
		}
		p.Errors = append(p.Errors, m)
	}
	return p
}

// WithoutPositions returns err without positions and source lines. It is for errors in
// generated text, which the user cannot open.
func WithoutPositions(err error) error {
	p := *From(err)
	p.At, p.Snippet = "", ""
	mistakes := p.Errors
	p.Errors = nil
	for _, m := range mistakes {
		plain := *m
		plain.At, plain.Snippet = "", ""
		p.Errors = append(p.Errors, &plain)
	}
	return &p
}

// cutHint splits a text into the message and the hint on its last line.
func cutHint(text string) (message, hint string) {
	message, rest, ok := strings.Cut(text, "\nhint: ")
	if !ok {
		return text, ""
	}
	hint, _, _ = strings.Cut(rest, "\n")
	return message, hint
}
