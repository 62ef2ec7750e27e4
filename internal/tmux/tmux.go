// Package tmux runs a program in a terminal of its own, presses keys and reads the screen.
// It needs the program tmux.
package tmux

import (
	"context"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// Terminal is a tmux server with one window. Its methods may be called from one goroutine at
// a time.
type Terminal struct{ socket string }

// Start runs a command in a terminal of width by height cells. Each element of env has the
// form NAME=value and is added to the environment. The socket is a path of at most 100 bytes
// that does not exist.
func Start(ctx context.Context, socket string, width, height int, env []string, command ...string) (*Terminal, error) {
	t := &Terminal{socket}
	args := []string{"-f", "/dev/null", "new-session", "-d", "-x", strconv.Itoa(width), "-y", strconv.Itoa(height)}
	for _, e := range env {
		args = append(args, "-e", e)
	}
	if _, err := t.run(ctx, append(args, command...)...); err != nil {
		return nil, err
	}
	return t, nil
}

func (t *Terminal) run(ctx context.Context, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, "tmux", append([]string{"-S", t.socket}, args...)...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("tmux: %w: %s", err, out)
	}
	return string(out), nil
}

// Kill ends the terminal and its program, as the crash of a terminal does.
func (t *Terminal) Kill() { _, _ = t.run(context.Background(), "kill-server") } // it may have ended

// Press sends keys, by the names of tmux.
func (t *Terminal) Press(ctx context.Context, keys ...string) error {
	_, err := t.run(ctx, append([]string{"send-keys"}, keys...)...)
	return err
}

// Styled returns the lines of the screen with the escape sequences for colours.
func (t *Terminal) Styled(ctx context.Context) (string, error) {
	return t.run(ctx, "capture-pane", "-p", "-e")
}

// awaitTimeout limits Await.
const awaitTimeout = 2 * time.Minute

// Await waits until the screen shows a text. It returns an error if the program ends.
func (t *Terminal) Await(ctx context.Context, text string) error {
	ctx, cancel := context.WithTimeout(ctx, awaitTimeout)
	defer cancel()
	for {
		screen, err := t.run(ctx, "capture-pane", "-p")
		if err != nil {
			return fmt.Errorf("no %q on the screen: %w", text, err)
		}
		if strings.Contains(screen, text) {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("no %q on the screen: %w\n%s", text, ctx.Err(), screen)
		case <-time.After(100 * time.Millisecond):
		}
	}
}
