//go:build unix

package studio

import (
	"context"
	"errors"
	"io"
	"os/signal"
	"syscall"
	"testing"
	"time"
)

// frames is a terminal that reports its first output.
type frames chan struct{}

func (f frames) Write(p []byte) (int, error) {
	select {
	case f <- struct{}{}:
	default:
	}
	return len(p), nil
}

// A signal that ends ctx ends the screen: the library must not handle it too, because its
// handler then waits for the event loop that ctx has ended.
func TestSignalEndsScreen(t *testing.T) {
	ctx, stop := signal.NotifyContext(t.Context(), syscall.SIGTERM)
	defer stop()
	keys, _ := io.Pipe()
	shown := make(frames, 1)
	ended := make(chan error, 1)
	go func() {
		ended <- Run(ctx, Options{Service: newDaemon(), Project: "home"}, keys, shown, []string{"TERM=xterm"})
	}()
	<-shown
	if err := syscall.Kill(syscall.Getpid(), syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-ended:
		if !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("the screen has not ended after 10 s")
	}
}
