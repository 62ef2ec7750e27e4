//go:build e2e

package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const pageProject = `kind: Server
metadata: {name: demo}
spec: {command: [%q, demo-server]}
---
kind: Project
metadata: {name: home}
spec: {servers: [demo], proxyModel: subindex, gated: false}
`

// TestPage drives the page in headless Chromium: with fixed data, with the traffic of a real
// client, and as an exported file. The screenshots are in .cache/e2e/page.
func TestPage(t *testing.T) {
	needNPM(t)
	d := startDaemonWithToken(t)
	d.mcpctl(fmt.Sprintf(pageProject, bin("mcpctl")), "apply", "-f", "-")

	t.Run("fixed data", func(t *testing.T) { drivePage(t, "fixed", d.pageURL()) })

	c := openMCP(t, d, "home")
	guide := c.call("tools/call", m{"name": "demo__read_guide", "arguments": m{}})
	c.call("tools/call", m{"name": "read_section", "arguments": m{"ref": refOf(guide), "section": "gson-user-guide/goals-for-gson"}})

	t.Run("exported file", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "session.html")
		d.mcpctl("", "export", "-o", file)
		drivePage(t, "file", "file://"+file)
	})
	t.Run("real traffic", func(t *testing.T) {
		for range 9900 { // the daemon keeps 10,000 events
			c.call("tools/list", m{})
		}
		c.call("tools/call", m{"name": "demo__read_guide", "arguments": m{}})
		d.onSocket(t, http.MethodPut, "/api/v1/projects/home/hold", `{"all":true}`)
		answered := make(chan struct{})
		go func() {
			defer close(answered)
			c.call("tools/call", m{"name": "demo__get_flows", "arguments": m{}})
		}()
		drivePage(t, "live", d.pageURL())
		<-answered
	})
}

// drivePage runs the script of the page and fails for each failure that it reports.
func drivePage(t *testing.T, mode, address string) {
	t.Helper()
	browser, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("no chromium here")
	}
	input, err := json.Marshal(m{"url": address, "chromium": browser, "out": cache("page", mode), "mode": mode})
	if err != nil {
		t.Fatal(err)
	}
	out, err := run(t, 5*time.Minute, os.Environ(), cache(), node(), cache("page.mjs"), string(input))
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Results  m
		Failures []string
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatalf("%v: %q", err, out)
	}
	t.Logf("%v", got.Results)
	for _, f := range got.Failures {
		t.Error(f)
	}
}

// pageURL returns an address of the page with a new ticket.
func (d *daemon) pageURL() string { return strings.TrimSpace(d.mcpctl("", "ui", "--no-open")) }

// onSocket sends a request to the management API.
func (d *daemon) onSocket(t *testing.T, method, path, body string) {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", filepath.Join(d.home, "run", "mcplocal.sock"))
	}}}
	req, err := http.NewRequest(method, "http://localhost"+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := client.Do(req)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%s %s: %v, %v", method, path, resp, err)
	}
	resp.Body.Close()
}

// mcpClient is a minimal client over HTTP, whose session stays open between calls.
type mcpClient struct {
	t                        *testing.T
	endpoint, token, session string
	id                       int
}

func openMCP(t *testing.T, d *daemon, project string) *mcpClient {
	c := &mcpClient{t: t, endpoint: d.endpoint(project), token: strings.TrimSpace(readFile(t, filepath.Join(d.home, "token")))}
	c.call("initialize", m{"protocolVersion": "2025-11-25", "capabilities": m{}, "clientInfo": m{"name": "e2e", "version": "1"}})
	return c
}

// call sends a request and returns its result.
func (c *mcpClient) call(method string, params m) m {
	c.id++
	body, err := json.Marshal(m{"jsonrpc": "2.0", "id": c.id, "method": method, "params": params})
	if err != nil {
		c.t.Error(err)
		return nil
	}
	req, err := http.NewRequest(http.MethodPost, c.endpoint, bytes.NewReader(body))
	if err != nil {
		c.t.Error(err)
		return nil
	}
	for name, value := range map[string]string{"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "Authorization": "Bearer " + c.token, "Mcp-Session-Id": c.session} {
		if value != "" {
			req.Header.Set(name, value)
		}
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		c.t.Error(err)
		return nil
	}
	defer resp.Body.Close()
	if id := resp.Header.Get("Mcp-Session-Id"); id != "" {
		c.session = id
	}
	text, err := io.ReadAll(resp.Body)
	if at := bytes.LastIndex(text, []byte("data: {")); at >= 0 {
		text = text[at+len("data: "):]
	}
	var answer struct{ Result m }
	if err != nil || json.Unmarshal(text, &answer) != nil || answer.Result == nil {
		c.t.Errorf("%s: %v, %s", method, err, text)
	}
	return answer.Result
}

func refOf(result m) any {
	meta, _ := result["_meta"].(m)
	return meta["mcpctl/ref"]
}
