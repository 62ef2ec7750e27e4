//go:build e2e

package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// claudeUser is a user of Claude Code with a home directory and a project directory.
type claudeUser struct {
	t       *testing.T
	d       *daemon
	version string
	home    string
	dir     string
}

// newClaudeUser writes ~/.claude.json with two servers of the user.
func newClaudeUser(t *testing.T, version string) *claudeUser {
	u := &claudeUser{t: t, d: startDaemon(t), version: version, home: t.TempDir()}
	u.dir = filepath.Join(u.home, "work")
	if err := os.Mkdir(u.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, u.file(), fmt.Sprintf("{\n\t\"theme\": \"dark\",\n\t\"mcpServers\": {\n"+
		"\t\t\"flows\": {\"type\": \"stdio\", \"command\": %[1]q, \"args\": [\"demo-server\"]},\n"+
		"\t\t\"again\": {\"command\": %[1]q, \"args\": [\"demo-server\"], \"env\": {\"LEVEL\": \"2\"}}\n\t}\n}\n", bin("mcpctl")))
	return u
}

func (u *claudeUser) file() string { return filepath.Join(u.home, ".claude.json") }

// entries returns the servers in the file of Claude Code, and its other keys.
func (u *claudeUser) entries() (servers map[string]any, others []string) {
	u.t.Helper()
	var all map[string]any
	if err := json.Unmarshal([]byte(readFile(u.t, u.file())), &all); err != nil {
		u.t.Fatal(err)
	}
	servers, _ = all["mcpServers"].(map[string]any)
	for name := range all {
		others = append(others, name)
	}
	return servers, others
}

// mcpctl runs the CLI as the user does, in the project directory.
func (u *claudeUser) mcpctl(args ...string) string {
	u.t.Helper()
	env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + u.home, "MCPCTL_HOME=" + u.d.home}
	cmd := exec.Command(bin("mcpctl"), args...)
	cmd.Env, cmd.Dir = env, u.dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		u.t.Fatalf("mcpctl %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// ask runs one headless session with the servers of the user's files, in which the model
// calls one tool. It returns the MCP tools and the result that the model got.
func (u *claudeUser) ask(tool string) (offered []string, result string) {
	u.t.Helper()
	api := newFakeAPI(u.t, turn{tool: tool}, turn{text: "done"})
	env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + u.home, "ANTHROPIC_BASE_URL=" + api.URL, "ANTHROPIC_API_KEY=dummy-not-a-key",
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_TELEMETRY=1", "DISABLE_ERROR_REPORTING=1", "DISABLE_AUTOUPDATER=1",
		"MCP_CONNECTION_NONBLOCKING=0", "MCP_CONNECT_TIMEOUT_MS=60000", "MCP_TIMEOUT=60000", // the first request waits for all servers
		"ENABLE_TOOL_SEARCH=false"} // and lists all tools
	out, err := run(u.t, 2*time.Minute, env, u.dir, module("claude-"+u.version, "claude"), "-p", "Do the task with the tools.",
		"--output-format", "stream-json", "--verbose", "--allowedTools", tool)
	if err != nil {
		u.t.Logf("claude %s: %v: %.1500s", u.version, err, out)
	}
	var req struct{ Tools []struct{ Name string } }
	if err := json.Unmarshal([]byte(api.request(u.t, 0)), &req); err != nil {
		u.t.Fatal(err)
	}
	for _, t := range req.Tools {
		if strings.HasPrefix(t.Name, "mcp__") {
			offered = append(offered, t.Name)
		}
	}
	slices.Sort(offered)
	return offered, api.lastResult(u.t, 1)
}

// TestConnectedClaudeCode runs both versions of Claude Code with the file that import and
// connect changed: each tool is offered once, a call goes through mcpctl, and undo restores
// the user's entries although the client has written its file in between.
func TestConnectedClaudeCode(t *testing.T) {
	needNPM(t)
	for _, version := range []string{"2.1.329", "2.1.197"} {
		t.Run(version, func(t *testing.T) {
			u := newClaudeUser(t, version)
			before, result := u.ask("mcp__flows__get_flows")
			if !slices.Contains(before, "mcp__again__get_flows") || strings.Contains(result, "read_section(") {
				t.Fatalf("without mcpctl the model gets tools %q and result %.300q", before, result)
			}
			own, _ := u.entries()

			u.mcpctl("import", "--yes")
			u.mcpctl("connect", "claude-code", "--yes")
			if servers, _ := u.entries(); len(servers) != 1 || servers["home"] == nil {
				t.Errorf("after connect the file contains the servers %v", servers)
			}
			var want []string
			for _, name := range before {
				want = append(want, strings.Replace(name, "mcp__", "mcp__home__", 1))
			}
			want = append(want, "mcp__home__read_section")
			slices.Sort(want)
			offered, result := u.ask("mcp__home__flows__get_flows")
			if !slices.Equal(offered, want) {
				t.Errorf("after connect the model gets tools\n%q, want\n%q", offered, want)
			}
			if !strings.Contains(result, "read_section(") {
				t.Errorf("the call did not go through the project: %.600q", result)
			}

			_, keys := u.entries()
			u.mcpctl("undo", "--yes")
			restored, left := u.entries()
			if fmt.Sprint(restored) != fmt.Sprint(own) {
				t.Errorf("after undo the file contains the servers %v, want %v", restored, own)
			}
			if slices.Sort(keys); !slices.Equal(keys, sorted(left)) {
				t.Errorf("after undo the file has the keys %q, want %q", left, keys)
			}
		})
	}
}

func sorted(names []string) []string {
	slices.Sort(names)
	return names
}

// TestDoubledToolsAreReported verifies that TestConnectedClaudeCode can fail: if the user's
// own entries are kept, Claude Code offers each tool twice, and doctor reports it.
func TestDoubledToolsAreReported(t *testing.T) {
	needNPM(t)
	u := newClaudeUser(t, "2.1.329")
	u.mcpctl("import", "--yes")
	u.mcpctl("connect", "claude-code", "--keep", "--yes")
	offered, _ := u.ask("mcp__home__flows__get_flows")
	for _, name := range []string{"mcp__flows__get_flows", "mcp__home__flows__get_flows"} {
		if !slices.Contains(offered, name) {
			t.Errorf("%s is not among %q", name, offered)
		}
	}
	if out := u.mcpctl("doctor"); !strings.Contains(out, "server flows is configured twice") {
		t.Errorf("doctor does not report it:\n%s", out)
	}
}
