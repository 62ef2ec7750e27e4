package manage

import (
	"strings"

	"github.com/mcpctl/mcpctl/cmd/internal/problem"
)

// lines returns the errors that err consists of, one line each with its position. file is
// used for errors without a position.
func lines(err error, file string) []string {
	p := problem.From(err)
	if len(p.Errors) == 0 {
		return []string{line(p, file)}
	}
	list := make([]string, len(p.Errors))
	for i, m := range p.Errors {
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
		text += "; " + p.Hint // with a position, only a command that fixes the error is useful
	}
	return text
}
