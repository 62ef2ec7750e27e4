package eventquery

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/host/event/query"
)

// NewTopic returns the help topic of the query language.
func NewTopic() *cobra.Command {
	var b strings.Builder
	b.WriteString(`Query language of events: get events -l, top -l, export -l.

A query is a list of tokens separated by spaces; an event must match all of them. "-" before
a token negates it. A word is searched, ignoring case, in the source, method, type, error,
client, project and section of an event and in its texts: the original and what the client
received. "Quotation marks" keep a phrase together. docs/query.md has more examples.

Keys:
`)
	for _, k := range query.Keys() {
		fmt.Fprintf(&b, "  %-28s %s\n", k.Example, k.Meaning)
	}
	b.WriteString(`
Names may contain * for any text. Figures may have an operator (<, <=, >, >=, =) and a unit:
k and m, for bytes also kb and mb, for durations us, ms, s and m, for saved also %. 1k..5k is
a range. Values separated by commas are alternatives: type:tool_call,section_read. Events
without the name or figure do not match.

Flags:
`)
	for _, f := range query.Flags() {
		fmt.Fprintf(&b, "  %-28s %s\n", f.Name, f.Meaning)
	}
	b.WriteString(`
Without type:, a listing contains no content_original and no content_transformed events,
which repeat parts of the events of their requests; type:* selects all events.`)
	return &cobra.Command{Use: "query", Short: "Query language of events, for -l", Long: b.String(),
		Example: `  mcpctl get events -l 'tool:github/* saved:<30%'
  mcpctl get events --watch -l '"connection refused" -err'`}
}
