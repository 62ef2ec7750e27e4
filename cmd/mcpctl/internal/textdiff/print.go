package textdiff

import (
	"fmt"
	"strings"

	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
)

// Print prints a coloured diff in at most most lines. Long runs of removed or added lines are
// shortened
// in the middle first, so that both sides of a change remain visible. Lines are cleaned, because
// they
// may contain the output of untrusted stages.
func Print(io *iostreams.Streams, diff, indent string, most int) {
	shown := splitRuns(diff)
	limit := fitRuns(shown, most)
	left := most
	for i, r := range shown {
		if left < min(len(r.lines), limit) {
			fmt.Fprintf(io.Out, "%s... %d more lines\n", indent, countLines(shown[i:]))
			return
		}
		left -= r.print(io, indent, limit)
	}
}

// run is a sequence of lines with the same mark.
type run struct{ lines []string }

func splitRuns(diff string) (runs []run) {
	last := byte(0)
	for line := range strings.Lines(diff) {
		line = strings.TrimSuffix(line, "\n")
		mark := byte(' ')
		if line != "" {
			mark = line[0]
		}
		if mark != last || len(runs) == 0 {
			runs = append(runs, run{})
		}
		last = mark
		r := &runs[len(runs)-1]
		r.lines = append(r.lines, line)
	}
	return runs
}

// leastRun is the minimum length of a shortened run: a line, a note, a line.
const leastRun = 3

// fitRuns returns the maximum length of a run with which all runs fit into most lines, or leastRun
// if
// they do not fit.
func fitRuns(runs []run, most int) int {
	limit := max(most, leastRun)
	for ; limit > leastRun; limit-- {
		sum := 0
		for _, r := range runs {
			sum += min(len(r.lines), limit)
		}
		if sum <= most {
			break
		}
	}
	return limit
}

func countLines(runs []run) (n int) {
	for _, r := range runs {
		n += len(r.lines)
	}
	return n
}

// print prints a run in at most limit lines and returns the number of lines printed.
func (r run) print(io *iostreams.Streams, indent string, limit int) int {
	if len(r.lines) <= limit {
		printLines(io, indent, r.lines)
		return len(r.lines)
	}
	head := limit / 2
	tail := limit - head - 1
	printLines(io, indent, r.lines[:head])
	fmt.Fprintf(io.Out, "%s... %d more lines with %s\n", indent, len(r.lines)-head-tail, r.lines[0][:1])
	printLines(io, indent, r.lines[len(r.lines)-tail:])
	return limit
}

func printLines(io *iostreams.Streams, indent string, lines []string) {
	for _, line := range lines {
		line = iostreams.Line(line)
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
