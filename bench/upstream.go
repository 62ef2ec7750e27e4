package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
)

// server is an HTTP server on loopback, in a process of its own: as an MCP server
// is, so that every way pays for the same switches between processes.
type server struct {
	url string
	cmd *exec.Cmd
}

// spawn runs this program again as one of the servers below.
func spawn(ctx context.Context, args ...string) (*server, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, self, args...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	url, err := bufio.NewReader(out).ReadString('\n')
	return &server{strings.TrimSpace(url), cmd}, err
}

// Close ends the process.
func (s *server) Close() {
	_ = s.cmd.Process.Kill() // it may have ended by itself
	_ = s.cmd.Wait()
}

// serve serves h and prints its address, until the process is killed.
func serve(h http.Handler) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println("http://" + l.Addr().String())
	return http.Serve(l, h)
}

// serveUpstream runs an MCP server of the standard library alone, so that what
// is measured is the way to it: tool "text" answers n bytes of prose, tool
// "flows" a real JSON document of 115 KB.
func serveUpstream() error {
	flows, err := os.ReadFile("testdata/content/ja-flows-atltvhead.json")
	if err != nil {
		return err
	}
	u := &upstream{flows: textResult(string(flows)), texts: map[int][]byte{}}
	for _, n := range sizes {
		u.texts[n] = textResult(prose(n))
	}
	return serve(u)
}

// sizes are the results that are measured, in bytes of text.
var sizes = []int{1 << 10, 128 << 10}

type upstream struct {
	flows []byte
	texts map[int][]byte
}

func (u *upstream) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	var msg struct {
		ID     json.RawMessage
		Method string
		Params struct {
			Name      string
			Arguments struct{ N int }
		}
	}
	body, err := io.ReadAll(r.Body)
	if err != nil || json.Unmarshal(body, &msg) != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	if msg.ID == nil {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	var result []byte
	switch msg.Method {
	case "initialize":
		result = []byte(`{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"bench","version":"1"}}`)
		w.Header().Set("Mcp-Session-Id", "bench")
	case "tools/list":
		result = []byte(`{"tools":[{"name":"text","inputSchema":{"type":"object"}},{"name":"flows","inputSchema":{"type":"object"}}]}`)
	case "tools/call":
		result = u.flows
		if msg.Params.Name == "text" {
			result = u.texts[msg.Params.Arguments.N]
		}
	default:
		result = []byte(`{}`)
	}
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, msg.ID, result)
}

func textResult(text string) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(map[string]any{"content": []any{map[string]string{"type": "text", "text": text}}}) // a map of strings always encodes
	return bytes.TrimSpace(b.Bytes())
}

func prose(n int) string {
	const sentence = "The quick brown fox says \"jump\" to the lazy dog;\nnobody moves, and 7 of 9 lines later it ends.\n"
	return strings.Repeat(sentence, n/len(sentence)+1)[:n]
}

// serveRelay runs a plain relay that reads a request, sends it on and copies the
// answer back: what any HTTP hop costs.
func serveRelay(target string) error {
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}
	return serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		req, err := http.NewRequest(r.Method, target, bytes.NewReader(body))
		if err != nil {
			return
		}
		req.Header = r.Header.Clone()
		resp, err := client.Do(req)
		if err != nil {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		defer resp.Body.Close()
		maps.Copy(w.Header(), resp.Header)
		w.WriteHeader(resp.StatusCode)
		_, _ = io.Copy(w, resp.Body) // the client may be gone
	}))
}
