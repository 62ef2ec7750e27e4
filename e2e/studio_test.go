//go:build e2e

package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// tmux is a terminal with a program in it, driven by keys.
type tmux struct {
	t      *testing.T
	socket string
}

func startTmux(t *testing.T, env []string, command ...string) *tmux {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("needs tmux")
	}
	x := &tmux{t, filepath.Join(t.TempDir(), "tmux")}
	args := []string{"-S", x.socket, "-f", "/dev/null", "new-session", "-d", "-x", "120", "-y", "40"}
	for _, e := range env {
		args = append(args, "-e", e)
	}
	if out, err := exec.Command("tmux", append(args, command...)...).CombinedOutput(); err != nil {
		t.Fatalf("tmux: %v %s", err, out)
	}
	t.Cleanup(x.kill)
	return x
}

// kill ends the terminal and its program, as the crash of a terminal does.
func (x *tmux) kill() { _ = exec.Command("tmux", "-S", x.socket, "kill-server").Run() } // it may have ended

func (x *tmux) screen() string {
	out, _ := exec.Command("tmux", "-S", x.socket, "capture-pane", "-p").Output() // empty once it has ended
	return string(out)
}

func (x *tmux) press(keys ...string) {
	x.t.Helper()
	if out, err := exec.Command("tmux", append([]string{"-S", x.socket, "send-keys"}, keys...)...).CombinedOutput(); err != nil {
		x.t.Fatalf("keys %q: %v %s", keys, err, out)
	}
}

// await waits until the screen shows a text.
func (x *tmux) await(text string) {
	x.t.Helper()
	for range 1200 {
		if strings.Contains(x.screen(), text) {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	x.t.Fatalf("the screen never showed %q:\n%s", text, x.screen())
}

// TestStudioWithClaudeCode holds an answer for both versions of Claude Code in Model Studio,
// which tmux drives. The model gets the edited text, an error for a dropped answer, or the
// unedited answer after the studio was killed.
func TestStudioWithClaudeCode(t *testing.T) {
	needNPM(t)
	d := startDaemon(t)
	d.mcpctl(fmt.Sprintf(indexed, bin("mcpctl")), "apply", "-f", "-")
	editor := filepath.Join(t.TempDir(), "editor")
	write(t, editor, "#!/bin/sh\necho 'edited in the studio' > \"$1\"\n")
	if err := os.Chmod(editor, 0o700); err != nil {
		t.Fatal(err)
	}
	env := []string{"MCPCTL_HOME=" + d.home, "EDITOR=" + editor, "VISUAL=" + editor}
	edit := func(x *tmux) {
		x.press("e")
		x.await("edited in the studio")
		x.press("r")
	}
	drop := func(x *tmux) {
		x.press("d")
		x.await("rop")
		x.press("y")
	}
	kill := func(x *tmux) { x.kill() }
	for _, version := range []string{"2.1.329", "2.1.197"} {
		for _, tc := range []struct {
			name   string
			decide func(*tmux)
			want   string
		}{
			{"edited", edit, "edited in the studio"},
			{"dropped", drop, "dropped by the user in Model Studio"},
			{"studio killed", kill, "[@z=7805686.aa4fd98]"},
		} {
			t.Run(version+" "+tc.name, func(t *testing.T) {
				studio := startTmux(t, env, bin("mcpctl"), "console", "--model-studio", "home")
				studio.await("home")
				studio.press("p")
				for range 600 { // the rule is set
					if strings.Contains(d.mcpctl("", "hold", "home"), "all answers") {
						break
					}
					time.Sleep(100 * time.Millisecond)
				}
				api := newFakeAPI(t, turn{tool: "mcp__home__demo__get_flows"}, turn{text: "done"})
				got := make(chan string, 1)
				go func() { got <- claude(t, version, api.URL, m{"type": "http", "url": d.endpoint("home")}) }()
				studio.await("held: demo/get_flows")
				tc.decide(studio)
				out := <-got
				if text := api.lastResult(t, 1); !strings.Contains(text, tc.want) {
					t.Errorf("the model got %.600s\n%s", text, out)
				}
				studio.kill()
				d.mcpctl("", "hold", "home", "--off")
			})
		}
	}
}
