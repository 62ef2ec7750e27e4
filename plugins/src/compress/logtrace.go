package compress

import (
	"bytes"
	"strconv"

	"github.com/mcpctl/mcpctl/plugins/src/internal/duty"
)

// trace is the text below the first line of a record, such as a stack trace.
type trace struct {
	count  int
	lines  int
	number int // 0 until it is written
}

// minTraceLines and minTraceBytes are the size from which a reference to a trace is shorter.
const (
	minTraceLines = 2
	minTraceBytes = 80
)

// findTraces finds the traces of the records that will be written. Text with a duty is none.
func (w *logWriter) findTraces() {
	w.traces = make(map[int32]*trace)
	known := make(firstEqual)
	for _, c := range w.cycles {
		for _, e := range w.entries[c.from : c.from+c.period] {
			i := e.record
			text := w.trace(int32(i))
			count := bytes.Count(text, []byte("\n")) + 1
			if count < minTraceLines || len(text) < minTraceBytes || duty.IsDuty(string(text)) {
				continue
			}
			first := known.add(int32(i), hashText(0, text), func(j int32) bool { return bytes.Equal(text, w.trace(j)) })
			if w.traces[first] == nil {
				w.traces[first] = &trace{lines: count}
			}
			w.traces[int32(i)] = w.traces[first]
			w.traces[first].count++
		}
	}
}

// trace returns the text below the first line of a record.
func (w *logWriter) trace(i int32) []byte {
	r := w.records[i]
	_, rest, _ := bytes.Cut(w.b[r.Start:r.End], []byte("\n"))
	return trimLines(rest)
}

// refer writes a reference to a trace on the first line of a record. It returns the text to
// write below it: all of it the first time.
func (w *logWriter) refer(t *trace, rest []byte) []byte {
	again := t.number > 0
	if !again {
		w.number++
		t.number = w.number
	}
	w.out = strconv.AppendInt(append(w.out, " [trace "...), int64(t.number), 10)
	if again {
		w.out = strconv.AppendInt(append(w.out, ", the same "...), int64(t.lines), 10)
		w.out = append(w.out, " lines]"...)
		return nil
	}
	w.out = append(w.out, ']')
	return rest
}
