//go:build e2e

package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// hooked is a project without servers. Its proxymodel only makes an index.
const hooked = `kind: Project
metadata: {name: home}
spec: {servers: [], gated: false, proxyModel: subindex}
`

// writeHook writes the settings of Claude Code in a home directory, with hook as the PostToolUse hook.
func writeHook(t *testing.T, home, hook string) {
	t.Helper()
	settings, err := json.Marshal(m{"hooks": m{"PostToolUse": []m{{"matcher": "Bash", "hooks": []m{{"type": "command", "command": hook, "timeout": 10}}}}}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(home, ".claude"), 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(home, ".claude", "settings.json"), string(settings))
}

// askWithHook runs one headless session with the settings in a home directory, and returns the fake
// API and what the client printed.
func askWithHook(t *testing.T, version, home, work string, entry m, turns ...turn) (*fakeAPI, string) {
	t.Helper()
	api := newFakeAPI(t, turns...)
	config, err := json.Marshal(m{"mcpServers": m{"home": entry}})
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(home, "mcp.json"), string(config))
	env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "ANTHROPIC_BASE_URL=" + api.URL, "ANTHROPIC_API_KEY=dummy-not-a-key",
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_TELEMETRY=1", "DISABLE_ERROR_REPORTING=1", "DISABLE_AUTOUPDATER=1"}
	out, err := run(t, 2*time.Minute, env, work, module("claude-"+version, "claude"), "-p", "Do the task with the tools.",
		"--mcp-config", filepath.Join(home, "mcp.json"), "--strict-mcp-config", "--output-format", "stream-json", "--verbose", "--allowedTools", "mcp__home,Bash,Read,Edit,Grep,Glob")
	if err != nil {
		t.Logf("claude %s: %v", version, err)
	}
	return api, out[:min(len(out), 500)]
}

// TestHookOnClaudeCode runs both versions of Claude Code with mcpctl hook: the model reads the
// index of a command's output and of a file, opens exact parts of the originals, and edits the
// file that it has read through the index.
func TestHookOnClaudeCode(t *testing.T) {
	needNPM(t)
	original := readFile(t, filepath.Join(root(), "testdata", "content", "ja-flows-atltvhead.json"))
	for _, version := range []string{"2.1.329", "2.1.197"} {
		t.Run(version, func(t *testing.T) {
			d := startDaemon(t)
			d.mcpctl(hooked, "apply", "-f", "-")
			entry := m{"type": "stdio", "command": bin("mcpctl"), "args": []string{"mcp", "--project", "home"}, "env": m{"MCPCTL_HOME": d.home}}
			home, work := t.TempDir(), t.TempDir()
			connect := exec.Command(bin("mcpctl"), "connect", "claude-code", "--project", "home", "--hook", "--scope", "user", "--yes")
			connect.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "MCPCTL_HOME=" + d.home}
			if out, err := connect.CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			file := filepath.Join(work, "flows.json")
			write(t, file, original)
			notes, text := filepath.Join(work, "notes.md"), strings.Repeat("# Part\n\nA line of notes.\n\n", 1500)+"# Last\n\nneedle\n"
			write(t, notes, text)
			section := func(seen string) m { return m{"ref": refIn(seen), "section": "7d02ea3c.419f5c"} }
			warm(t, d)

			api, out := askWithHook(t, version, home, work, entry,
				turn{tool: "Bash", input: func(string) m { return m{"command": "cat flows.json", "description": "read"} }},
				turn{tool: "mcp__home__read_section", input: section},
				turn{tool: "Read", input: func(string) m { return m{"file_path": file} }},
				turn{tool: "mcp__home__read_section", input: section},
				turn{tool: "Read", input: func(string) m { return m{"file_path": notes} }},
				turn{tool: "Edit", input: func(string) m { return m{"file_path": notes, "old_string": "needle", "new_string": "thread"} }},
				turn{tool: "Read", input: func(string) m { return m{"file_path": notes, "offset": 1, "limit": 3} }},
				turn{text: "done"})
			for i, what := range map[int]string{1: "command", 3: "file"} {
				index, leaf := api.lastResult(t, i), api.lastResult(t, i+1)
				if !strings.Contains(index, "[@z=7805686.aa4fd98]") || len(index) > 6000 {
					t.Errorf("%s: the model got no index but %d bytes: %.600s\n%s", what, len(index), index, out)
				}
				if !strings.Contains(original, leaf) || !strings.Contains(leaf, "7d02ea3c.419f5c") {
					t.Errorf("%s: the section is not a part of the original: %.600s", what, leaf)
				}
			}
			if index := api.lastResult(t, 5); !strings.Contains(index, "read_section(") || len(index) > 6000 {
				t.Errorf("notes: the model got no index but %d bytes: %.300s", len(index), index)
			}
			if edited := readFile(t, notes); edited != strings.Replace(text, "needle", "thread", 1) {
				t.Errorf("the file was not edited: %s", api.lastResult(t, 6))
			}
			if lines := api.lastResult(t, 7); strings.Contains(lines, "read_section(") {
				t.Errorf("lines that the model asked for: %.300s", lines)
			}
		})
	}
}

// TestHookOnNamesOfFiles: the names that Glob and Grep return become an index in the shape of
// their results.
func TestHookOnNamesOfFiles(t *testing.T) {
	needNPM(t)
	for _, version := range []string{"2.1.329", "2.1.197"} {
		t.Run(version, func(t *testing.T) {
			d := startDaemon(t)
			d.mcpctl(hooked, "apply", "-f", "-")
			entry := m{"type": "stdio", "command": bin("mcpctl"), "args": []string{"mcp", "--project", "home"}, "env": m{"MCPCTL_HOME": d.home}}
			home, work := t.TempDir(), t.TempDir()
			connect := exec.Command(bin("mcpctl"), "connect", "claude-code", "--project", "home", "--hook", "--scope", "user", "--yes")
			connect.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "MCPCTL_HOME=" + d.home}
			if out, err := connect.CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			for i := range 95 {
				write(t, filepath.Join(work, fmt.Sprintf("part-%02d-%s.md", i, strings.Repeat("long-", 25))), "needle\n")
			}
			warm(t, d)
			api, out := askWithHook(t, version, home, work, entry,
				turn{tool: "Glob", input: func(string) m { return m{"pattern": "*.md"} }},
				turn{tool: "Grep", input: func(string) m { return m{"pattern": "needle"} }},
				turn{text: "done"})
			for i, tool := range map[int]string{1: "Glob", 2: "Grep"} {
				got := api.lastResult(t, i)
				if strings.Contains(got, "No such tool") {
					t.Logf("%s is no tool of this version", tool)
					continue
				}
				if !strings.Contains(got, "read_section(") || len(got) > 6000 {
					t.Errorf("%s: the model got no index but %d bytes: %.300s\n%s", tool, len(got), got, out)
				}
			}
		})
	}
}

// warm waits until the daemon has loaded the built-in modules, as after the first calls of a user.
func warm(t *testing.T, d *daemon) {
	t.Helper()
	event := `{"hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{},"tool_response":{"stdout":` + quoted(strings.Repeat("# A\n\ntext\n\n", 2000)) + `,"stderr":""}}`
	for begin := time.Now(); !strings.Contains(d.mcpctl(event, "hook", "--project", "home"), "updatedToolOutput"); {
		if time.Since(begin) > time.Minute {
			t.Fatal("the hook makes no index")
		}
	}
}

func quoted(s string) string {
	b, _ := json.Marshal(s) // a string always encodes
	return string(b)
}

// TestHookFailsOpen: the model gets the plain output if the hook is killed, slow, or cannot start a
// daemon.
func TestHookFailsOpen(t *testing.T) {
	needNPM(t)
	d := startDaemon(t)
	d.mcpctl(hooked, "apply", "-f", "-")
	entry := m{"type": "stdio", "command": bin("mcpctl"), "args": []string{"mcp", "--project", "home"}, "env": m{"MCPCTL_HOME": d.home}}
	work := t.TempDir()
	write(t, filepath.Join(work, "notes.txt"), strings.Repeat("a line of notes\n", 1000))
	for rule, hook := range map[string]string{
		"killed":          fmt.Sprintf("MCPCTL_HOME='%s' timeout -s KILL 0.001 '%s' hook --project home", d.home, bin("mcpctl")),
		"slow":            "sleep 30",
		"no daemon":       fmt.Sprintf("MCPCTL_HOME=/dev/null '%s' hook --project home", bin("mcpctl")),
		"no such project": fmt.Sprintf("MCPCTL_HOME='%s' '%s' hook --project none", d.home, bin("mcpctl")),
	} {
		t.Run(rule, func(t *testing.T) {
			home := t.TempDir()
			writeHook(t, home, hook)
			api, out := askWithHook(t, "2.1.329", home, work, entry,
				turn{tool: "Bash", input: func(string) m { return m{"command": "cat notes.txt", "description": "read"} }}, turn{text: "done"})
			if got := api.lastResult(t, 1); strings.Count(got, "a line of notes") < 900 || strings.Contains(got, "read_section(") {
				t.Errorf("the model got %.300q\n%s", got, out)
			}
		})
	}
}
