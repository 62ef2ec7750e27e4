package query

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/abi"
)

// SyntaxError is the error of Parse. It wraps abi.ErrConfig.
type SyntaxError struct {
	Offset int    // of Token in the query, in bytes from 0
	Token  string // the invalid part of the query

	format string // with %s for "Token at position N"
	more   string // appended to the message
}

// Error returns a message such as: unknown key "toool" at position 5, did you mean "tool"?
func (e *SyntaxError) Error() string {
	place := fmt.Sprintf("%q at position %d", shorten(e.Token), e.Offset+1)
	return fmt.Sprintf(e.format, place) + e.more
}

// Unwrap returns abi.ErrConfig.
func (e *SyntaxError) Unwrap() error { return abi.ErrConfig }

// maxQuoted is the number of bytes of a token that an error quotes.
const maxQuoted = 40

func shorten(token string) string {
	if len(token) <= maxQuoted {
		return token
	}
	end := maxQuoted
	for end > 0 && !utf8.RuneStart(token[end]) {
		end--
	}
	return token[:end] + "..."
}

// failure returns the error about a part of the query.
func (p part) failure(format, more string, args ...any) *SyntaxError {
	return &SyntaxError{Offset: p.at, Token: p.text, format: format, more: strings.TrimRight(fmt.Sprintf(more, args...), " ")}
}
