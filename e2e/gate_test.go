//go:build e2e

package e2e

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httputil"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// gated is a gated project with a rule for every session, a rule for the task, and one for
// another task.
const gated = `kind: Server
metadata: {name: demo}
spec: {command: [%q, demo-server]}
---
kind: Project
metadata: {name: home}
spec: {servers: [demo], proxyModel: subindex}
---
kind: Prompt
metadata: {name: guardrails, project: home}
spec: {priority: 10, content: "Pairing mode MUST be closed within sixty seconds."}
---
kind: Prompt
metadata: {name: zigbee, project: home}
spec: {priority: 7, content: "Zigbee devices are paired by the bridge in the hall."}
---
kind: Prompt
metadata: {name: billing, project: home}
spec: {priority: 4, content: "About invoices. They leave on the first of a month, by post."}
`

const (
	mustRule = "MUST be closed within sixty seconds"
	taskRule = "paired by the bridge in the hall"
	farRule  = "on the first of a month, by post"
)

func startGated(t *testing.T) *daemon {
	t.Helper()
	d := startDaemon(t)
	d.mcpctl(fmt.Sprintf(gated, bin("mcpctl")), "apply", "-f", "-")
	return d
}

// TestGateOnClaudeCode runs both versions of Claude Code, headless, with a gated project: the
// model gets only begin_session, calls it, gets the real tools in its next turn, and reads a
// section. Claude Code 2.1.329 speaks the version without sessions: its model gets all tools at
// once, and a handle from begin_session, which its later calls carry.
func TestGateOnClaudeCode(t *testing.T) {
	needNPM(t)
	d := startGated(t)
	for _, version := range []string{"2.1.329", "2.1.197"} {
		for way, entry := range map[string]m{
			"HTTP":  {"type": "http", "url": d.endpoint("home")},
			"stdio": {"type": "stdio", "command": bin("mcpctl"), "args": []string{"mcp", "--project", "home"}, "env": m{"MCPCTL_HOME": d.home}},
		} {
			t.Run(version+" "+way, func(t *testing.T) {
				if faults := meetGate(t, version, entry, version == "2.1.329"); len(faults) > 0 {
					t.Errorf("%s", strings.Join(faults, "\n"))
				}
			})
		}
	}
}

// TestGateCheckCanFail verifies that the same check fails for an endpoint without
// list_changed, on which the version without sessions does not depend.
func TestGateCheckCanFail(t *testing.T) {
	needNPM(t)
	d := startGated(t)
	deaf := httptestProxy(t, d.url)
	faults := meetGate(t, "2.1.197", m{"type": "http", "url": deaf + "/projects/home/mcp"}, false)
	if !slices.Contains(faults, toolsMissing) {
		t.Errorf("without list_changed the check found %q", faults)
	}
}

// handlePattern finds the handle of a conversation in a request of the client to its model.
var handlePattern = regexp.MustCompile(`_session[\\\\":]+([a-z0-9]+)`)

const toolsMissing = "the real tools are not there in the turn after begin_session"

// meetGate plays one session and returns the violations.
func meetGate(t *testing.T, version string, entry m, isStateless bool) (faults []string) {
	t.Helper()
	api := newFakeAPI(t,
		turn{tool: "mcp__home__begin_session", input: func(string) m { return m{"tags": []string{"zigbee", "lights", "pairing", "mqtt", "hall"}} }},
		turn{tool: "mcp__home__demo__get_flows", input: func(seen string) m {
			if handle := handlePattern.FindStringSubmatch(seen); handle != nil {
				return m{"_session": handle[1]}
			}
			return m{}
		}},
		turn{tool: "mcp__home__read_section", input: func(seen string) m { return m{"ref": refIn(seen), "section": "7d02ea3c.419f5c"} }},
		turn{text: "done"})
	out := claude(t, version, api.URL, entry)
	bad := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }

	first := api.request(t, 0)
	if shown := strings.Contains(first, "mcp__home__demo__") || strings.Contains(first, "mcp__home__read_section"); shown != isStateless {
		bad("with a closed gate the model gets other tools: %v, want %v", shown, isStateless)
	}
	if !strings.Contains(first, "mcp__home__begin_session") || !strings.Contains(first, "with 5 keywords") {
		bad("the instructions do not mention begin_session: %.300s", out)
	}
	briefing := api.lastResult(t, 1)
	if !strings.Contains(briefing, mustRule) || !strings.Contains(briefing, taskRule) || strings.Contains(briefing, farRule) {
		bad("the briefing is %.900q", briefing)
	}
	if strings.Contains(briefing, `"_session":"`) != isStateless {
		bad("the briefing has a handle or not: %.900q", briefing)
	}
	if !strings.Contains(api.request(t, 1), "mcp__home__demo__get_flows") {
		faults = append(faults, toolsMissing)
		return faults
	}
	if index := api.lastResult(t, 2); !strings.Contains(index, "[@z=7805686.aa4fd98]") || strings.Contains(index, mustRule) {
		bad("the first real call is answered by %.600q", index)
	}
	if leaf := api.lastResult(t, 3); !strings.Contains(leaf, "7d02ea3c.419f5c") || strings.Contains(leaf, "not found") {
		bad("the section is %.600q", leaf)
	}
	return faults
}

// request returns the body of request i.
func (f *fakeAPI) request(t *testing.T, i int) string {
	t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	if i >= len(f.seen) {
		t.Fatalf("the client sent %d requests with tools, want %d", len(f.seen), i+1)
	}
	return string(f.seen[i])
}

// TestGateInterceptsOtherClients calls a tool of a gated project with the TypeScript SDK: the
// client gets the briefing with the real result, and the gate is open afterwards.
func TestGateInterceptsOtherClients(t *testing.T) {
	needNPM(t)
	d := startGated(t)
	p := play(t, m{"url": d.endpoint("home")}, nil, []step{
		{Method: "tools/list"},
		call("demo__get_flows", m{"topic": "zigbee"}),
		{Method: "tools/list"},
		call("demo__get_flows", m{}),
		call("read_prompts", m{"tags": []string{"invoices"}}),
		call("read_prompts", m{"tags": []string{"invoices"}}),
	})
	if got := toolNames(p.Results[0].Result); !slices.Equal(got, []string{"begin_session"}) {
		t.Errorf("with a closed gate %q are listed", got)
	}
	first := texts(p.Results[1].Result)
	if len(first) != 2 || !strings.Contains(first[0], mustRule) || !strings.Contains(first[0], taskRule) || !strings.Contains(first[1], "[@z=7805686.aa4fd98]") {
		t.Errorf("the call with a closed gate is answered by %d texts: %.900q", len(first), first)
	}
	open := toolNames(p.Results[2].Result)
	for _, want := range []string{"demo__get_flows", "read_prompts", "propose_prompt", "read_section"} {
		if !slices.Contains(open, want) {
			t.Errorf("with an open gate %q are listed, without %s", open, want)
		}
	}
	if slices.Contains(open, "begin_session") {
		t.Errorf("begin_session is still listed: %q", open)
	}
	if second := texts(p.Results[3].Result); len(second) != 1 || strings.Contains(second[0], mustRule) {
		t.Errorf("the second call is answered by %.600q", second)
	}
	asked, again := strings.Join(texts(p.Results[4].Result), "\n"), strings.Join(texts(p.Results[5].Result), "\n")
	if !strings.Contains(asked, farRule) || strings.Contains(again, farRule) {
		t.Errorf("read_prompts answers %.600q and then %.600q", asked, again)
	}
}

func toolNames(result any) (names []string) {
	list, _ := result.(m)["tools"].([]any)
	for _, tool := range list {
		names = append(names, tool.(m)["name"].(string))
	}
	return names
}

func texts(result any) (all []string) {
	r, _ := result.(m)
	list, _ := r["content"].([]any)
	for _, block := range list {
		if text, ok := block.(m)["text"].(string); ok {
			all = append(all, text)
		}
	}
	return all
}

// httptestProxy runs a proxy of a daemon that drops each list_changed.
func httptestProxy(t *testing.T, to string) string {
	t.Helper()
	target, err := url.Parse(to)
	if err != nil {
		t.Fatal(err)
	}
	p := httputil.NewSingleHostReverseProxy(target)
	p.FlushInterval = -1
	p.ModifyResponse = func(r *http.Response) error {
		if strings.HasPrefix(r.Header.Get("Content-Type"), "text/event-stream") {
			r.Body = &forgetful{r.Body}
		}
		return nil
	}
	addr := freeAddr(t)
	s := &http.Server{Addr: addr, Handler: p}
	go s.ListenAndServe()
	t.Cleanup(func() { s.Close() })
	waitFor(t, addr)
	return "http://" + addr
}

// forgetful reads an event stream and misspells list_changed, so that clients ignore it. Each
// Read returns one whole event.
type forgetful struct{ io.ReadCloser }

func (f *forgetful) Read(p []byte) (int, error) {
	n, err := f.ReadCloser.Read(p)
	copy(p[:n], strings.ReplaceAll(string(p[:n]), "tools/list_changed", "tools/list_ignored"))
	return n, err
}
