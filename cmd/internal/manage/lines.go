package manage

import (
	"strings"

	"github.com/mcpctl/mcpctl/cmd/internal/problem"
)

// lines are the mistakes of an error, one line each with its place; file stands
// for the place where the error knows none.
func lines(err error, file string) []string {
	p := problem.From(err)
	if len(p.Mistakes) == 0 {
		return []string{line(p, file)}
	}
	list := make([]string, len(p.Mistakes))
	for i, m := range p.Mistakes {
		list[i] = line(m, file)
	}
	return list
}

func line(p *problem.Problem, file string) string {
	text := strings.ReplaceAll(p.Message, "\n", " ")
	switch {
	case p.At != "":
		text += " (" + p.At + ")"
	case file != "" && !strings.Contains(text, file):
		text += " (" + file + ")"
	}
	if p.Hint != "" && (p.At == "" || strings.HasPrefix(p.Hint, "mcpctl config ")) {
		text += "; " + p.Hint // a place in a file is enough, unless a command mends it
	}
	return text
}
