package textdiff

import (
	"fmt"
	"strings"

	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
)

// Print writes a difference in colours, with most lines at most. Its lines are
// cleaned: what a stage writes is not to be trusted.
func Print(io *iostreams.Streams, diff, indent string, most int) {
	n := 0
	for line := range strings.Lines(diff) {
		if n++; n > most {
			fmt.Fprintf(io.Out, "%s... %d lines more\n", indent, strings.Count(diff, "\n")-most)
			return
		}
		line = iostreams.Line(strings.TrimSuffix(line, "\n"))
		switch line[:min(1, len(line))] {
		case "+":
			line = io.Paint(iostreams.Green, line)
		case "-":
			line = io.Paint(iostreams.Yellow, line)
		case "@":
			line = io.Paint(iostreams.Dim, line)
		}
		fmt.Fprintf(io.Out, "%s%s\n", indent, line)
	}
}
