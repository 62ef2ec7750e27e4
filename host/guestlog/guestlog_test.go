package guestlog

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/hosttest"
)

// The lines of a role are limited in each window, and dropped lines are counted.
func TestRateLimit(t *testing.T) {
	var log hosttest.LogBuffer
	var levels Levels
	levels.Set(map[string]slog.Level{"loud": slog.LevelInfo, "other": slog.LevelInfo})
	g := New(log.Logger(), &levels, func() func(string) string { return strings.ToLower })
	many := make([]abi.LogLine, 3*maxLines)
	for i := range many {
		many[i] = abi.LogLine{Level: "info", Text: "AGAIN"}
	}
	start := time.UnixMilli(0)
	g.Write(Origin{"loud", "home", "up/get"}, many, start)
	g.Write(Origin{"loud", "home", "up/get"}, many[:1], start.Add(window-1))
	g.Write(Origin{"other", "home", "up/get"}, many[:1], start)
	if got := log.Lines("msg=\"stage line\"", "stage=loud", "line=again"); len(got) != maxLines {
		t.Errorf("%d lines of a window, want %d", len(got), maxLines)
	}
	if got := log.Lines("level=WARN", "stage reached the limit of log lines", "stage=loud", "limit=200", "window=10s"); len(got) != 1 {
		t.Errorf("the log reports the limit %d times in the window that drops lines, want once: %q", len(got), got)
	}
	if got := log.Lines("stage line", "stage=other"); len(got) != 1 {
		t.Errorf("another stage is bounded too: %q", got)
	}
	g.Write(Origin{"loud", "home", "up/get"}, many[:1], start.Add(window))
	if got := log.Lines("stage lines dropped", "lines=401"); len(got) != 1 || len(log.Lines("stage=loud", "line=again")) != maxLines+1 {
		t.Errorf("after the window: %q", got)
	}
}
