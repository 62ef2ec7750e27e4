package wasm

import (
	"bytes"
	"slices"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/wasm/fault"
)

// logBook is what a guest has logged, within its limits.
type logBook struct {
	lines   []abi.LogLine
	bytes   int
	dropped int
	partial [2][]byte // of stdout and stderr: a line that has not ended
}

// clone is a log that can be written on from here.
func (l *logBook) clone() logBook {
	c := *l
	c.lines = slices.Clone(l.lines)
	for i := range c.partial {
		c.partial[i] = slices.Clone(l.partial[i])
	}
	return c
}

var levels = [...]string{abi.LogDebug: "debug", abi.LogInfo: "info", abi.LogWarn: "warn", abi.LogError: "error"}

// add keeps a line, or reports false and counts it as dropped.
func (l *logBook) add(level int, line []byte) bool {
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

// write takes what a guest wrote to a stream, cut into lines.
func (l *logBook) write(stream, level int, b []byte) {
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

func (l *logBook) flush(stream, level int) {
	if len(l.partial[stream]) > 0 {
		l.add(level, l.partial[stream])
		l.partial[stream] = l.partial[stream][:0]
	}
}

// all gives the lines, with a last one that says how many are missing.
func (l *logBook) all() []abi.LogLine {
	l.flush(0, abi.LogInfo)
	l.flush(1, abi.LogWarn)
	if l.dropped > 0 {
		l.lines = append(l.lines, abi.LogLine{Level: "warn", Text: "dropped " + fault.Group(l.dropped) + " lines"})
		l.dropped = 0
	}
	return l.lines
}

// reasonBytes bounds the reason of a FAIL and the message of an abort.
const reasonBytes = 1000

var reportFuncs = map[string]importFunc{
	abi.FuncLog:       logLine,
	abi.FuncFail:      failReason,
	abi.FuncLastError: lastError,
}

func logLine(r *run, a args) int32 {
	line := r.text(a, 1)
	level := a.i32(0)
	if level < 0 || int(level) >= len(levels) {
		return r.refuse(abi.CodeBadArg, "log level %d", level)
	}
	if !r.log.add(int(level), line) {
		return r.refuse(abi.CodeLimit, "log of %d lines or %s bytes is full", abi.LimitLogLines, fault.Group(abi.LimitLogBytes))
	}
	return 0
}

func failReason(r *run, a args) int32 {
	r.reason = fault.Printable(r.text(a, 0), reasonBytes)
	return 0
}

func lastError(r *run, _ args) int32 {
	if r.lastError == "" {
		return r.notFound()
	}
	return r.add(buffer{data: []byte(r.lastError)})
}
