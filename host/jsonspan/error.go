package jsonspan

import "fmt"

// SyntaxError describes an invalid JSON text.
//
// Units: Offset is in bytes from the start of the slice. It is the length of the slice if
// the text ends too early.
type SyntaxError struct {
	Offset int
	Reason string // "want a value", "duplicate key \"name\"", ...
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("invalid JSON at byte %d: %s", e.Offset, e.Reason)
}

// newSyntaxError returns the SyntaxError for an unexpected token at b[at].
func newSyntaxError(b []byte, at int, want string) *SyntaxError {
	if at >= len(b) {
		return &SyntaxError{len(b), want + ", got the end of the text"}
	}
	return &SyntaxError{at, fmt.Sprintf("%s, got %q", want, b[at])}
}
