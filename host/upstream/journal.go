package upstream

import (
	"sync"
	"time"
)

const (
	journalBytes = 256 << 10 // of the kept lines
	lineBytes    = 8 << 10   // of one line; the rest of a longer one is dropped
	lineCost     = 64        // added to the length of a line, so that empty lines are bounded too
)

// Line is one line of a server's log.
type Line struct {
	ID   int64 // increases from line to line, also over restarts of mcpctl
	Time time.Time
	Text string // printable, without secrets
}

// Journal keeps the last lines that a server wrote to its standard error, and lines about
// the start and end of its connections. It outlives the connections. It is safe for
// concurrent use; the zero value is empty.
type Journal struct {
	mu    sync.Mutex
	lines []Line
	bytes int
	last  int64
}

// Since returns the kept lines after the one with this ID, oldest first.
func (j *Journal) Since(id int64) []Line {
	j.mu.Lock()
	defer j.mu.Unlock()
	for i, l := range j.lines {
		if l.ID > id {
			return append([]Line(nil), j.lines[i:]...)
		}
	}
	return nil
}

// add appends a line. A nil Journal ignores it.
func (j *Journal) add(text string) {
	if j == nil {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	now := time.Now()
	j.last = max(j.last+1, now.UnixMicro()) // larger than the ids of the last run, so that readers can continue
	j.lines = append(j.lines, Line{j.last, now, text})
	for j.bytes += len(text) + lineCost; j.bytes > journalBytes; j.lines = j.lines[1:] {
		j.bytes -= len(j.lines[0].Text) + lineCost
	}
}
