// Package choice decides which tools of its servers a project offers.
//
// It knows only labels, "server/tool". Tools of the host and of controllers are not
// subject to the choice.
package choice

import (
	"fmt"
	"slices"

	"github.com/mcpctl/mcpctl/host/glob"
)

// Names of the fields of a project.
const (
	FieldAllow = "spec.tools.allow"
	FieldDeny  = "spec.tools.deny"
)

// Tools is the choice of a project: globs for server/tool. The zero value offers every
// tool.
type Tools struct {
	Allow []string // if not empty, only matching tools are offered
	Deny  []string // matching tools are not offered, even if Allow matches
}

// Decision is the decision about one tool.
type Decision struct {
	Offered bool
	Field   string // FieldAllow or FieldDeny if the tool is not offered
	Pattern string // the first matching pattern of Deny; empty if no pattern of Allow matches
}

// Decide returns the decision about a tool.
func (t Tools) Decide(label string) Decision {
	if i := slices.IndexFunc(t.Deny, matches(label)); i >= 0 {
		return Decision{Field: FieldDeny, Pattern: t.Deny[i]}
	}
	if len(t.Allow) > 0 && !slices.ContainsFunc(t.Allow, matches(label)) {
		return Decision{Field: FieldAllow}
	}
	return Decision{Offered: true}
}

func matches(label string) func(pattern string) bool {
	return func(pattern string) bool { return glob.Match(pattern, label) }
}

// Reason describes why a tool is not offered; "" if it is.
func (d Decision) Reason() string {
	switch d.Field {
	case FieldDeny:
		return fmt.Sprintf("%s has %q", FieldDeny, d.Pattern)
	case FieldAllow:
		return "no pattern of " + FieldAllow + " matches it"
	}
	return ""
}

// Equal reports whether two choices have the same patterns.
func (t Tools) Equal(u Tools) bool {
	return slices.Equal(t.Allow, u.Allow) && slices.Equal(t.Deny, u.Deny)
}

// Pattern is one pattern of a choice.
type Pattern struct {
	Field string // FieldAllow or FieldDeny
	Text  string
}

// Unmatched returns the patterns that match none of the labels.
func (t Tools) Unmatched(labels []string) (unmatched []Pattern) {
	var all []Pattern
	for _, text := range t.Allow {
		all = append(all, Pattern{FieldAllow, text})
	}
	for _, text := range t.Deny {
		all = append(all, Pattern{FieldDeny, text})
	}
	for _, p := range all {
		if !slices.ContainsFunc(labels, func(label string) bool { return glob.Match(p.Text, label) }) {
			unmatched = append(unmatched, p)
		}
	}
	return unmatched
}
