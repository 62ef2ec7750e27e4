package stage

import (
	"strings"

	"github.com/mcpctl/mcpctl/sdk-go/internal/raw"
)

// Log writes to the log of the call: a constant message, figures behind it as
// keys and values. A value is a string, number, bool, []byte, error or has a method
// String.
//
//	c.Log.Warn("no LLM, headings only", "sections", n)
//
// Limits: 1,000 lines, 256 KiB; what is beyond is counted and dropped.
type Log struct{}

// Debug is for the author.
func (Log) Debug(msg string, keysAndValues ...any) { logLine(raw.LogDebug, msg, keysAndValues) }

// Info says what was done.
func (Log) Info(msg string, keysAndValues ...any) { logLine(raw.LogInfo, msg, keysAndValues) }

// Warn says what was done, but not as wished.
func (Log) Warn(msg string, keysAndValues ...any) { logLine(raw.LogWarn, msg, keysAndValues) }

// Error says what was not done.
func (Log) Error(msg string, keysAndValues ...any) { logLine(raw.LogError, msg, keysAndValues) }

func logLine(level int32, msg string, args []any) {
	if len(args) == 0 {
		raw.Log(level, msg)
		return
	}
	var b strings.Builder
	b.WriteString(msg)
	for i, a := range args {
		if i%2 == 0 {
			b.WriteByte(' ')
			b.WriteString(format(a))
			continue
		}
		b.WriteByte('=')
		b.WriteString(quoteIfNeeded(format(a)))
	}
	raw.Log(level, b.String())
}
