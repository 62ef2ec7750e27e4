package imports

import (
	"bytes"
	"slices"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/wasm/fault"
)

// logBuffer holds the log lines of a guest, within its limits.
type logBuffer struct {
	lines   []abi.LogLine
	bytes   int
	dropped int
	partial [2][]byte // of stdout and stderr: a line that has not ended
}

// clone returns a copy that can be written to independently.
func (l *logBuffer) clone() logBuffer {
	c := *l
	c.lines = slices.Clone(l.lines)
	for i := range c.partial {
		c.partial[i] = slices.Clone(l.partial[i])
	}
	return c
}

var levels = [...]string{abi.LogDebug: "debug", abi.LogInfo: "info", abi.LogWarn: "warn", abi.LogError: "error"}

// add keeps a line. If the log is full, it counts the line as dropped and returns
// false.
func (l *logBuffer) add(level int, line []byte) bool {
	if len(l.lines) >= abi.LimitLogLines || l.bytes >= abi.LimitLogBytes {
		l.dropped++
		return false
	}
	text := fault.Printable(line, abi.LimitLogLineBytes)
	if l.bytes+len(text) > abi.LimitLogBytes {
		l.dropped++
		return false
	}
	l.bytes += len(text)
	l.lines = append(l.lines, abi.LogLine{Level: levels[level], Text: text})
	return true
}

// write splits the output to a stream into lines.
func (l *logBuffer) write(stream, level int, b []byte) {
	for len(b) > 0 {
		line, rest, ended := bytes.Cut(b, []byte{'\n'})
		room := max(abi.LimitLogLineBytes+1-len(l.partial[stream]), 0)
		l.partial[stream] = append(l.partial[stream], line[:min(len(line), room)]...)
		if ended {
			l.flush(stream, level)
		}
		b = rest
	}
}

func (l *logBuffer) flush(stream, level int) {
	if len(l.partial[stream]) > 0 {
		l.add(level, l.partial[stream])
		l.partial[stream] = l.partial[stream][:0]
	}
}

// finish returns the lines. If some were dropped, the last line contains their number.
func (l *logBuffer) finish() []abi.LogLine {
	l.flush(0, abi.LogInfo)
	l.flush(1, abi.LogWarn)
	if l.dropped > 0 {
		l.lines = append(l.lines, abi.LogLine{Level: "warn", Text: "dropped " + fault.Group(l.dropped) + " lines"})
		l.dropped = 0
	}
	return l.lines
}
