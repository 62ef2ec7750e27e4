package proxy

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/jsonrpc"
	"github.com/mcpctl/mcpctl/host/jsonspan"
	"github.com/mcpctl/mcpctl/host/proxy/proxytest"
	"github.com/mcpctl/mcpctl/host/proxy/view"
	"github.com/mcpctl/mcpctl/host/stateless"
	"github.com/mcpctl/mcpctl/host/upstream"
)

// textServer is a server that uses only the standard library and answers every call
// with n bytes of text.
func textServer(b *testing.B, n int) string {
	text := jsonspan.AppendQuote(nil, []byte(strings.Repeat("a line of \"text\" that is quoted\n", n/32)))
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		m, err := jsonrpc.DecodeUpstream(body, jsonrpc.Limits{})
		switch {
		case err != nil || r.Method != "POST":
			http.Error(w, "", http.StatusMethodNotAllowed)
			return
		case !m.IsRequest():
			w.WriteHeader(http.StatusAccepted)
			return
		}
		answer := jsonrpc.Message{ID: m.ID}
		switch m.Method {
		case "initialize":
			answer.Result = []byte(`{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}`)
		case "tools/list":
			answer.Result = []byte(`{"tools":[{"name":"get"}]}`)
		default:
			answer.Result = append(append([]byte(`{"content":[{"type":"text","text":`), text...), `}]}`...)
		}
		out := answer.Append(nil)
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", fmt.Sprint(len(out)))
		w.Write(out)
	}))
	b.Cleanup(web.Close)
	return web.URL
}

// BenchmarkCall compares a direct call with the same call through an Endpoint, both over
// TCP on the loopback. The ratio is the measured figure.
func BenchmarkCall(b *testing.B) {
	for _, size := range []int{1 << 10, 128 << 10} {
		direct := textServer(b, size)
		r := benchRig(b, realUpstreams{"s": upstream.Config{URL: direct}}, Model{})
		web := httptest.NewServer(r.Endpoint)
		b.Cleanup(web.Close)
		through := web.URL + "/projects/" + testProject + "/mcp"
		for _, way := range []struct{ name, url string }{{"direct", direct}, {"through", through}} {
			b.Run(fmt.Sprintf("%dKB/%s", size>>10, way.name), func(b *testing.B) {
				session := openSession(b, way.url)
				b.ReportAllocs()
				for b.Loop() {
					benchOne(b, way.url, session)
				}
			})
			b.Run(fmt.Sprintf("%dKB/%s/8", size>>10, way.name), func(b *testing.B) {
				b.SetParallelism(4)
				b.RunParallel(func(pb *testing.PB) {
					session := openSession(b, way.url)
					for pb.Next() {
						benchOne(b, way.url, session)
					}
				})
			})
		}
	}
}

// BenchmarkHandle measures the proxy's own part of a call, without a network.
func BenchmarkHandle(b *testing.B) {
	for _, size := range []int{1 << 10, 128 << 10} {
		result := append(jsonspan.AppendQuote([]byte(`{"content":[{"type":"text","text":`), bytes.Repeat([]byte("a line of \"text\" that is quoted\n"), size/32)), `}]}`...)
		server := scriptedServer(map[string]string{"tools/list": `{"tools":[{"name":"get"}]}`, "tools/call": string(result)})
		for name, m := range map[string]Model{"idle": {}, "looked at": {Runs: true}} {
			r := benchRig(b, fakeUpstreams{"s": server}, m)
			b.Run(fmt.Sprintf("%dKB/%s", size>>10, name), func(b *testing.B) {
				body := []byte(benchCall)
				w := httptest.NewRecorder()
				init := httptest.NewRequest("POST", "http://localhost/projects/home/mcp", strings.NewReader(hello))
				init.Header.Set("Content-Type", "application/json")
				r.ServeHTTP(w, init)
				req := httptest.NewRequest("POST", "http://localhost/projects/home/mcp", nil)
				req.Header.Set("Content-Type", "application/json")
				req.Header.Set("Mcp-Session-Id", w.Header().Get("Mcp-Session-Id"))
				req.ContentLength = int64(len(body))
				b.ReportAllocs()
				for b.Loop() {
					req.Body = io.NopCloser(bytes.NewReader(body))
					out := &discard{header: make(http.Header)}
					r.ServeHTTP(out, req)
					if out.n < size {
						b.Fatalf("%d bytes", out.n)
					}
				}
			})
		}
	}
}

// BenchmarkHandleStateless is BenchmarkHandle in the version without sessions.
func BenchmarkHandleStateless(b *testing.B) {
	const size = 1 << 10
	result := append(jsonspan.AppendQuote([]byte(`{"content":[{"type":"text","text":`), bytes.Repeat([]byte("a line of \"text\" that is quoted\n"), size/32)), `}]}`...)
	r := benchRig(b, fakeUpstreams{"s": scriptedServer(map[string]string{"tools/list": `{"tools":[{"name":"get"}]}`, "tools/call": string(result)})}, Model{})
	call, err := jsonrpc.Decode([]byte(benchCall), jsonrpc.Limits{})
	if err != nil {
		b.Fatal(err)
	}
	call.Params = stateless.Client{Info: describing.Info, Capabilities: []byte(`{}`)}.Describe(call.Params)
	body := call.Append(nil)
	req := httptest.NewRequest("POST", "http://localhost/projects/home/mcp", nil)
	req.Header.Set("Content-Type", "application/json")
	stateless.SetHeaders(req.Header, stateless.Version, call.Method, call.Params)
	req.ContentLength = int64(len(body))
	b.ReportAllocs()
	for b.Loop() {
		req.Body = io.NopCloser(bytes.NewReader(body))
		out := &discard{header: make(http.Header)}
		r.ServeHTTP(out, req)
		if out.n < size {
			b.Fatalf("%d bytes", out.n)
		}
	}
}

const benchCall = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"s__get","arguments":{"path":"/srv/data/file.txt","limit":100},"_meta":{"progressToken":4,"claudecode/toolUseId":"toolu_01"}}}`

type discard struct {
	header http.Header
	n      int
}

func (d *discard) Header() http.Header         { return d.header }
func (d *discard) WriteHeader(int)             {}
func (d *discard) Write(b []byte) (int, error) { d.n += len(b); return len(b), nil }

func benchRig(b *testing.B, ups Upstreams, m Model) *rig {
	p := &Project{Name: testProject, Servers: []Server{{Name: "s"}}, Models: testModels{"*": m}}
	r := &rig{pipeline: &proxytest.Pipeline{}}
	r.Endpoint = Open(Parts{Projects: &testProjects{known: map[string]*Project{p.Name: p}}, Upstreams: ups, Transformer: idlePipeline{}, Reader: r.pipeline, Events: noEvents{}}, Options{})
	b.Cleanup(r.Endpoint.Close)
	return r
}

// benchClient keeps its connections.
var benchClient = &http.Client{Transport: &http.Transport{DialContext: (&net.Dialer{}).DialContext, MaxIdleConnsPerHost: 64, DisableCompression: true}}

func openSession(b *testing.B, url string) string {
	res, err := benchClient.Post(url, "application/json", strings.NewReader(hello))
	if err != nil {
		b.Fatal(err)
	}
	io.Copy(io.Discard, res.Body)
	res.Body.Close()
	return res.Header.Get("Mcp-Session-Id")
}

func benchOne(b *testing.B, url, session string) {
	req, _ := http.NewRequest("POST", url, strings.NewReader(benchCall))
	req.Header["Content-Type"] = []string{"application/json"}
	req.Header["Accept"] = []string{"application/json, text/event-stream"}
	if session != "" {
		req.Header["Mcp-Session-Id"] = []string{session}
	}
	res, err := benchClient.Do(req)
	if err != nil {
		b.Error(err)
		return
	}
	n, _ := io.Copy(io.Discard, res.Body)
	res.Body.Close()
	if res.StatusCode != http.StatusOK || n < 1024 {
		b.Errorf("status %d, %d bytes", res.StatusCode, n)
	}
}

// idlePipeline changes nothing.
type idlePipeline struct{ view.Transformer }

func (idlePipeline) Filter(context.Context, flow.Scope, flow.Content) (flow.Shown, error) {
	return flow.Shown{}, nil
}
func (idlePipeline) Transform(context.Context, flow.Scope, flow.Content) (flow.Shown, error) {
	return flow.Shown{}, nil
}

type noEvents struct{}

func (noEvents) Add(Event) {}

func (noEvents) AddSession(SessionInfo, string) {}
