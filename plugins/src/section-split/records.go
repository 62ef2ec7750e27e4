package sectionsplit

import (
	"github.com/mcpctl/mcpctl/plugins/src/internal/caption"
	"github.com/mcpctl/mcpctl/plugins/src/internal/jsonscan"
	"github.com/mcpctl/mcpctl/plugins/src/internal/lines"
	"github.com/mcpctl/mcpctl/plugins/src/internal/table"
)

// splitRecords names the records of NDJSON by their lines, and inside those
// that are too large for a leaf as splitJSON does.
func splitRecords(j *job) outline {
	t := newTree(j)
	if t.scan.Len() == 0 {
		return splitMany(j, j.lineCount())
	}
	*j.room -= t.scan.Len()
	records := level{Table: t.tables.Records()}
	records.noun = caption.Count(records.Len(), "record")
	t.line = lineNumbers(j.b, t.scan, records.Table)
	records = t.grouped(records)
	return outline{
		count: records.noun,
		parts: records.Len(),
		lines: records.lines(j),
		index: records.estimate(j),
		name:  func() error { return t.name(records, 0) },
	}
}

// lineNumbers counts lines up to each record.
func lineNumbers(b []byte, s *jsonscan.Scanner, records *table.Table) []int32 {
	numbers := make([]int32, records.Len())
	counter := lines.NewCounter(b)
	for row := range numbers {
		n := s.Node(records.Node(row))
		start, _ := jsonscan.Lines(b, int(n.Start), int(n.End))
		numbers[row] = int32(counter.Line(start))
	}
	return numbers
}
