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

	"github.com/mcpctl/mcpctl/bench/internal/rig"
)

// server is an HTTP server on loopback in a separate process, like a real MCP server, so
// that each address has the same number of context switches.
type server struct {
	url string
	cmd *exec.Cmd
}

// spawn starts this program as one of the servers below.
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
	_ = s.cmd.Process.Kill() // it may have already ended
	_ = s.cmd.Wait()
}

// serve prints its address and serves h until the process is killed.
func serve(h http.Handler) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println("http://" + l.Addr().String())
	return http.Serve(l, h)
}

// serveUpstream runs an MCP server. Its tool "text" returns n bytes of prose, and its tool
// "flows" a real JSON document of 115 KB.
func serveUpstream() error {
	doc, err := os.ReadFile("testdata/content/ja-flows-atltvhead.json")
	if err != nil {
		return err
	}
	flows, texts := rig.Text(string(doc)), map[int][]byte{}
	for _, n := range sizes {
		texts[n] = rig.Text(prose(n))
	}
	return serve(rig.Upstream{
		Tools: []string{"text", "flows"},
		Result: func(tool string, args json.RawMessage) ([]byte, error) {
			if tool == "flows" {
				return flows, nil
			}
			var want struct{ N int }
			err := json.Unmarshal(args, &want)
			return texts[want.N], err
		},
	})
}

// sizes are the measured sizes of results, in bytes of text.
var sizes = []int{1 << 10, 128 << 10}

func prose(n int) string {
	const sentence = "The quick brown fox says \"jump\" to the lazy dog;\nnobody moves, and 7 of 9 lines later it ends.\n"
	return strings.Repeat(sentence, n/len(sentence)+1)[:n]
}

// serveRelay runs a plain relay that forwards requests and copies the answers. It is the
// minimum cost of an HTTP hop.
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
		_, _ = io.Copy(w, resp.Body) // the client may have disconnected
	}))
}
