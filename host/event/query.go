package event

import (
	"slices"
	"strings"
)

// Query narrows what Since and Subscribe return. Empty fields match everything;
// the others must all match.
type Query struct {
	Project string
	Session string
	Server  string
	Types   []Type
	Source  string // exact, or everything below it if it ends in / or *
	Errors  bool   // only Events that tell of an error
	Limit   int    // of Since: at most so many, the oldest ones; 0 is all
}

// Matches reports whether e is among what q asks for.
func (q Query) Matches(e Event) bool {
	switch {
	case q.Project != "" && q.Project != e.Project,
		q.Session != "" && q.Session != e.Session,
		q.Server != "" && q.Server != e.Server,
		len(q.Types) > 0 && !slices.Contains(q.Types, e.Type),
		q.Source != "" && !matchesSource(q.Source, e.Source),
		q.Errors && !e.IsError && e.Error == "":
		return false
	}
	return true
}

func matchesSource(want, source string) bool {
	if prefix, ok := strings.CutSuffix(want, "*"); ok {
		return strings.HasPrefix(source, prefix)
	}
	if strings.HasSuffix(want, "/") {
		return strings.HasPrefix(source, want)
	}
	return source == want
}
