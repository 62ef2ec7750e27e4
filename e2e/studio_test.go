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

	"github.com/mcpctl/mcpctl/internal/tmux"
)

// terminal is a terminal with a program in it, driven by keys.
type terminal struct {
	*tmux.Terminal
	t *testing.T
}

func startTerminal(t *testing.T, env []string, command ...string) terminal {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("needs tmux")
	}
	x, err := tmux.Start(t.Context(), filepath.Join(t.TempDir(), "tmux"), 120, 40, env, command...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(x.Kill)
	return terminal{x, t}
}

func (x terminal) press(keys ...string) {
	x.t.Helper()
	if err := x.Press(x.t.Context(), keys...); err != nil {
		x.t.Fatal(err)
	}
}

// await waits until the screen shows a text.
func (x terminal) await(text string) {
	x.t.Helper()
	if err := x.Await(x.t.Context(), text); err != nil {
		x.t.Fatal(err)
	}
}

const studioProject = `kind: Project
metadata: {name: %s}
spec: {servers: [demo], gated: false, proxyModel: subindex}
`

// TestStudioWithClaudeCode holds an answer for both versions of Claude Code in Model Studio,
// which tmux drives. The model gets the edited text, an error for a dropped answer, or the
// unedited answer after the studio was killed.
func TestStudioWithClaudeCode(t *testing.T) {
	needNPM(t)
	d := startDaemon(t)
	d.mcpctl(fmt.Sprintf(indexed, bin("mcpctl")), "apply", "-f", "-")
	n := 0
	editor := filepath.Join(t.TempDir(), "editor")
	write(t, editor, "#!/bin/sh\necho 'edited in the studio' > \"$1\"\n")
	if err := os.Chmod(editor, 0o700); err != nil {
		t.Fatal(err)
	}
	env := []string{"MCPCTL_HOME=" + d.home, "EDITOR=" + editor, "VISUAL=" + editor}
	edit := func(x terminal) {
		x.press("e")
		x.await("edited in the studio")
		x.press("r")
	}
	drop := func(x terminal) {
		x.press("d")
		x.await("drop this answer?") // the line of keys has the word drop too
		x.press("y")
	}
	kill := func(x terminal) { x.Kill() }
	for _, version := range []string{"2.1.329", "2.1.197"} {
		for _, tc := range []struct {
			name   string
			decide func(terminal)
			want   string
		}{
			{"edited", edit, "edited in the studio"},
			{"dropped", drop, "dropped by the user in Model Studio"},
			{"studio killed", kill, "[@z=7805686.aa4fd98]"},
		} {
			t.Run(version+" "+tc.name, func(t *testing.T) {
				// A project of its own: the screen must not show a held answer of the past.
				n++
				project := fmt.Sprintf("studio-%d", n)
				d.mcpctl(fmt.Sprintf(studioProject, project), "apply", "-f", "-")
				studio := startTerminal(t, env, bin("mcpctl"), "console", "--model-studio", project)
				studio.await(project)
				studio.press("p")
				for range 600 { // the rule is set
					if strings.Contains(d.mcpctl("", "hold", project), "all answers") {
						break
					}
					time.Sleep(100 * time.Millisecond)
				}
				api := newFakeAPI(t, turn{tool: "mcp__home__demo__get_flows"}, turn{text: "done"})
				got := make(chan string, 1)
				go func() { got <- claude(t, version, api.URL, m{"type": "http", "url": d.endpoint(project)}) }()
				studio.await("held: demo/get_flows")
				tc.decide(studio)
				out := <-got
				if text := api.lastResult(t, 1); !strings.Contains(text, tc.want) {
					t.Errorf("the model got %.600s\n%s", text, out)
				}
				studio.Kill()
				d.mcpctl("", "hold", project, "--off")
			})
		}
	}
}
