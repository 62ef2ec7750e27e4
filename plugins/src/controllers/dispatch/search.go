package dispatch

import (
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/plugins/src/internal/argument"
	"github.com/mcpctl/mcpctl/plugins/src/internal/jsontext"
	"github.com/mcpctl/mcpctl/plugins/src/internal/nearname"
	"github.com/mcpctl/mcpctl/plugins/src/internal/toolname"
	"github.com/mcpctl/mcpctl/sdk-go/controller"
)

// maxWords is the number of words of a query that count.
const maxWords = 32

// searchTools answers the action search.
func searchTools(c *controller.Ctx, args *argument.Reader) error {
	query := args.Text("query", "")
	connection := args.Text("connection", "")
	limit := args.Int("limit", 10, 1, 100)
	schema, annotations := args.Bool("includeInputSchema", false), args.Bool("includeAnnotations", true)
	if strings.TrimSpace(query) == "" {
		args.Fail("query is missing")
	}
	if args.Problem() != "" {
		return c.Refuse(args.Problem())
	}
	entries := listEntries(c, schema, annotations)
	if connection != "" {
		entries = slices.DeleteFunc(entries, func(e entry) bool { return e.server != connection })
		if len(entries) == 0 {
			_, problem := toolname.Find(toolname.List(c), "", connection)
			return c.Refuse(problem)
		}
	}
	found := rank(entries, query)
	var o jsontext.Object
	o.Text("action", "search")
	o.Int("found", len(found))
	found = found[:min(len(found), limit)]
	list := formatFitting(found)
	o.Raw("tools", "["+strings.Join(list, ",")+"]")
	switch {
	case len(found) == 0:
		o.Text("note", suggest(entries, query))
	case len(list) < len(found):
		o.Text("note", "no room for the others: set a lower limit, or call list with a connection")
	}
	_, err := c.Answer.WriteString(o.String())
	return err
}

// formatFitting formats entries with the longest descriptions with which all fit into an
// answer, or the first ones that fit without descriptions.
func formatFitting(entries []entry) (list []string) {
	for _, level := range levels {
		list = list[:0]
		size := 0
		for _, e := range entries {
			text := e.formatJSON(level, true)
			if size += len(text) + 1; size > maxAnswer {
				break
			}
			list = append(list, text)
		}
		if len(list) == len(entries) {
			break
		}
	}
	return list
}

// suggest returns the advice for a search without a result.
func suggest(entries []entry, query string) string {
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.name
	}
	if near := nearname.Of(query, names, 3); len(near) > 0 {
		return "did you mean " + strings.Join(near, ", ") + "?"
	}
	return "try other words, or action list"
}

// rank returns the entries that match a word of the query. More words rank before
// fewer, then matches in the name before those in the description, then those in
// annotations. Equal entries keep their order.
func rank(entries []entry, query string) []entry {
	words := splitQuery(query)
	type scored struct {
		entry
		score int
	}
	var found []scored
	for _, e := range entries {
		if s := e.score(words); s > 0 {
			found = append(found, scored{e, s})
		}
	}
	slices.SortStableFunc(found, func(a, b scored) int { return b.score - a.score })
	list := make([]entry, len(found))
	for i, f := range found {
		list[i] = f.entry
	}
	return list
}

// common are words that most descriptions contain. They count only in a query without others.
var common = []string{"a", "an", "and", "are", "by", "for", "from", "how", "i", "in", "is", "it", "me", "my", "of", "on", "or", "that", "the", "to", "tool", "which", "with"}

// splitQuery returns the words of a query without a plural s, because names are often
// singular.
func splitQuery(query string) (words []string) {
	all := strings.Fields(strings.ToLower(query))
	all = all[:min(len(all), maxWords)]
	for _, w := range all {
		if slices.Contains(common, w) {
			continue
		}
		if len(w) > 3 {
			w = strings.TrimSuffix(w, "s")
		}
		words = append(words, w)
	}
	if len(words) == 0 {
		return all
	}
	return words
}

func (e entry) score(words []string) (score int) {
	name, description, annotations := strings.ToLower(e.name), strings.ToLower(e.description), strings.ToLower(e.annotations)
	for _, w := range words {
		const one = 1000 // more words outweigh better places
		switch {
		case name == w:
			score += one + 10
		case strings.Contains(name, w):
			score += one + 5
		case strings.Contains(e.server, w), strings.Contains(description, w):
			score += one + 1
		case strings.Contains(annotations, w):
			score += one
		}
	}
	return score
}
