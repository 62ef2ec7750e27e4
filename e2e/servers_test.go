//go:build e2e

package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

type m = map[string]any

type step struct {
	Method   string `json:"method"`
	Params   m      `json:"params,omitempty"`
	Progress bool   `json:"progress,omitempty"`
}

// played is the output of client.mjs.
type played struct {
	Capabilities m
	Results      []struct {
		Result   any
		Error    any
		Progress []float64
	}
	Asked  []string
	Logged []string
}

func play(t *testing.T, connect m, roots []m, steps []step) played {
	t.Helper()
	script, err := json.Marshal(m{"connect": connect, "steps": steps, "roots": roots})
	if err != nil {
		t.Fatal(err)
	}
	out, err := run(t, time.Minute, os.Environ(), cache(), node(), cache("client.mjs"), string(script))
	if err != nil {
		t.Fatal(err)
	}
	var p played
	if err := json.Unmarshal([]byte(out), &p); err != nil {
		t.Fatalf("client printed %q: %v", out, err)
	}
	return p
}

func call(tool string, args m) step {
	return step{Method: "tools/call", Params: m{"name": tool, "arguments": args}}
}

// TestPublicServers plays one script with the TypeScript SDK against each public server
// directly, through the HTTP endpoint, and through mcpctl mcp. Without stages, the results
// must be equal.
func TestPublicServers(t *testing.T) {
	needNPM(t)
	files := t.TempDir()
	write(t, filepath.Join(files, "hello.txt"), "hello, file")
	write(t, filepath.Join(files, "big.json"), readFile(t, filepath.Join(root(), "testdata", "content", "ja-flows-dash-charts.json")))

	for _, tc := range []struct {
		name  string
		entry []string
		env   m
		steps []step
		asks  []string
	}{
		{
			name:  "filesystem",
			entry: []string{module("@modelcontextprotocol", "server-filesystem", "dist", "index.js"), files},
			steps: []step{
				{Method: "tools/list"},
				call("read_text_file", m{"path": filepath.Join(files, "hello.txt")}),
				call("read_text_file", m{"path": filepath.Join(files, "big.json")}),
				call("list_directory", m{"path": files}),
				call("directory_tree", m{"path": files}),
				call("read_text_file", m{"path": "/etc/passwd"}),
			},
			asks: []string{"roots"},
		},
		{
			name:  "memory",
			entry: []string{module("@modelcontextprotocol", "server-memory", "dist", "index.js")},
			steps: []step{
				{Method: "tools/list"},
				call("create_entities", m{"entities": []m{{"name": "Grüße <&>", "entityType": "test", "observations": []string{"9007199254740993", "b"}}}}),
				call("read_graph", m{}),
				call("search_nodes", m{"query": "test"}),
				call("delete_entities", m{"entityNames": []string{"Grüße <&>"}}),
			},
		},
		{
			name:  "everything",
			entry: []string{module("@modelcontextprotocol", "server-everything", "dist", "index.js"), "stdio"},
			steps: []step{
				{Method: "tools/list"},
				{Method: "resources/list"},
				{Method: "resources/templates/list"},
				{Method: "prompts/list"},
				call("echo", m{"message": "hi"}),
				{Method: "tools/call", Params: m{"name": "trigger-long-running-operation", "arguments": m{"duration": 1, "steps": 4}}, Progress: true},
				call("trigger-sampling-request", m{"prompt": "say", "maxTokens": 10}),
				call("trigger-elicitation-request", m{}),
				call("get-tiny-image", m{}),
			},
			asks: []string{"sampling", "elicitation"},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			memory := filepath.Join(t.TempDir(), "memory.json")
			env := m{"MEMORY_FILE_PATH": memory, "PATH": os.Getenv("PATH")}
			roots := []m{{"uri": "file://" + files, "name": "files"}}
			d := startDaemon(t)
			d.mcpctl(project(t, tc.name, append([]string{node()}, tc.entry...), m{"MEMORY_FILE_PATH": memory}), "apply", "-f", "-")

			direct := play(t, m{"command": node(), "args": tc.entry, "env": env}, roots, tc.steps)
			overHTTP := play(t, m{"url": d.endpoint(tc.name)}, roots, tc.steps)
			overStdio := play(t, m{"command": bin("mcpctl"), "args": []string{"mcp", "--project", tc.name},
				"env": m{"MCPCTL_HOME": d.home, "PATH": os.Getenv("PATH")}}, roots, tc.steps)
			for way, got := range map[string]played{"HTTP": overHTTP, "stdio": overStdio} {
				for i := range tc.steps {
					if !reflect.DeepEqual(got.Results[i].Result, direct.Results[i].Result) ||
						!reflect.DeepEqual(got.Results[i].Error, direct.Results[i].Error) {
						t.Errorf("%s, step %d (%v): through mcpctl\n%s\ndirect\n%s", way, i, tc.steps[i], show(got.Results[i]), show(direct.Results[i]))
					}
					// Through mcpctl all progress precedes the result; directly, some may
					// follow it.
					proxied, expected := got.Results[i].Progress, direct.Results[i].Progress
					if len(proxied) < len(expected) || !slices.Equal(proxied[:len(expected)], expected) {
						t.Errorf("%s, step %d: progress %v, direct %v", way, i, proxied, expected)
					}
				}
				for _, a := range tc.asks {
					if !strings.Contains(strings.Join(got.Asked, " "), a) {
						t.Errorf("%s: the client got no request for %s", way, a)
					}
				}
			}
		})
	}
}

// project returns the YAML of a project with one server and without stages.
func project(t *testing.T, name string, command []string, env m) string {
	t.Helper()
	spec, err := json.Marshal(m{"command": command, "env": env})
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf(`kind: Server
metadata: {name: %[1]s}
spec: %[2]s
---
kind: ProxyModel
metadata: {name: through}
spec: {controller: none, stages: []}
---
kind: Project
metadata: {name: %[1]s}
spec: {servers: [%[1]s], gated: false, proxyModel: through, toolNames: bare, maxAnswerTokens: 0}
`, name, spec)
}

// TestInspectorCLI lists and calls through the inspector's command line client.
func TestInspectorCLI(t *testing.T) {
	needNPM(t)
	d := startDaemon(t)
	d.mcpctl(project(t, "everything", []string{node(), module("@modelcontextprotocol", "server-everything", "dist", "index.js"), "stdio"}, nil), "apply", "-f", "-")
	cli := module("@modelcontextprotocol", "inspector-cli", "build", "cli.js")
	env := append(os.Environ(), "MCPCTL_HOME="+d.home, "PATH="+filepath.Dir(node())+":"+os.Getenv("PATH"))
	for _, tc := range []struct {
		name string
		args []string
		want string
	}{
		{"stdio list", []string{bin("mcpctl"), "mcp", "--project", "everything", "--method", "tools/list"}, `"name": "echo"`},
		{"HTTP list", []string{d.endpoint("everything"), "--transport", "http", "--method", "tools/list"}, `"name": "echo"`},
		{"HTTP call", []string{d.endpoint("everything"), "--transport", "http", "--method", "tools/call", "--tool-name", "echo", "--tool-arg", "message=hi"}, "Echo: hi"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			out, err := run(t, time.Minute, env, cache(), node(), append([]string{cli, "--cli"}, tc.args...)...)
			if err != nil || !strings.Contains(out, tc.want) {
				t.Errorf("got %v\n%s\nwant %s", err, out, tc.want)
			}
		})
	}
}

func show(v any) string {
	b, _ := json.MarshalIndent(v, "", " ") // decoded JSON always encodes
	if len(b) > 2000 {
		b = b[:2000]
	}
	return string(b)
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func readFile(t *testing.T, file string) string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
