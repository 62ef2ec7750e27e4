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

	"github.com/mcpctl/mcpctl/host"
)

// signalWhenReady is the caller of a daemon that stops it as soon as it has its pid.
type signalWhenReady struct{ t *testing.T }

func (s signalWhenReady) Write(p []byte) (int, error) {
	if err := syscall.Kill(os.Getpid(), syscall.SIGTERM); err != nil {
		s.t.Error(err)
	}
	time.Sleep(50 * time.Millisecond) // the signal arrives before Write returns
	return len(p), nil
}

func TestASignalAfterTheAnnouncementStopsInOrder(t *testing.T) {
	home := host.Home(t.TempDir())
	var log bytes.Buffer
	opts := &Options{Listen: "127.0.0.1:0", Home: home, Out: signalWhenReady{t}, Log: slog.New(slog.NewTextHandler(&log, nil)), Level: new(slog.LevelVar), Stages: new(host.StageLevels)}
	if err := serveRun(context.Background(), opts); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(log.String(), "stopping, calls in flight may end") {
		t.Errorf("log: %s", log.String())
	}
	if _, err := os.Stat(home.Socket()); !os.IsNotExist(err) {
		t.Errorf("the socket is left: %v", err)
	}
}
