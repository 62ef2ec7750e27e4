package hosttest

import (
	"bytes"
	"log/slog"
	"strings"
	"sync"
)

// LogBuffer is a log that can be read while it is written. The zero value is empty.
type LogBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

// Write implements io.Writer.
func (l *LogBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

// Lines returns the lines that contain all of the words.
func (l *LogBuffer) Lines(words ...string) []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var list []string
next:
	for line := range strings.Lines(l.b.String()) {
		for _, w := range words {
			if !strings.Contains(line, w) {
				continue next
			}
		}
		list = append(list, line)
	}
	return list
}

// Logger returns a logger that writes text lines to the buffer.
func (l *LogBuffer) Logger() *slog.Logger { return slog.New(slog.NewTextHandler(l, nil)) }
