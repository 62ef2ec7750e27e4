package top

import (
	"fmt"
	"time"

	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/printer"
)

// listing returns the table in every format. In tables, names are shortened so that the
// other columns fit width; 0 is no limit.
func listing(t *tally, sorted string, now time.Time, width int) printer.Listing {
	rows, all := t.table(sorted)
	l := printer.Listing{Value: rows, Table: func(wide bool) *iostreams.Table {
		if len(rows) > 1 {
			return tableOf(t.by, append(rows[:len(rows):len(rows)], all), now, width, wide)
		}
		return tableOf(t.by, rows, now, width, wide)
	}}
	for _, r := range rows {
		l.Names = append(l.Names, t.by+"/"+iostreams.Line(r.Name))
	}
	return l
}

// headers are the headers of the first column.
var headers = map[string]string{byProject: "PROJECT", byServer: "SERVER", byTool: "TOOL", bySession: "SESSION"}

func tableOf(by string, rows []row, now time.Time, width int, wide bool) *iostreams.Table {
	header := []string{headers[by], "CALLS", "ERR", "IN", "OUT", "READ", "SAVED", "P50", "P95"}
	if wide {
		header = append(header, "READS", "LAST")
	}
	cells := make([][]string, len(rows))
	for i, r := range rows {
		cells[i] = []string{iostreams.Line(r.Name), printer.Short(r.Calls), printer.Short(r.Errors), printer.Short(r.In), printer.Short(r.Out),
			printer.Short(r.Read), saved(r), micros(r.P50), micros(r.P95)}
		if wide {
			cells[i] = append(cells[i], printer.Short(r.Reads), printer.Age(now.Sub(r.Last)))
		}
	}
	t := iostreams.NewTable(header...)
	room := nameWidth(header, cells, width)
	for _, c := range cells {
		if name := []rune(c[0]); room > 0 && len(name) > room {
			c[0] = string(name[:room-1]) + "…"
		}
		t.Row(c...)
	}
	return t
}

// minName is the smallest width of the first column.
const minName = 12

// nameWidth returns the width that the other columns leave for the first one; 0 is no
// limit.
func nameWidth(header []string, cells [][]string, width int) int {
	if width == 0 {
		return 0
	}
	for i := 1; i < len(header); i++ {
		widest := len(header[i])
		for _, c := range cells {
			widest = max(widest, len(c[i]))
		}
		width -= widest + 2
	}
	return max(width, minName)
}

// saved returns the saved tokens and their percentage, as in "39.5k 92%".
func saved(r row) string {
	text := printer.Short(r.Saved)
	if r.Saved < 0 {
		text = "-" + printer.Short(-r.Saved)
	}
	if r.In > 0 {
		text += fmt.Sprintf(" %d%%", r.Saved*100/r.In)
	}
	return text
}

// micros formats a duration with three digits at most.
func micros(n int64) string {
	switch ms := float64(n) / 1000; {
	case ms < 10:
		return fmt.Sprintf("%.1fms", ms)
	case ms < 1000:
		return fmt.Sprintf("%.0fms", ms)
	case ms < 10_000:
		return fmt.Sprintf("%.1fs", ms/1000)
	default:
		return fmt.Sprintf("%.0fs", ms/1000)
	}
}
