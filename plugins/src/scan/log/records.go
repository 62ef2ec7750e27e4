package log

import "github.com/mcpctl/mcpctl/plugins/src/internal/lines"

// Record is a record of a log: whole lines, the first of which has a time. All offsets are those
// of the text.
type Record struct {
	Start, End int32 // with the lines that continue it
	Clock      int32 // of the time of day; after the date, if the date is before it
	After      int32 // end of the time; equal to Clock if the records have no times
}

// Records returns the records of a log, and the text that they are in: b without the control
// sequences that color it. Lines before the first record are in none. ok is false if b is not a
// log.
func Records(b []byte) (text []byte, records []Record, ok bool) {
	at := lines.Start(b)
	if text = b; isColored(b) {
		text = removeColors(b)
	}
	f, ok := guessFormat(text, at, true)
	if !ok {
		f, ok = guessLevelFormat(text, at, true)
	}
	if !ok {
		return text, nil, false
	}
	for at < len(text) {
		end := lines.End(text, at)
		if s, ok := f.read(text[at:end]); ok {
			r := Record{Start: int32(at), End: int32(end), Clock: int32(at), After: int32(at)}
			if !f.byLevel {
				r.Clock += int32(s.clock)
				r.After += int32(min(s.end, contentSize(text[at:end])))
			}
			records = append(records, r)
		} else if n := len(records); n > 0 {
			records[n-1].End = int32(end)
		}
		at = end
	}
	return text, records, len(records) > 0
}
