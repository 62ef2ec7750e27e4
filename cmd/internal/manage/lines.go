package manage

import (
	"errors"
	"strings"

	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/host/strictyaml"
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

// linesInUse is lines for an error in the objects in use. For objects of mcpd it omits the
// position and the hint, because they have no file that the user could open.
func linesInUse(err error, file string) []string {
	if e, ok := errors.AsType[*strictyaml.FieldError](err); !ok || e.File != "" {
		return lines(err, file)
	}
	p := problem.From(problem.WithoutPositions(err)) // a copy
	for _, m := range append(p.Errors, p) {
		m.Hint = ""
	}
	return lines(p, file)
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
