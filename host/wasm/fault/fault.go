// Package fault holds the errors that a module or guest causes, and formats the
// figures and guest-supplied text in their messages.
//
// The message of an Error is complete without its kind; callers test the kind
// with errors.Is.
package fault

import (
	"fmt"
	"strconv"
)

// Error is an error with a complete message and the kind that callers test.
type Error struct {
	Kind error
	Text string
	Host string // see HostText
}

func (e *Error) Error() string { return e.Text }
func (e *Error) Unwrap() error { return e.Kind }

// HostText returns the part of the text that the host wrote and that quotes nothing
// from the guest. It is empty if that part is not known.
func (e *Error) HostText() string { return e.Host }

// New returns an Error whose text may quote the guest.
func New(kind error, format string, args ...any) error {
	return &Error{Kind: kind, Text: fmt.Sprintf(format, args...)}
}

// NewHost returns an Error whose text quotes nothing from the guest.
func NewHost(kind error, format string, args ...any) error {
	text := fmt.Sprintf(format, args...)
	return &Error{Kind: kind, Text: text, Host: text}
}

// MiB formats a number of bytes in MiB, rounded up.
func MiB(n int) string { return strconv.Itoa((n+1<<20-1)>>20) + " MiB" }

// Group formats a number with a comma between groups of three digits: 1,520,820.
func Group(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
