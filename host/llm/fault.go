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

// fault is how one attempt failed, and what follows from it.
type fault struct {
	text  string        // what a person reads; said by the provider, until it is cleaned
	kind  error         // abi.ErrUnavailable if another time may be better, else nil
	retry bool          // another attempt makes sense
	once  bool          // one more at most
	hurts bool          // speaks against the provider, not the request
	after time.Duration // no attempt before; 0 if nothing was said
}

// Error gives the text.
func (f *fault) Error() string { return f.text }

// Unwrap gives the error kind.
func (f *fault) Unwrap() error { return f.kind }

// garbage is an answer that is not in the form of the protocol.
func garbage(format string, args ...any) *fault {
	return &fault{text: fmt.Sprintf(format, args...), hurts: true}
}

// broken is a connection or server that may work the next time.
func broken(format string, args ...any) *fault {
	return &fault{text: fmt.Sprintf(format, args...), kind: abi.ErrUnavailable, retry: true, hurts: true}
}

// useless is an answer in the right form that helps nobody.
func useless(format string, args ...any) *fault {
	return &fault{text: fmt.Sprintf(format, args...)}
}

// unavailable is a provider that cannot be asked now.
func unavailable(format string, args ...any) *fault {
	return &fault{text: fmt.Sprintf(format, args...), kind: abi.ErrUnavailable}
}

// asFault makes a fault of any error of an attempt.
func asFault(err error) *fault {
	var f *fault
	if errors.As(err, &f) {
		return f
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return &fault{text: "no answer in time", kind: context.DeadlineExceeded, hurts: true}
	}
	return broken("%v", err)
}

// by names the provider in the text, which is scrubbed of its secrets first.
func (f *fault) by(name string, s secrets) *fault {
	named := *f
	named.text = fmt.Sprintf("LLM provider %q: %s", name, shorten(s.scrub(f.text)))
	return &named
}

// maxSaid bounds what is shown of a fault, in bytes.
const maxSaid = 200

// shorten cuts a text to maxSaid bytes in one line, without control
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
	if len(text) <= maxSaid {
		return text
	}
	n := maxSaid - len("...")
	for !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n] + "..."
}
