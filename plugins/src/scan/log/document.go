package log

import (
	"bytes"

	"github.com/mcpctl/mcpctl/plugins/src/internal/caption"
	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
	"github.com/mcpctl/mcpctl/plugins/src/internal/times"
	"github.com/mcpctl/mcpctl/plugins/src/rows"
)

// document returns the document of a log that was read.
func (l *log) document() *part.Doc {
	d := &part.Doc{Count: caption.Count(len(l.levels), "record"), Lines: l.describe()}
	records := rows.Records{Start: l.place, Groups: l.groups(), NameHead: l.nameHead, NameRecord: l.nameRecord}
	if l.hasHead() {
		records.HeadStart, records.HeadEnd = int32(l.head), l.place[0]
	}
	records.AddTo(d)
	return d
}

// hasHead reports whether there is text before the first record.
func (l *log) hasHead() bool { return len(bytes.TrimSpace(l.b[l.head:l.start[0]])) > 0 }

// describe returns the lines above the index: the period and the levels of the records,
// and messages that are frequent.
func (l *log) describe() []string {
	first, last := l.stamps[0], l.stamps[0]
	for i := 1; i < len(l.stamps); i++ {
		s := &l.stamps[i]
		if s.Same(&l.stamps[i-1]) { // most records are of the same minute as the preceding one
			continue
		}
		if s.Before(first, len(s)) {
			first = *s
		}
		if last.Before(*s, len(s)) {
			last = *s
		}
	}
	line, levels := trimDate(formatPeriod(first, last)), l.joinCounts(l.count(0, len(l.levels)), trace)
	switch {
	case l.f.byLevel:
		line = levels
	case levels != "":
		line += ": " + levels
	}
	out := []string{line}
	if frequent := l.templates.frequent(l.b); frequent != "" {
		out = append(out, "often: "+frequent)
	}
	return out
}

// formatPeriod returns two times as text; a date that both have is not repeated.
func formatPeriod(a, b times.Stamp) string {
	if string(a[:10]) == string(b[:10]) {
		return a.String() + ".." + string(b[11:])
	}
	return a.String() + ".." + b.String()
}

func (l *log) nameHead(n *part.Name) {
	n.ID = append(n.ID, "head"...)
	if n.Title = caption.Append(n.Title, l.b[l.head:l.start[0]], rows.MaxTitle); len(n.Title) == 0 {
		n.Title = append(n.Title, n.ID...) // it contains only control characters
	}
}

func (l *log) nameRecord(record int, n *part.Name) {
	n.ID = caption.AppendNumber(append(n.ID, 'L'), l.line[record])
	n.Title = caption.Append(n.Title, l.b[l.titleStart(record):l.start[record+1]], rows.MaxTitle)
}

// titleStart returns the offset of the title of a record: its time of day, if the record
// begins with a time, because the day is in the title of its group.
func (l *log) titleStart(record int) int32 {
	if l.f.skip > 0 || l.f.layout.isEpoch {
		return l.start[record]
	}
	return l.start[record] + int32(l.clocks[record])
}
