package upstream

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/host/jsonrpc"
)

// benchServer answers tools/call with a text of n bytes, as JSON or as a stream.
func benchServer(b *testing.B, n int, sse bool) *httptest.Server {
	b.Helper()
	result := `"result":{"content":[{"type":"text","text":"` + strings.Repeat(`a line of a text\n`, n/18) + `"}]}}`
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		m, err := jsonrpc.DecodeUpstream(body, jsonrpc.Limits{})
		switch {
		case r.Method == http.MethodGet:
			w.WriteHeader(http.StatusMethodNotAllowed)
		case err != nil, !m.IsRequest():
			w.WriteHeader(http.StatusAccepted)
		case m.Method == "initialize":
			w.Header().Set("Content-Type", "application/json")
			_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{}}}`, m.ID)
		case sse:
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = fmt.Fprintf(w, "event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":%s,%s\n\n", m.ID, result)
			_ = http.NewResponseController(w).Flush() // as SDKs do: the end comes in a packet of its own
		default:
			answer := append(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,`, m.ID), result...)
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Content-Length", fmt.Sprint(len(answer)))
			_, _ = w.Write(answer)
		}
	}))
	b.Cleanup(s.Close)
	return s
}

// BenchmarkStdio is a call to a process that answers at once, with its params.
func BenchmarkStdio(b *testing.B) {
	exe, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	c, err := Start(b.Context(), Config{Name: "bench", Command: []string{exe}, Env: map[string]Secret{fakeVar: NewSecret("")}}, nil)
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close()
	for _, n := range []int{1 << 10, 128 << 10} {
		b.Run(fmt.Sprintf("%dKB", n>>10), func(b *testing.B) {
			params := []byte(`{"name":"echo","text":"` + strings.Repeat("x", n) + `"}`)
			b.ReportAllocs()
			for b.Loop() {
				if reply, err := c.Call(b.Context(), "tools/call", params, nil); err != nil || reply.Result == nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkHTTP compares a call with the same request made by net/http alone,
// its answer read and thrown away.
func BenchmarkHTTP(b *testing.B) {
	params := []byte(`{"name":"read_file","arguments":{"path":"/srv/data/notes.md"},"_meta":{"claudecode/toolUseId":"toolu_1"}}`)
	for _, size := range []struct {
		name string
		n    int
	}{{"1KB", 1 << 10}, {"128KB", 128 << 10}} {
		for _, kind := range []string{"json", "sse"} {
			s := benchServer(b, size.n, kind == "sse")
			b.Run(size.name+"/"+kind+"/bare", func(b *testing.B) {
				body := jsonrpc.Message{ID: jsonrpc.NumberID(1), Method: "tools/call", Params: params}.Append(nil)
				client := &http.Client{Transport: newTransport()}
				b.ReportAllocs()
				for b.Loop() {
					resp, err := client.Post(s.URL, "application/json", bytes.NewReader(body))
					if err != nil {
						b.Fatal(err)
					}
					if _, err := io.Copy(io.Discard, resp.Body); err != nil {
						b.Fatal(err)
					}
					_ = resp.Body.Close()
				}
			})
			b.Run(size.name+"/"+kind+"/call", func(b *testing.B) {
				c, err := Start(b.Context(), Config{Name: "bench", URL: s.URL}, nil)
				if err != nil {
					b.Fatal(err)
				}
				defer c.Close()
				b.ReportAllocs()
				for b.Loop() {
					if reply, err := c.Call(b.Context(), "tools/call", params, nil); err != nil || reply.Result == nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
