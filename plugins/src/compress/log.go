package compress

import (
	"bytes"
	"strconv"

	"github.com/mcpctl/mcpctl/plugins/src/internal/lines"
	"github.com/mcpctl/mcpctl/plugins/src/scan/log"
)

// compactLog returns a log in which runs of records that differ only in their times are replaced
// with the first one, their number and the last time. The same lines below two records, such as
// a stack trace, are written once. What all records have next to their times is stated once, and
// control sequences for colors are removed.
func compactLog(b []byte) []byte {
	text, records, ok := log.Records(b)
	if !ok {
		return removeRepeats(b)
	}
	w := logWriter{b: text, out: make([]byte, 0, len(b)), records: records}
	w.frame = commonFrame(text, records)
	ids := w.messageIDs()
	w.entries = findEntries(ids)
	w.cycles = findCycles(w.entryIDs(ids))
	w.findTraces()
	w.out = append(w.out, text[lines.Start(text):records[0].Start]...)
	w.frame.state(&w.out)
	for _, c := range w.cycles {
		w.writeCycle(c)
	}
	return w.out
}

// logWriter writes the records of a log.
type logWriter struct {
	b, out  []byte
	records []log.Record
	frame   frame
	entries []entry
	cycles  []cycle
	traces  map[int32]*trace // by record
	number  int              // of the last trace that was written
}

// messageIDs returns a number for each record. Records have the same number if they differ only
// in the time of day.
func (w *logWriter) messageIDs() []int32 {
	ids := make([]int32, len(w.records))
	known := make(firstEqual)
	for i, r := range w.records {
		before, after := w.b[r.Start:r.Clock], trimLines(w.b[r.After:r.End])
		ids[i] = known.add(int32(i), hashText(hashText(0, before), after), func(j int32) bool {
			other := w.records[j]
			return bytes.Equal(before, w.b[other.Start:other.Clock]) && bytes.Equal(after, trimLines(w.b[other.After:other.End]))
		})
	}
	return ids
}

// entryIDs returns a number for each entry, given those of the records. Entries with the same
// number have the same record the same number of times.
func (w *logWriter) entryIDs(ids []int32) []int32 {
	out := make([]int32, len(w.entries))
	known := make(map[[2]int32]int32)
	for i, e := range w.entries {
		key := [2]int32{ids[e.record], int32(e.times)}
		id, ok := known[key]
		if !ok {
			id = int32(i)
			known[key] = id
		}
		out[i] = id
	}
	return out
}

// writeCycle writes the first entries of a cycle, and how often they repeat.
func (w *logWriter) writeCycle(c cycle) {
	for _, e := range w.entries[c.from : c.from+c.period] {
		w.writeEntry(e)
	}
	if c.times > 1 {
		w.out = append(strconv.AppendInt(append(w.out, "  (the last "...), int64(c.period), 10), " entries "...)
		last := w.entries[c.from+c.period*c.times-1]
		w.writeTimes(c.times, w.records[w.entries[c.from].record], w.records[last.record+last.times-1])
	}
}

// writeEntry writes a record and how often it follows itself.
func (w *logWriter) writeEntry(e entry) {
	w.writeRecord(e.record)
	if e.times == 1 {
		return
	}
	r := w.records[e.record]
	if bytes.IndexByte(trimLines(w.b[r.Start:r.End]), '\n') >= 0 {
		w.out = append(w.out, "  (the last entry "...)
	} else {
		w.out = append(w.out[:len(w.out)-1], " ("...)
	}
	w.writeTimes(e.times, r, w.records[e.record+e.times-1])
}

// writeTimes ends a note with the number of repetitions and the last time, if it is not the
// first one.
func (w *logWriter) writeTimes(times int, first, last log.Record) {
	w.out = strconv.AppendInt(append(w.out, 'x'), int64(times), 10)
	if from, to := w.clock(first), w.clock(last); !bytes.Equal(from, to) {
		w.out = append(append(w.out, " until "...), to...)
	}
	w.out = append(w.out, ")\n"...)
}

// clock returns the time of a record without the text next to it that all records share.
func (w *logWriter) clock(r log.Record) []byte {
	return w.b[r.Clock : r.After-int32(w.frame.zone)]
}

// writeRecord writes a record without the text that all records share and without lines that
// were written before.
func (w *logWriter) writeRecord(i int) {
	r := w.records[i]
	head, rest, _ := bytes.Cut(w.b[r.Start:r.End], []byte("\n"))
	w.frame.write(&w.out, head, int(r.Clock-r.Start), int(r.After-r.Start))
	w.out = bytes.TrimRight(w.out, " \t\r")
	if t := w.traces[int32(i)]; t != nil && t.count > 1 {
		rest = w.refer(t, rest)
	}
	w.out = append(w.out, '\n')
	for at := 0; at < len(rest); {
		end := lines.End(rest, at)
		w.out = append(append(w.out, bytes.TrimRight(rest[at:end], " \t\r\n")...), '\n')
		at = end
	}
}
