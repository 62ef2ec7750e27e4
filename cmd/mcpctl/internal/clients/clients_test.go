package clients

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/clientconfig"
)

func env() Env {
	return Env{Home: "/home/u", Dir: "/w", OS: "linux", Var: func(string) string { return "" }}
}

func client(t *testing.T, name string) Client {
	t.Helper()
	c, ok := Find(name)
	if !ok {
		t.Fatalf("no client %s", name)
	}
	return c
}

func TestEntriesOfEachClientAreRead(t *testing.T) {
	for _, tc := range []struct {
		client, scope, raw string
		want               Server
	}{
		{"claude-code", Project, `{"command":"x","args":["${A:-b}"],"timeout":1500,"headersHelper":"h"}`,
			Server{Command: "x", Args: []string{"${A:-b}"}, Cwd: "/w", Timeout: 1500 * time.Millisecond, Ignored: []string{"headersHelper"}}},
		{"claude-code", User, `{"command":"x","args":["--repository=."]}`, Server{Command: "x", Args: []string{"--repository=."}, Cwd: ClientDir, Fixed: true}},
		{"claude-code", Local, `{"command":"x","cwd":"sub"}`, Server{Command: "x", Cwd: "/w/sub", Fixed: true}},
		{"cursor", Project, `{"command":"${workspaceFolder}/x","env":{"K":"${env:KEY}"},"envFile":".env"}`,
			Server{Command: "/w/x", Env: map[string]string{"K": "${KEY}"}, Cwd: "/w", Ignored: []string{"envFile"}}},
		{"vscode", User, `{"type":"http","url":"https://h/mcp","headers":{"A":"Bearer ${input:my-key}"}}`,
			Server{URL: "https://h/mcp", Headers: map[string]string{"A": "Bearer ${MY_KEY}"}, Inputs: []string{"MY_KEY"}}},
		{"codex", User, `{"url":"https://h/mcp","bearer_token_env_var":"TOK","http_headers":{"A":"${x}"},"env_http_headers":{"B":"V"},"tool_timeout_sec":2.5,"startup_timeout_sec":9}`,
			Server{URL: "https://h/mcp", Headers: map[string]string{"Authorization": "Bearer ${TOK}", "A": "$${x}", "B": "${V}"}, Timeout: 2500 * time.Millisecond, Ignored: []string{"startup_timeout_sec"}}},
		{"codex", User, `{"command":"x","env_vars":["HOME"],"enabled":false}`, Server{Command: "x", PassEnv: []string{"HOME"}, Cwd: ClientDir, Disabled: true}},
		{"gemini", User, `{"httpUrl":"https://h/mcp","headers":{"A":"$TOK"},"trust":true}`,
			Server{URL: "https://h/mcp", Headers: map[string]string{"A": "${TOK}"}, Ignored: []string{"trust"}}},
		{"windsurf", User, `{"serverUrl":"https://h/mcp","disabledTools":["x"]}`, Server{URL: "https://h/mcp", Ignored: []string{"disabledTools"}}},
		{"claude-desktop", User, `{"command":"x","env":{"A":"${B}"}}`, Server{Command: "x", Env: map[string]string{"A": "$${B}"}, Cwd: ClientDir}},
		{"claude-code", User, `{"url":"https://h?user=me@example.com"}`, Server{URL: "https://h?user=me@example.com"}},
		{"claude-code", User, `{"url":"https://u:p%40@h:1/mcp?a=b"}`, Server{UserInfo: true, URL: "https://h:1/mcp?a=b", Headers: map[string]string{"Authorization": "Basic dTpwQA=="}}},
	} {
		c := client(t, tc.client)
		place, _ := c.Place(env(), tc.scope)
		got, err := c.Read(clientconfig.Entry{Raw: json.RawMessage(tc.raw), Text: tc.raw}, place)
		if len(got.Headers) == 0 {
			got.Headers = nil
		}
		if err != nil || !reflect.DeepEqual(got, tc.want) {
			t.Errorf("%s %s:\ngot  %+v, %v\nwant %+v", tc.client, tc.raw, got, err, tc.want)
		}
	}
}

func TestReadRejectsInvalidEntries(t *testing.T) {
	for _, tc := range []struct{ client, raw, field, text string }{
		{"claude-code", `{}`, "", "neither command nor url"},
		{"claude-code", `{"command":"x","timeout":-5}`, "timeout", "not between 0 and 24 hours"},
		{"claude-code", `{"command":"x","timeout":1e300}`, "timeout", "not between 0 and 24 hours"},
		{"claude-code", `{"command":"x","timeout":"5"}`, "timeout", "timeout is string, want a number"},
		{"claude-code", `{"url":"https://u:CANARY@h/","headers":{"authorization":"x"}}`, "url", "in addition to an Authorization header"},
		{"claude-code", `{"url":"https://u:${P}@h/"}`, "url", "with a reference"},
		{"vscode", `{"command":"x","args":["${command:pick}"]}`, "args", "only the client can expand"},
	} {
		c := client(t, tc.client)
		_, err := c.Read(clientconfig.Entry{Raw: json.RawMessage(tc.raw), Text: tc.raw}, Place{})
		var e *EntryError
		if !errors.As(err, &e) || e.Field != tc.field || !strings.Contains(e.Text, tc.text) || strings.Contains(e.Text, "CANARY") {
			t.Errorf("%s: %v, want %q at %q", tc.raw, err, tc.text, tc.field)
		}
	}
}

// Read inverts Write.
func TestWrittenEntriesAreReadBack(t *testing.T) {
	for _, c := range All() {
		for _, s := range []Server{
			{Command: "/bin/mcpctl", Args: []string{"mcp", "--project", "home"}, Env: map[string]string{"MCPCTL_HOME": "/h"}},
			{URL: "http://127.0.0.1:1/projects/home/mcp", Headers: map[string]string{"Authorization": "Bearer ${MCPCTL_TOKEN}"}},
		} {
			raw, err := c.Write(s)
			if c.shape == stdioShape && s.URL != "" {
				if !errors.Is(err, abi.ErrConfig) {
					t.Errorf("%s: %v, want a config error", c.Name, err)
				}
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			got, err := c.Read(clientconfig.Entry{Raw: raw, Text: string(raw)}, Place{})
			if err != nil || !got.IsMcpctl() || !got.Runs("home") || len(got.Ignored) > 0 {
				t.Errorf("%s: %s is read as %+v, %v", c.Name, raw, got, err)
			}
			if s.URL != "" && got.Headers["Authorization"] != "Bearer ${MCPCTL_TOKEN}" {
				t.Errorf("%s: %s has headers %v", c.Name, raw, got.Headers)
			}
		}
	}
}

func TestSourcesOfIdentifiesTheClient(t *testing.T) {
	for file, want := range map[string]string{
		"/home/u/.claude.json":                              "claude-code local /w, claude-code user ",
		"/w/.mcp.json":                                      "claude-code project /w",
		"/other/.mcp.json":                                  "claude-code project /other",
		"/other/.vscode/mcp.json":                           "vscode project /other",
		"/other/.cursor/mcp.json":                           "cursor project /other",
		"/home/u/.cursor/mcp.json":                          "cursor user ",
		"/home/u/.codex/config.toml":                        "codex user ",
		"/x/any.toml":                                       "codex project /x",
		"/x/any.json":                                       "claude-code project /x, vscode project /x",
		"/home/u/.gemini/settings.json":                     "gemini user ",
		"/home/u/.config/Claude/claude_desktop_config.json": "claude-desktop user ",
	} {
		var got []string
		for _, s := range SourcesOf(file, env()) {
			got = append(got, s.Client.Name+" "+s.Place.Scope+" "+s.Place.Dir)
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%s: %q, want %q", file, got, want)
		}
	}
}

func TestPlacesOfEachSystem(t *testing.T) {
	for os, want := range map[string]string{
		"linux":   "/home/u/.config/Claude/claude_desktop_config.json",
		"darwin":  "/home/u/Library/Application Support/Claude/claude_desktop_config.json",
		"windows": "/home/u/AppData/Roaming/Claude/claude_desktop_config.json",
	} {
		e := env()
		e.OS = os
		if p, _ := client(t, "claude-desktop").Place(e, User); p.File != want {
			t.Errorf("%s: %s, want %s", os, p.File, want)
		}
	}
}

func TestProjectOfAnEntry(t *testing.T) {
	for _, tc := range []struct {
		name  string
		entry Server
		want  string
	}{
		{"stdio", Server{Command: "/x/mcpctl", Args: []string{"mcp", "--project", "home"}}, "home"},
		{"stdio on Windows", Server{Command: "mcpctl.exe", Args: []string{"mcp", "--project", "home"}}, "home"},
		{"another command of mcpctl", Server{Command: "mcpctl", Args: []string{"demo-server"}}, ""},
		{"another program", Server{Command: "npx", Args: []string{"mcp", "--project", "home"}}, ""},
		{"no project", Server{Command: "mcpctl", Args: []string{"mcp", "--project"}}, ""},
		{"HTTP", Server{URL: "http://127.0.0.1:3200/projects/home/mcp"}, "home"},
		{"HTTP of another machine", Server{URL: "https://example.com/projects/home/mcp"}, ""},
		{"HTTP of another path", Server{URL: "http://127.0.0.1:3200/mcp"}, ""},
		{"no URL", Server{URL: "http://[::1"}, ""},
	} {
		if got := tc.entry.Project(); got != tc.want {
			t.Errorf("%s: project %q, want %q", tc.name, got, tc.want)
		}
	}
}

// CLAUDE_CONFIG_DIR sets the directory of Claude Code's file. Relative paths are resolved against
// the
// working directory.
func TestClaudeConfigDirIsHonoured(t *testing.T) {
	for set, want := range map[string]string{
		"": "/home/u/.claude.json", "/second/": "/second/.claude.json", "rel": "/w/rel/.claude.json",
	} {
		e := env()
		e.Var = func(name string) string { return map[string]string{"CLAUDE_CONFIG_DIR": set}[name] }
		for scope, file := range map[string]string{User: want, Local: want, Project: "/w/.mcp.json"} {
			if p, _ := client(t, "claude-code").Place(e, scope); p.File != file {
				t.Errorf("with %q, scope %s is in %s, want %s", set, scope, p.File, file)
			}
		}
	}
}
