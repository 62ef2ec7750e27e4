// Package query implements the query language that selects events: `get events -l`,
// top, export, holds, the studio and the page.
//
// A Query is a list of tokens, of which all must match. docs/query.md describes the
// language for users; Keys and Flags list its words. The package does not load texts: a
// Record returns them if a token needs them.
package query

import (
	"strings"

	"github.com/mcpctl/mcpctl/host/event"
)

// Limits of a query.
const (
	MaxBytes  = 4 << 10
	MaxTokens = 64
)

// Query is a parsed query. The zero value matches every event. It is immutable and safe
// for concurrent use.
type Query struct {
	terms []term
}

// Record is an event to match.
type Record struct {
	Event event.Event

	// Text returns the texts of the event for full text search: the originals and the texts
	// that the client received. It is called at most once, and only if a token needs it.
	// If it is nil, the event has no texts.
	Text func() []string
}

// term is one token.
type term struct {
	negated bool
	test    predicate
}

// predicate is a token without its negation.
type predicate interface {
	matches(*subject) bool
	String() string
}

// Matches reports whether all tokens match. Its time is linear in the size of the query
// times that of the event with its texts.
func (q *Query) Matches(r Record) bool {
	s := &subject{event: &r.Event, load: r.Text}
	for _, reads := range []bool{false, true} { // texts last, because loading them is slow
		for _, t := range q.terms {
			if _, isWord := t.test.(word); isWord == reads && t.test.matches(s) == t.negated {
				return false
			}
		}
	}
	return true
}

// String returns a query that Parse parses to q.
func (q *Query) String() string {
	var b strings.Builder
	for i, t := range q.terms {
		if i > 0 {
			b.WriteByte(' ')
		}
		if t.negated {
			b.WriteByte('-')
		}
		b.WriteString(t.test.String())
	}
	return b.String()
}

// NamesType reports whether q selects event types: it contains `type:`, not negated.
func (q *Query) NamesType() bool {
	for _, t := range q.terms {
		if n, ok := t.test.(names); ok && n.key == keyType && !t.negated {
			return true
		}
	}
	return false
}

// Listed reports whether a listing that q selects shows events of a type. The stored
// contents of a request (content_original, content_transformed) repeat what the event of
// the request contains, so a listing shows them only if its query selects types.
func (q *Query) Listed(t event.Type) bool {
	return t != event.ContentOriginal && t != event.ContentTransformed || q.NamesType()
}
