// Package problem turns an error into what a person or a program reads: what
// failed, why, and the command that helps, with a stable code and the exit
// status of DESIGN 6. It is the one place where error kinds become codes.
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

// Problem is an error in the parts that are shown. It is also the JSON body of
// a failed management call, so that the CLI prints what the daemon meant.
type Problem struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Cause   string `json:"cause,omitempty"`
	At      string `json:"at,omitempty"`      // file:line:column
	Snippet string `json:"snippet,omitempty"` // the source line, a caret below
	Hint    string `json:"hint,omitempty"`    // a command that can be pasted

	// Mistakes are the parts of a Problem that is several, in the order of the file.
	Mistakes []*Problem `json:"mistakes,omitempty"`
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
	return slices.ContainsFunc(kinds, func(k kind) bool { return k.err == target && k.code == p.Code })
}

// WithHint returns p with a command that helps.
func (p *Problem) WithHint(format string, args ...any) *Problem {
	q := *p
	q.Hint = fmt.Sprintf(format, args...)
	return &q
}

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

// From reads any error as a Problem; mistakes of files keep their positions.
func From(err error) *Problem {
	var p *Problem
	var several strictyaml.Errors
	var one *strictyaml.FieldError
	switch {
	case errors.As(err, &p):
		return p
	case errors.As(err, &several) && len(several) != 1:
		return ofMistakes(err, several)
	case errors.As(err, &one):
		return ofMistake(one)
	}
	message, hint := cutHint(err.Error())
	k := kindOf(err)
	said := &Problem{Code: k.code, Message: k.phrase(message), Hint: hint}
	if m := missing.FindStringSubmatch(said.Message); m != nil && hint == "" {
		return said.WithHint("mcpctl get %ss", m[1])
	}
	return said.refused().failed().Advised(ofSystem(err))
}

// missing matches what is said of a name that does not exist: the list of those
// that do helps.
var missing = regexp.MustCompile(`^(server|project|proxymodel|prompt|promptrequest|stage) "[^"]*" not found`)

// bare matches a text that is nothing but the name of something, and perhaps what
// was meant instead.
var bare = regexp.MustCompile(`^([a-z]+ "[^"]*")($|, did you mean )`)

// phrase turns "denied: stage is built in" into "stage is built in", for the code
// says the rest, and "not found: server" into "server not found".
func (k kind) phrase(message string) string {
	if k.err == nil || errors.Is(k.err, abi.ErrLimit) || errors.Is(k.err, abi.ErrGuest) {
		return message
	}
	text, ok := strings.CutPrefix(message, k.err.Error()+": ")
	if ok {
		text = bare.ReplaceAllString(text, "$1 "+k.err.Error()+"$2")
	}
	return text
}

func ofMistake(e *strictyaml.FieldError) *Problem {
	return &Problem{Code: kindOf(e).code, Message: e.Summary(), Cause: e.Cause, At: e.Position(), Snippet: e.Snippet, Hint: cmp.Or(e.Hint, fieldsOf(e.Object))}
}

// fieldsOf is the command that lists the fields of an object's kind: server "x".
func fieldsOf(shown string) string {
	kind, _, _ := strings.Cut(shown, " ")
	if !slices.Contains([]string{"server", "project", "proxymodel", "prompt", "promptrequest"}, kind) {
		return ""
	}
	return "mcpctl explain " + kind + ".spec"
}

func ofMistakes(err error, several strictyaml.Errors) *Problem {
	message, _, _ := strings.Cut(several.Error(), "\n") // "smart.yaml: 3 errors"
	p := &Problem{Code: kindOf(err).code, Message: message}
	for _, e := range several {
		m := ofMistake(e)
		if p.Hint == "" {
			p.Hint = m.Hint
		}
		p.Mistakes = append(p.Mistakes, m)
	}
	return p
}

// Placeless leaves out the places of mistakes in a text that was printed by a
// program and not written by a person: nobody could find them.
func Placeless(err error) error {
	p := *From(err)
	p.At, p.Snippet = "", ""
	mistakes := p.Mistakes
	p.Mistakes = nil
	for _, m := range mistakes {
		plain := *m
		plain.At, plain.Snippet = "", ""
		p.Mistakes = append(p.Mistakes, &plain)
	}
	return &p
}

// cutHint takes the hint from a text whose last line is one.
func cutHint(text string) (message, hint string) {
	message, rest, ok := strings.Cut(text, "\nhint: ")
	if !ok {
		return text, ""
	}
	hint, _, _ = strings.Cut(rest, "\n")
	return message, hint
}
