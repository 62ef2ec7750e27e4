package upstream

import (
	"bytes"
	"log/slog"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpctl/mcpctl/host/jsonrpc"
)

// The size, error and position of invalid frames are kept, not their content. They are
// logged once a minute.
func TestContentOfBadFramesIsNotKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		cfg := Config{Name: "s", Log: slog.New(slog.NewTextHandler(&log, nil))}.withDefaults()
		c := newShared(cfg, nil)
		for range 1000 {
			c.noteGarbage([]byte("starting with CANARY\r\nand more"), errEmptyEvent)
		}
		if n := strings.Count(log.String(), "invalid message"); n != 1 {
			t.Errorf("%d lines in the log, want 1", n)
		}
		<-time.After(garbageLogEvery)
		for _, frame := range []string{
			`{"jsonrpc":"2.0","id":1,"result":"CANARY`,
			`{"jsonrpc":"2.0","CANARY\ud800":1}`,
			`{"jsonrpc":"2.0","id":"CANARY\ud800"}`,
			`{"jsonrpc":"CANARY","id":1,"result":1}`,
			`{"jsonrpc":"2.0","id":1,"method":"CANARY","result":1}`,
		} {
			_, err := jsonrpc.DecodeUpstream([]byte(frame), jsonrpc.Limits{})
			if err == nil {
				t.Errorf("%s is decoded", frame)
				continue
			}
			c.noteGarbage([]byte(frame), err)
			if shown := c.garbage.last(); strings.Contains(shown, "CANARY") || !strings.HasPrefix(shown, strconv.Itoa(len(frame))+" bytes: ") {
				t.Errorf("of %s is shown %q", frame, shown)
			}
		}
		if s := log.String(); !strings.Contains(s, "messages=1000 last=") || strings.Contains(s, "CANARY") {
			t.Errorf("log: %s", s)
		}
		if n := c.counts.read().Garbage; n != 1005 {
			t.Errorf("%d counted", n)
		}
	})
}
