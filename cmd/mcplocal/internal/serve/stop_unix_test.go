//go:build unix

package serve

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/host/guestlog"
	"github.com/mcpctl/mcpctl/host/homedir"
)

// signalWhenReady sends a signal to the daemon as soon as it prints its pid.
type signalWhenReady struct{ t *testing.T }

func (s signalWhenReady) Write(p []byte) (int, error) {
	if err := syscall.Kill(os.Getpid(), syscall.SIGTERM); err != nil {
		s.t.Error(err)
	}
	time.Sleep(50 * time.Millisecond) // the signal arrives before Write returns
	return len(p), nil
}

func TestSignalAfterAnnouncementStopsDaemon(t *testing.T) {
	home := homedir.Dir(t.TempDir())
	var log bytes.Buffer
	opts := &Options{Listen: "127.0.0.1:0", Home: home, Out: signalWhenReady{t}, Log: slog.New(slog.NewTextHandler(&log, nil)), Level: new(slog.LevelVar), Stages: new(guestlog.Levels)}
	if err := serveRun(context.Background(), opts); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(log.String(), "stopping, waiting for pending calls") {
		t.Errorf("log: %s", log.String())
	}
	if _, err := os.Stat(home.Socket()); !os.IsNotExist(err) {
		t.Errorf("the socket was not removed: %v", err)
	}
}

// replaceWhenReady replaces the home of the daemon as soon as it is ready by one that another
// daemon has locked, with a socket file.
type replaceWhenReady struct {
	t    *testing.T
	home homedir.Dir
}

func (r replaceWhenReady) Write(p []byte) (int, error) {
	if err := os.RemoveAll(string(r.home)); err != nil {
		r.t.Error(err)
	}
	lock, err := r.home.Lock()
	if err != nil {
		r.t.Error(err)
		return 0, err
	}
	r.t.Cleanup(func() { lock.Close() })
	if err := os.WriteFile(r.home.Socket(), nil, 0o600); err != nil {
		r.t.Error(err)
	}
	return len(p), nil
}

func TestDaemonStopsAndKeepsSocketIfHomeWasReplaced(t *testing.T) {
	home := homedir.Dir(t.TempDir())
	var log bytes.Buffer
	opts := &Options{Listen: "127.0.0.1:0", Home: home, Out: replaceWhenReady{t, home}, Log: slog.New(slog.NewTextHandler(&log, nil)), Level: new(slog.LevelVar), Stages: new(guestlog.Levels)}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := serveRun(ctx, opts); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(log.String(), "stopping, the home was removed or replaced") {
		t.Errorf("log: %s", log.String())
	}
	if _, err := os.Stat(home.Socket()); err != nil {
		t.Errorf("the socket of the other daemon: %v", err)
	}
}
