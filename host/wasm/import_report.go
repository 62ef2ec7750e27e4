package wasm

import (
	"bytes"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/abi"
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
	text := printable(line, abi.LimitLogLineBytes)
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
		l.lines = append(l.lines, abi.LogLine{Level: "warn", Text: "dropped " + group(l.dropped) + " lines"})
		l.dropped = 0
	}
	return l.lines
}

// printable makes one line of a guest's bytes that nothing can be smuggled
// through: control and direction characters and what is not UTF-8 are escaped.
func printable(b []byte, most int) string {
	clean := true
	for _, c := range b[:min(len(b), most)] {
		if c < ' ' || c >= 0x7f {
			clean = false
			break
		}
	}
	if clean {
		return cutMarked(string(b[:min(len(b), most)]), len(b) > most)
	}
	var out strings.Builder
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		spelled := spell(r, b[i:i+n])
		if out.Len()+len(spelled) > most {
			return cutMarked(out.String(), true)
		}
		out.WriteString(spelled)
		i += n
	}
	return out.String()
}

func cutMarked(s string, wasCut bool) string {
	if wasCut {
		return s + "..."
	}
	return s
}

func spell(r rune, raw []byte) string {
	const hex = "0123456789abcdef"
	switch {
	case r == utf8.RuneError && len(raw) == 1:
		return `\x` + string([]byte{hex[raw[0]>>4], hex[raw[0]&15]})
	case r == '\n':
		return `\n`
	case r == '\r':
		return `\r`
	case r == '\t':
		return `\t`
	case unicode.IsControl(r), unicode.Is(unicode.Cf, r), r == 0x2028, r == 0x2029:
		return escapeRune(r)
	}
	return string(raw)
}

func escapeRune(r rune) string {
	const hex = "0123456789abcdef"
	digits := 4
	prefix := `\u`
	if r > 0xffff {
		digits, prefix = 8, `\U`
	}
	out := []byte(prefix)
	for d := digits - 1; d >= 0; d-- {
		out = append(out, hex[r>>(4*d)&15])
	}
	return string(out)
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
		return r.refuse(abi.CodeLimit, "log of %d lines or %s bytes is full", abi.LimitLogLines, group(abi.LimitLogBytes))
	}
	return 0
}

func failReason(r *run, a args) int32 {
	r.reason = printable(r.text(a, 0), reasonBytes)
	return 0
}

func lastError(r *run, _ args) int32 {
	if r.lastError == "" {
		return r.notFound()
	}
	return r.add(buffer{data: []byte(r.lastError)})
}
