package host

import (
	"bytes"
	"fmt"
	"log/slog"
	"os"
	"testing"

	"github.com/mcpctl/mcpctl/host/homedir"
	"github.com/mcpctl/mcpctl/host/proxy/catalog"
)

// The lists of servers are available after a restart of the daemon.
func TestKnownListsSurviveRestart(t *testing.T) {
	home := homedir.Dir(t.TempDir())
	for i := range 2 {
		h, err := Open(t.Context(), Options{Home: home})
		if err != nil {
			t.Fatal(err)
		}
		lists := newKnownLists(h.opts)
		value, ok := lists.Get("server")
		if ok != (i == 1) || ok && !bytes.Equal(value, []byte("tools")) {
			t.Errorf("opened %d times: %q, %v", i+1, value, ok)
		}
		for range 2 {
			lists.Set("server", []byte("tools"))
		}
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	}
	lists := knownLists{home.Lists(), slog.New(slog.DiscardHandler)}
	for i := range maxKnownLists + 10 {
		lists.Set(fmt.Sprint(i), []byte("x"))
	}
	if files, err := os.ReadDir(home.Lists()); err != nil || len(files) != maxKnownLists {
		t.Errorf("%d files, limit %d (%v)", len(files), maxKnownLists, err)
	}
	if err := os.WriteFile(lists.file("long"), make([]byte, catalog.MaxKept+1), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, ok := lists.Get("long"); ok {
		t.Error("a file above the limit was read")
	}
	offline, err := Open(t.Context(), Options{Home: home, Offline: true})
	if err != nil {
		t.Fatal(err)
	}
	if newKnownLists(offline.opts) != nil {
		t.Error("lists were stored offline")
	}
	_ = offline.Close()
}
