package stage

import (
	"strings"

	"github.com/mcpctl/mcpctl/sdk-go/internal/raw"
)

// Log writes to the log of the call: a constant message, followed by keys and values.
// A value is a string, number, bool, []byte, error or has a method String.
//
//	c.Log.Warn("no LLM, headings only", "sections", n)
//
// Limits: 1,000 lines, 256 KiB. Further lines are counted and dropped.
type Log struct{}

// Debug logs details for the author.
func (Log) Debug(msg string, keysAndValues ...any) { logLine(raw.LogDebug, msg, keysAndValues) }

// Info logs an action.
func (Log) Info(msg string, keysAndValues ...any) { logLine(raw.LogInfo, msg, keysAndValues) }

// Warn logs an action that was done in part or differently.
func (Log) Warn(msg string, keysAndValues ...any) { logLine(raw.LogWarn, msg, keysAndValues) }

// Error logs an action that failed.
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
