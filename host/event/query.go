package event

import (
	"slices"
	"strings"
)

// Query selects Events for Since and Subscribe. Empty fields match all Events; all
// other fields must match.
type Query struct {
	Project string
	Session string
	Server  string
	Types   []Type
	Source  string // exact, or a prefix if it ends in / or *
	Errors  bool   // only Events with an error
	Limit   int    // maximum number of stored Events, the newest ones; 0 for all

	// Match is called for Events that all other fields match, without locks of the Ring. Nil
	// matches all Events.
	Match func(Event) bool
}

// Matches reports whether q selects e.
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
	return q.Match == nil || q.Match(e)
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
