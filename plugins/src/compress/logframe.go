package compress

import (
	"bytes"
	"strings"

	"github.com/mcpctl/mcpctl/plugins/src/internal/duty"
	"github.com/mcpctl/mcpctl/plugins/src/scan/log"
)

// frame is what all records of a log have next to their times of day.
type frame struct {
	before []byte // such as the date
	zone   int    // bytes at the end of the time that are part of after
	after  []byte // such as the zone, and then the host
}

// minFrameSaving is the number of bytes from which a frame is stated once.
const minFrameSaving = 200

// minDate is the size of the shortest date before a time, with a blank: " Nov 1 ".
const minDate = 7

// commonFrame returns the frame of records. It is empty if it would save little.
func commonFrame(b []byte, records []log.Record) (f frame) {
	first := records[0]
	before, clock, after := b[first.Start:first.Clock], b[first.Clock:first.After], lineOf(b, first.After, first.End)
	whole, timed := true, len(clock) > 0
	for _, r := range records[1:] {
		text := b[r.Start:r.Clock]
		whole = whole && len(text) == len(before)
		before = commonEnd(before, text)
		clock = commonEnd(clock, b[r.Clock:r.After])
		after = after[:commonStart(after, lineOf(b, r.After, r.End))]
	}
	if !timed {
		return frame{}
	}
	if !whole || len(before) < int(first.Clock-first.Start) {
		before = before[min(len(before), max(bytes.IndexByte(before, ' '), 0)):]
		if len(before) < minDate || before[0] != ' ' {
			before = nil
		}
	}
	if i := bytes.IndexAny(clock, "Z+-"); i >= 0 {
		f.zone = len(clock) - i
		if i > 0 && clock[i-1] == ' ' {
			f.zone++
		}
	}
	if after = after[:bytes.LastIndexByte(after, ' ')+1]; len(bytes.TrimSpace(after)) == 0 || duty.IsDuty(string(after)) {
		after = nil
	}
	f.before = before
	f.after = b[first.After-int32(f.zone) : int(first.After)+len(after)]
	if (len(f.before)+len(f.after))*len(records) < minFrameSaving {
		return frame{}
	}
	return f
}

// lineOf returns the text from an offset on up to the end of its line.
func lineOf(b []byte, at, end int32) []byte {
	text := b[at:end]
	if i := bytes.IndexByte(text, '\n'); i >= 0 {
		text = text[:i]
	}
	return text
}

// commonStart returns the length of the text that a and b begin with.
func commonStart(a, b []byte) (n int) {
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// commonEnd returns the text that a and b end with.
func commonEnd(a, b []byte) []byte {
	n := 0
	for n < len(a) && n < len(b) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return a[len(a)-n:]
}

// state writes the frame as a line.
func (f frame) state(out *[]byte) {
	var parts []string
	if len(f.before) > 0 {
		parts = append(parts, "`"+string(f.before)+"` before the time")
	}
	if len(f.after) > 0 {
		parts = append(parts, "`"+string(f.after)+"` after it")
	}
	if len(parts) > 0 {
		*out = append(*out, "left out of each record: "+strings.Join(parts, ", ")+"\n"...)
	}
}

// write writes the first line of a record without the frame. The time of day is
// line[clock:after].
func (f frame) write(out *[]byte, line []byte, clock, after int) {
	start := line[:clock-len(f.before)]
	*out = append(*out, start...)
	if len(f.before) > 0 && len(start) > 0 {
		*out = append(*out, ' ')
	}
	*out = append(*out, line[clock:after-f.zone]...)
	rest := line[after-f.zone+len(f.after):]
	if len(f.after) > 0 && len(rest) > 0 && rest[0] != ' ' {
		*out = append(*out, ' ')
	}
	*out = append(*out, rest...)
}
