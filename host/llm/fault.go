package llm

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/abi"
)

// fault is the failure of one attempt, and how to continue after it.
type fault struct {
	text          string        // from the provider; shown after withProvider
	kind          error         // abi.ErrUnavailable if a later request may succeed, else nil
	retry         bool          // another attempt makes sense
	once          bool          // at most one more
	countsAgainst bool          // the provider is at fault, not the request
	after         time.Duration // time until the next attempt; 0 if not specified
}

// Error returns the text.
func (f *fault) Error() string { return f.text }

// Unwrap returns the kind of the error.
func (f *fault) Unwrap() error { return f.kind }

// protocolFault returns the fault of an answer that does not follow the protocol.
func protocolFault(format string, args ...any) *fault {
	return &fault{text: fmt.Sprintf(format, args...), countsAgainst: true}
}

// connectionFault returns the fault of a connection or server that may work the next
// time.
func connectionFault(format string, args ...any) *fault {
	return &fault{text: fmt.Sprintf(format, args...), kind: abi.ErrUnavailable, retry: true, countsAgainst: true}
}

// unusable returns the fault of a valid answer that cannot be used.
func unusable(format string, args ...any) *fault {
	return &fault{text: fmt.Sprintf(format, args...)}
}

// unavailable returns the fault of a provider that cannot receive requests now.
func unavailable(format string, args ...any) *fault {
	return &fault{text: fmt.Sprintf(format, args...), kind: abi.ErrUnavailable}
}

// asFault returns the fault for any error of an attempt.
func asFault(err error) *fault {
	var f *fault
	if errors.As(err, &f) {
		return f
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return &fault{text: "no answer in time", kind: context.DeadlineExceeded, countsAgainst: true}
	}
	return connectionFault("%v", err)
}

// withProvider returns the fault with the name of the provider in its text, and with
// secrets removed from it.
func (f *fault) withProvider(name string, s secrets) *fault {
	named := *f
	named.text = fmt.Sprintf("LLM provider %q: %s", name, shorten(s.scrub(f.text)))
	return &named
}

// maxText is the maximum length in bytes of the text of a fault that is shown.
const maxText = 200

// shorten returns a text as one line of at most maxText bytes without control
// characters.
func shorten(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsPrint(r):
			return utf8.RuneError
		}
		return r
	}, strings.TrimSpace(strings.ToValidUTF8(text, "\ufffd")))
	if len(text) <= maxText {
		return text
	}
	n := maxText - len("...")
	for !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n] + "..."
}
