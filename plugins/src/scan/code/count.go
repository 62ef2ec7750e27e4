package code

import (
	"github.com/mcpctl/mcpctl/plugins/src/internal/caption"
	"github.com/mcpctl/mcpctl/plugins/src/internal/lines"
	"github.com/mcpctl/mcpctl/plugins/src/scan/code/language"
)

// counts contains the number of definitions of each kind in a text.
type counts struct {
	of    [language.Kinds]int
	tests int // calls that define a test or a namespace
}

// definitions returns the number of definitions, without values (variables and constants).
func (c *counts) definitions() int {
	n := c.tests
	for k := language.Function; k <= language.Table; k++ {
		if k != language.Value {
			n += c.of[k]
		}
	}
	return n
}

// describe returns the numbers of functions, types and tests as a text, such as "2
// functions, 1 type", or the number of lines of b if there are none.
func (c *counts) describe(b []byte) string {
	if tables := c.of[language.Table]; tables > 0 {
		return caption.Count(tables, "definition")
	}
	var room [64]byte
	text := room[:0]
	for _, k := range [...]struct {
		n    int
		noun string
	}{{c.of[language.Function], "function"}, {c.of[language.Class] + c.of[language.Record], "type"}, {c.tests, "test"}} {
		if k.n == 0 {
			continue
		}
		if len(text) > 0 {
			text = append(text, ", "...)
		}
		text = append(append(caption.AppendNumber(text, int32(k.n)), ' '), k.noun...)
		if k.n > 1 {
			text = append(text, 's')
		}
	}
	if len(text) == 0 {
		n := lines.Count(b)
		if len(b) > 0 && b[len(b)-1] != '\n' {
			n++
		}
		return caption.Count(n, "line")
	}
	return string(text)
}
