package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// report prints the rows, those of each type together, and a table of the types.
func report(w io.Writer, rows []row, o options) {
	t := table{w: w, slowdown: slowdown(rows)}
	fmt.Fprintf(w, "guest time of %s, the least and the median of %d runs or more. json.Valid reads %.0f MB/s here and 470\n", stage, o.rounds, 470/t.slowdown)
	fmt.Fprintf(w, "where the goals were set: %q is the least time converted to that machine. A call that passes takes %d us.\n\n", atReference, slices.Min(rows[0].guests[0]).Microseconds())
	rows = rows[1:]
	slices.SortStableFunc(rows, func(a, b row) int { return strings.Compare(a.kind, b.kind) })
	t.printFiles(rows, o.brief)
	fmt.Fprintf(w, "\n%-34s %8s %8s %8s %9s %5s\n", atReference, "least", "median", "most", "over", "goal")
	for len(rows) > 0 {
		n := 1
		for n < len(rows) && rows[n].kind == rows[0].kind {
			n++
		}
		t.printType(rows[:n])
		rows = rows[n:]
	}
}

const atReference = "at ref."

// table prints rows.
type table struct {
	w        io.Writer
	slowdown float64
}

// atReference returns the shortest time of the first guest on the reference machine, in
// milliseconds per megabyte.
func (t *table) atReference(r *row) float64 { return r.perMB(slices.Min(r.guests[0])) / t.slowdown }

// isOver reports whether a row exceeds its goal.
func (t *table) isOver(r *row) bool { return t.atReference(r) > r.goal() }

// printFiles prints a line for each row, or only for rows over their goal.
func (t *table) printFiles(rows []row, brief bool) {
	fmt.Fprintf(t.w, "%-34s %8s %-11s %8s %8s %8s %8s %5s\n", "ms/MB", "bytes", "type", "us", "least", "median", atReference, "goal")
	for i := range rows {
		if t.isOver(&rows[i]) || !brief {
			t.printFile(&rows[i])
		}
	}
}

func (t *table) printFile(r *row) {
	name := r.name
	if len(name) > 24 {
		name = "..." + name[len(name)-21:]
	}
	if r.hint == "" {
		name += ", unnamed"
	}
	least := slices.Min(r.guests[0])
	fmt.Fprintf(t.w, "%-34s %8d %-11s %8d %8.1f %8.1f %8.1f %5.0f", name, len(r.text), r.kind, least.Microseconds(), r.perMB(least), r.perMB(median(r.guests[0])), t.atReference(r), r.goal())
	if len(r.guests) > 1 {
		fmt.Fprintf(t.w, "  %.2f of base", least.Seconds()/slices.Min(r.guests[1]).Seconds())
	}
	if t.isOver(r) {
		fmt.Fprint(t.w, "  OVER")
	}
	fmt.Fprintln(t.w)
}

// printType prints the figures of all rows of one type.
func (t *table) printType(rows []row) {
	var figures []float64
	over := 0
	for i := range rows {
		figures = append(figures, t.atReference(&rows[i]))
		if t.isOver(&rows[i]) {
			over++
		}
	}
	slices.Sort(figures)
	fmt.Fprintf(t.w, "%-34s %8.1f %8.1f %8.1f %9s %5.0f\n", rows[0].kind, figures[0], figures[len(figures)/2], figures[len(figures)-1], fmt.Sprintf("%d of %d", over, len(rows)), rows[0].goal())
}
