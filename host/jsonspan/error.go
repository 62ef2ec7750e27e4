package jsonspan

import "fmt"

// SyntaxError says what is wrong with a JSON text and where.
//
// Units: Offset is bytes from the start of the slice that was given; it is the
// slice's length where the text ends too early.
type SyntaxError struct {
	Offset int
	Reason string // "want a value", "duplicate key \"name\"", ...
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("invalid JSON at byte %d: %s", e.Offset, e.Reason)
}

// fault makes the SyntaxError for a token that is not what the grammar wants.
func fault(b []byte, at int, want string) *SyntaxError {
	if at >= len(b) {
		return &SyntaxError{len(b), want + ", got the end of the text"}
	}
	return &SyntaxError{at, fmt.Sprintf("%s, got %q", want, b[at])}
}
