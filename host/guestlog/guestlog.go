// Package guestlog writes the log lines of guests to the log of the host, at a level
// that is set for each role, without secrets, and bounded in length and rate.
package guestlog

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/abi"
)

// Levels holds the minimum level of logged lines for each role. Lines of a role without
// a level are not logged. The zero value is empty. It is safe for concurrent use.
type Levels struct {
	levels atomic.Pointer[map[string]slog.Level]
}

// Set replaces all levels. The caller must not modify the map afterwards.
func (l *Levels) Set(levels map[string]slog.Level) { l.levels.Store(&levels) }

// level returns the level of a role, if it has one.
func (l *Levels) level(role string) (level slog.Level, ok bool) {
	if levels := l.levels.Load(); levels != nil {
		level, ok = (*levels)[role]
	}
	return level, ok
}

// Limits of the lines that guests write to the log.
const (
	maxLineBytes = 1024
	maxLines     = 200 // of one role in a window
	window       = 10 * time.Second
)

// Log writes the lines of guests to the log of the host. Control characters in their
// text are already escaped. It is safe for concurrent use.
type Log struct {
	handler slog.Handler // its own level does not apply
	levels  *Levels
	cleaner func() func(string) string

	mu     sync.Mutex
	counts map[string]*lineCount // by role
}

// lineCount counts the lines of a role in one window.
type lineCount struct {
	start          time.Time
	lines, dropped int
}

// New returns a Log that writes to log. cleaner returns a function that removes secrets
// from a text. If levels is nil, nothing is written.
func New(log *slog.Logger, levels *Levels, cleaner func() func(string) string) *Log {
	if levels == nil {
		levels = new(Levels)
	}
	return &Log{handler: log.Handler(), levels: levels, cleaner: cleaner, counts: make(map[string]*lineCount)}
}

// Origin identifies the run of a guest that wrote a line.
type Origin struct{ Role, Project, Source string }

// Write writes the lines that reach the level of their role.
func (g *Log) Write(from Origin, lines []abi.LogLine, at time.Time) {
	least, ok := g.levels.level(from.Role)
	if !ok || len(lines) == 0 {
		return
	}
	clean := g.cleaner()
	for _, line := range lines {
		var level slog.Level
		if level.UnmarshalText([]byte(line.Level)) != nil || level < least {
			continue
		}
		dropped, verdict := g.admit(from.Role, at)
		if dropped > 0 {
			g.emit(at, slog.LevelWarn, "stage lines dropped", from, slog.Int("lines", dropped))
		}
		switch verdict {
		case lineAllowed:
			g.emit(at, level, "stage line", from, slog.String("line", cutLine(clean(line.Text))))
		case lineFirstDropped:
			g.emit(at, slog.LevelWarn, "stage reached the limit of log lines, further lines are dropped", from,
				slog.Int("limit", maxLines), slog.Duration("window", window))
		}
	}
}

// lineVerdict is the decision of admit about one line.
type lineVerdict int

const (
	lineAllowed      lineVerdict = iota
	lineFirstDropped             // the first dropped line of a window
	lineDropped
)

// admit decides about one more line of a role. If a new window begins, dropped is the
// number of lines dropped in the previous one.
func (g *Log) admit(role string, at time.Time) (dropped int, v lineVerdict) {
	g.mu.Lock()
	defer g.mu.Unlock()
	w := g.counts[role]
	if w == nil || at.Sub(w.start) >= window {
		if w != nil {
			dropped = w.dropped
		}
		w = &lineCount{start: at}
		g.counts[role] = w
	}
	if w.lines == maxLines {
		if w.dropped++; w.dropped == 1 {
			return dropped, lineFirstDropped
		}
		return dropped, lineDropped
	}
	w.lines++
	return dropped, lineAllowed
}

func (g *Log) emit(at time.Time, level slog.Level, message string, from Origin, values ...slog.Attr) {
	r := slog.NewRecord(at, level, message, 0)
	r.AddAttrs(slog.String("stage", from.Role), slog.String("project", from.Project), slog.String("source", from.Source))
	r.AddAttrs(values...)
	_ = g.handler.Handle(context.Background(), r) // as slog.Logger does
}

// cutLine limits the length of a line. The line must be cleaned before, because the
// cleaner does not recognize a part of a secret.
func cutLine(text string) string {
	if len(text) <= maxLineBytes {
		return text
	}
	end := maxLineBytes
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "..."
}
