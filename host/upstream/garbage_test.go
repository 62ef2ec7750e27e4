package upstream

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// What a server prints where messages belong is told once a minute, however much
// it is, and a piece of it is kept: one line, without secrets.
func TestGarbageIsToldAndShown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		cfg := Config{Name: "s", Env: map[string]Secret{"TOKEN": NewSecret("hunter2hunter2")}, Log: slog.New(slog.NewTextHandler(&log, nil))}.withDefaults()
		c := &Client{cfg: cfg, scrub: newScrubber(cfg)}
		for range 1000 {
			c.noteGarbage([]byte("starting \x1b[31m with hunter2hunter2\r\nand "+strings.Repeat("é", 1<<20)), errEmptyEvent)
		}
		if n := strings.Count(log.String(), "no message"); n != 1 {
			t.Errorf("%d lines in the log, want 1", n)
		}
		<-time.After(garbageLogEvery)
		c.noteGarbage([]byte("again"), errEmptyEvent)
		if s := log.String(); !strings.Contains(s, "messages=1000 last=again") {
			t.Errorf("the second line does not count what was held back: %s", s)
		}
		c.noteGarbage([]byte("starting \x1b[31m with hunter2hunter2\r\nand "+strings.Repeat("é", 1<<20)), errEmptyEvent)
		shown := c.garbage.last()
		if want := `starting \x1b[31m with ***\x0d\x0aand é`; !strings.HasPrefix(shown, want) {
			t.Errorf("shown %q, want %q", shown, want)
		}
		if len(shown) > 3*maxSaid || strings.Contains(log.String(), "hunter2") {
			t.Errorf("%d bytes are shown", len(shown))
		}
		if n := c.counts.read().Garbage; n != 1002 {
			t.Errorf("%d counted", n)
		}
	})
}
