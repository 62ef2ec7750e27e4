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

// maxWords is how many words of a query count.
const maxWords = 32

// searchTools answers the action search.
func searchTools(c *controller.Ctx, args *argument.Reader) error {
	query := args.Text("query", "")
	connection := args.Text("connection", "")
	limit := args.Int("limit", 10, 1, 100)
	if strings.TrimSpace(query) == "" {
		args.Wrong("query is missing")
	}
	if args.Problem() != "" {
		return c.Fail(args.Problem())
	}
	entries := catalogue(c, false, true)
	if connection != "" {
		entries = slices.DeleteFunc(entries, func(e entry) bool { return e.server != connection })
		if len(entries) == 0 {
			_, problem := toolname.Find(toolname.All(c), "", connection)
			return c.Fail(problem)
		}
	}
	found := ranked(entries, query)
	var o jsontext.Object
	o.Text("action", "search")
	o.Int("found", len(found))
	found = found[:min(len(found), limit)]
	for _, level := range levels {
		list := make([]string, len(found))
		size := 0
		for i, e := range found {
			list[i] = e.json(level, true)
			size += len(list[i]) + 1
		}
		if size <= maxAnswer || level == 0 {
			o.Raw("tools", "["+strings.Join(list, ",")+"]")
			break
		}
	}
	if len(found) == 0 {
		o.Text("note", hint(entries, query))
	}
	_, err := c.Answer.WriteString(o.String())
	return err
}

// hint says what to do when nothing was found.
func hint(entries []entry, query string) string {
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.name
	}
	if near := nearname.Of(query, names, 3); len(near) > 0 {
		return "did you mean " + strings.Join(near, ", ") + "?"
	}
	return "try other words, or action list"
}

// ranked gives the entries that have a word of the query: more words before fewer,
// those in the name before those in the description before those in annotations. Of
// equal ones the order stays.
func ranked(entries []entry, query string) []entry {
	words := strings.Fields(strings.ToLower(query))
	words = words[:min(len(words), maxWords)]
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
