package sectionsplit

import (
	"github.com/mcpctl/mcpctl/plugins/src/internal/caption"
	"github.com/mcpctl/mcpctl/plugins/src/internal/lines"
	"github.com/mcpctl/mcpctl/plugins/src/internal/table"
	"github.com/mcpctl/mcpctl/plugins/src/scan/json"
)

// splitRecords names the records of NDJSON by their lines, and splits records
// that are larger than a leaf like splitJSON.
func splitRecords(j *job) outline {
	t := newTree(j)
	if t.scan.Len() == 0 {
		return splitMany(j, j.countLines())
	}
	*j.room -= t.scan.Len()
	t.in = -1
	records := level{Table: t.tables.Records()}
	records.noun = caption.Count(records.Len(), "record")
	t.line = readLineNumbers(j.b, t.scan, records.Table)
	records = t.groupRows(records)
	return outline{
		count:       records.noun,
		parts:       records.Len(),
		header:      records.formatHeader(j),
		index:       records.estimateIndex(j),
		addSections: func() error { return t.addSections(records, 0) },
	}
}

// lineNumbers are the lines of records, counted from 1. A list is allocated only
// if the records are not on consecutive lines.
type lineNumbers struct {
	first int32
	list  []int32 // line of each record, nil if they are consecutive
}

// line returns the line of a record.
func (l *lineNumbers) line(row int) int32 {
	if l.list != nil {
		return l.list[row]
	}
	return l.first + int32(row)
}

// readLineNumbers returns the line of each record.
func readLineNumbers(b []byte, s *json.Scanner, records *table.Table) *lineNumbers {
	l := &lineNumbers{}
	counter := lines.NewCounter(b)
	for row := range records.Len() {
		n := s.Node(records.Node(row))
		start, _ := json.ExtendToLines(b, int(n.Start), int(n.End))
		line := int32(counter.Line(start))
		switch {
		case row == 0:
			l.first = line
		case l.list == nil && line != l.line(row):
			l.list = make([]int32, records.Len())
			for before := range row {
				l.list[before] = l.first + int32(before)
			}
		}
		if l.list != nil {
			l.list[row] = line
		}
	}
	return l
}
