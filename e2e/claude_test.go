//go:build e2e

package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// fakeAPI is a fake of the vendor's Messages API. It plays a script of turns and records the
// requests, which contain the tools and results that the model gets.
type fakeAPI struct {
	*httptest.Server
	mu      sync.Mutex
	turns   []turn
	seen    [][]byte
	answers int
}

// turn is one answer of the model: a final text, or tool calls. input may read the requests
// so far.
type turn struct {
	text  string
	tool  string
	input func(seen string) m
}

func newFakeAPI(t *testing.T, turns ...turn) *fakeAPI {
	f := &fakeAPI{turns: turns}
	f.Server = httptest.NewServer(http.HandlerFunc(f.serve))
	t.Cleanup(f.Close)
	return f
}

func (f *fakeAPI) serve(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	switch {
	case strings.HasSuffix(r.URL.Path, "/count_tokens"):
		fmt.Fprintf(w, `{"input_tokens":%d}`, len(body)/4)
	case strings.HasSuffix(r.URL.Path, "/messages"):
		f.message(w, body)
	default:
		http.NotFound(w, r)
	}
}

func (f *fakeAPI) message(w http.ResponseWriter, body []byte) {
	var req struct {
		Tools  []json.RawMessage
		Stream bool
	}
	if err := json.Unmarshal(body, &req); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	id, block, stop := f.next(len(req.Tools) > 0, body)
	if req.Stream {
		stream(w, id, block, stop)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(m{"id": id, "type": "message", "role": "assistant", "model": "fake",
		"content": []m{block}, "stop_reason": stop, "usage": m{"input_tokens": 1, "output_tokens": 1}})
}

// next returns the next turn. A request without tools, such as for a title, gets a short
// text and does not advance the script.
func (f *fakeAPI) next(withTools bool, body []byte) (id string, block m, stop string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.answers++
	id = fmt.Sprintf("msg_%d", f.answers) // the client merges messages of one id
	if !withTools || len(f.turns) == 0 {
		return id, m{"type": "text", "text": "ok"}, "end_turn"
	}
	f.seen = append(f.seen, body)
	t := f.turns[0]
	f.turns = f.turns[1:]
	if t.tool == "" {
		return id, m{"type": "text", "text": t.text}, "end_turn"
	}
	input := m{}
	if t.input != nil {
		input = t.input(string(bytes.Join(f.seen, nil)))
	}
	return id, m{"type": "tool_use", "id": fmt.Sprintf("toolu_%d", len(f.seen)), "name": t.tool, "input": input}, "tool_use"
}

func stream(w http.ResponseWriter, id string, block m, stop string) {
	w.Header().Set("Content-Type", "text/event-stream")
	send := func(event string, data m) {
		data["type"] = event
		b, _ := json.Marshal(data) // maps of strings always encode
		fmt.Fprintf(w, "event: %s\ndata: %s\n\n", event, b)
	}
	send("message_start", m{"message": m{"id": id, "type": "message", "role": "assistant", "model": "fake", "content": []m{}, "usage": m{"input_tokens": 1, "output_tokens": 1}}})
	if block["type"] == "text" {
		send("content_block_start", m{"index": 0, "content_block": m{"type": "text", "text": ""}})
		send("content_block_delta", m{"index": 0, "delta": m{"type": "text_delta", "text": block["text"]}})
	} else {
		input, _ := json.Marshal(block["input"])
		send("content_block_start", m{"index": 0, "content_block": m{"type": "tool_use", "id": block["id"], "name": block["name"], "input": m{}}})
		send("content_block_delta", m{"index": 0, "delta": m{"type": "input_json_delta", "partial_json": string(input)}})
	}
	send("content_block_stop", m{"index": 0})
	send("message_delta", m{"delta": m{"stop_reason": stop}, "usage": m{"output_tokens": 1}})
	send("message_stop", m{})
}

// lastResult returns the text of the tool result in request i.
func (f *fakeAPI) lastResult(t *testing.T, i int) string {
	t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	if i >= len(f.seen) {
		t.Fatalf("the client sent %d requests with tools, want %d", len(f.seen), i+1)
	}
	var req struct {
		Messages []struct{ Content json.RawMessage }
	}
	if err := json.Unmarshal(f.seen[i], &req); err != nil {
		t.Fatal(err)
	}
	for j := len(req.Messages) - 1; j >= 0; j-- {
		var blocks []struct {
			Type    string
			Content json.RawMessage
		}
		if json.Unmarshal(req.Messages[j].Content, &blocks) != nil {
			continue
		}
		for k := len(blocks) - 1; k >= 0; k-- {
			if blocks[k].Type == "tool_result" {
				return resultText(blocks[k].Content)
			}
		}
	}
	return ""
}

func resultText(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var blocks []struct{ Text string }
	_ = json.Unmarshal(raw, &blocks) // if it has neither form, there is no text
	var all []string
	for _, b := range blocks {
		all = append(all, b.Text)
	}
	return strings.Join(all, "\n")
}

// TestClaudeCode runs both versions of Claude Code, headless, on a large JSON document with
// subindex: the model gets an index, opens a section with read_section, and gets the exact
// bytes.
func TestClaudeCode(t *testing.T) {
	needNPM(t)
	original := readFile(t, filepath.Join(root(), "testdata", "content", "ja-flows-atltvhead.json"))
	d := startDaemon(t)
	d.mcpctl(fmt.Sprintf(indexed, bin("mcpctl")), "apply", "-f", "-")

	for _, version := range []string{"2.1.329", "2.1.197"} {
		for way, entry := range map[string]m{
			"HTTP":  {"type": "http", "url": d.endpoint("home")},
			"stdio": {"type": "stdio", "command": bin("mcpctl"), "args": []string{"mcp", "--project", "home"}, "env": m{"MCPCTL_HOME": d.home}},
		} {
			t.Run(version+" "+way, func(t *testing.T) {
				api := newFakeAPI(t,
					turn{tool: "mcp__home__demo__get_flows"},
					turn{tool: "mcp__home__read_section", input: func(seen string) m { return m{"ref": refIn(seen), "section": "7d02ea3c.419f5c"} }},
					turn{text: "done"})
				out := claude(t, version, api.URL, entry)
				index, leaf := api.lastResult(t, 1), api.lastResult(t, 2)
				if !strings.Contains(index, "[@z=7805686.aa4fd98]") || len(index) > 5000 {
					t.Errorf("the model got no index but %d bytes: %.600s\n%s", len(index), index, out)
				}
				if !strings.Contains(original, leaf) || !strings.Contains(leaf, "7d02ea3c.419f5c") {
					t.Errorf("the section is not a part of the original: %.600s\n%s", leaf, out)
				}
			})
		}
	}
}

// indexed is the demo server, which returns text without structuredContent.
const indexed = `kind: Server
metadata: {name: demo}
spec: {command: [%q, demo-server]}
---
kind: Project
metadata: {name: home}
spec: {servers: [demo], gated: false, proxyModel: subindex}
`

// refIn returns the last ref in the text that the model got.
func refIn(seen string) string {
	const mark = `read_section(ref=\"`
	i := strings.LastIndex(seen, mark)
	if i < 0 {
		// the text is JSON inside JSON in the recorded request
		return "none"
	}
	ref, _, _ := strings.Cut(seen[i+len(mark):], `\"`)
	return ref
}

// claude runs one headless session in a clean environment with a dummy key.
func claude(t *testing.T, version, api string, entry m) string {
	t.Helper()
	home := t.TempDir()
	config, err := json.Marshal(m{"mcpServers": m{"home": entry}})
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(home, "mcp.json"), string(config))
	work := filepath.Join(home, "work")
	if err := os.Mkdir(work, 0o700); err != nil {
		t.Fatal(err)
	}
	env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "ANTHROPIC_BASE_URL=" + api, "ANTHROPIC_API_KEY=dummy-not-a-key",
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_TELEMETRY=1", "DISABLE_ERROR_REPORTING=1", "DISABLE_AUTOUPDATER=1"}
	out, err := run(t, 2*time.Minute, env, work, module("claude-"+version, "claude"), "-p", "Do the task with the tools.",
		"--mcp-config", filepath.Join(home, "mcp.json"), "--strict-mcp-config", "--output-format", "stream-json", "--verbose", "--allowedTools", "mcp__home")
	if err != nil {
		t.Logf("claude %s: %v", version, err)
	}
	return out[:min(len(out), 1500)]
}
