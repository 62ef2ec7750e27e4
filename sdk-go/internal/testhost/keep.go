package testhost

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/sdk-go/internal/raw"
)

func (h *Host) MetaSet(key, value string) int32 {
	if key == "" || !utf8.ValidString(key) || !utf8.ValidString(value) {
		return h.Bad("metadata key is empty, or text is not UTF-8")
	}
	size := len(key) + len(value)
	for k, v := range h.Meta {
		if k != key {
			size += len(k) + len(v)
		}
	}
	if _, ok := h.Meta[key]; !ok && len(h.Meta) == raw.LimitMetaKeys || size > raw.LimitMetaBytes {
		return h.Refuse(raw.CodeLimit, "metadata over 64 keys or 16 KiB")
	}
	h.Meta[strings.Clone(key)] = strings.Clone(value)
	return 0
}

// LogLine is a line of the log.
type LogLine struct{ Level, Text string }

// LogLines returns the lines of the log.
func (h *Host) LogLines() []LogLine { return h.log.all() }

// logLines has the lines of one call within their limits.
type logLines struct {
	lines   []LogLine
	bytes   int
	dropped int
}

func (h *Host) Log(level int32, line string) int32 {
	if level < raw.LogDebug || level > raw.LogError {
		return h.Bad("log level " + strconv.Itoa(int(level)))
	}
	if !h.log.add([...]string{"debug", "info", "warn", "error"}[level], strings.Clone(line)) {
		return h.Refuse(raw.CodeLimit, "log over 1,000 lines or 256 KiB")
	}
	return 0
}

func (b *logLines) add(level, line string) bool {
	if len(line) > raw.LimitLogLineBytes {
		line = strings.ToValidUTF8(line[:raw.LimitLogLineBytes], "") + "..."
	}
	if len(b.lines) == raw.LimitLogLines || b.bytes+len(line) > raw.LimitLogBytes {
		b.dropped++
		return false
	}
	b.bytes += len(line)
	b.lines = append(b.lines, LogLine{level, line})
	return true
}

// all returns the lines, with a last line that has the number of dropped lines.
func (b *logLines) all() []LogLine {
	if b.dropped == 0 {
		return b.lines
	}
	return append(b.lines, LogLine{"warn", "dropped " + Commas(b.dropped) + " lines"})
}
