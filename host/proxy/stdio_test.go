package proxy

import (
	"context"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// One line each, in the order of the answers: what is no message is answered,
// and the next one read.
func TestStdioTakesAnyLine(t *testing.T) {
	r := plainRig(t, Options{MaxBody: 300})
	c := startStdio(t, r)
	for _, tc := range []struct{ rule, line, want string }{
		{"ping before initialize", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, `{"jsonrpc":"2.0","id":1,"result":{}}`},
		{"a request before initialize", `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`, `{"jsonrpc":"2.0","id":2,"error":{"code":-32000,"message":"no session: send initialize first"}}`},
		{"the stateless probe", `{"jsonrpc":"2.0","id":3,"method":"server/discover"}`, `{"jsonrpc":"2.0","id":3,"error":{"code":-32022,"message":"protocol version \"2026-07-28\" is not supported","data":{"supported":["2025-11-25","2025-06-18","2025-03-26"],"requested":"2026-07-28"}}}`},
		{"garbage", `garbage`, `<...>"code":-32700<...>`},
		{"too long", `{"jsonrpc":"2.0","id":4,"method":"` + strings.Repeat("x", 300) + `"}`, `{"jsonrpc":"2.0","id":4,"error":{"code":-32600,"message":"frame of 336 bytes, limit 300"}}`},
		{"initialize", hello, ""},
		{"a request", `{"jsonrpc":"2.0","id":5,"method":"ping"}` + "\r", `{"jsonrpc":"2.0","id":5,"result":{}}`},
		{"a batch", `[{"jsonrpc":"2.0","id":6,"method":"ping"}]`, `<...>"code":-32600,"message":"batches are not supported<...>`},
		{"a second initialize", hello, ""},
		{"a request to the new session", `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"s__t"}}`, `{"jsonrpc":"2.0","id":7,"result":{"content":[]}}`},
	} {
		c.t = t
		c.say(tc.line)
		if tc.want == "" {
			continue
		}
		if got := c.hear(); !fitsAll(got, tc.want) {
			t.Errorf("%s\n got %s\nwant %s", tc.rule, got, tc.want)
		}
	}
	if n := r.Sessions(""); n != 1 {
		t.Errorf("%d sessions, want 1", n)
	}
}

// fitsAll is fits with any number of gaps.
func fitsAll(got, want string) bool {
	pieces := strings.Split(want, "<...>")
	if len(pieces) == 1 {
		return got == want
	}
	for _, piece := range pieces {
		i := strings.Index(got, piece)
		if i < 0 {
			return false
		}
		got = got[i+len(piece):]
	}
	return true
}

// ServeStdio ends when its client does, or when it is told to; its session and
// connections end with it.
func TestStdioEnds(t *testing.T) {
	server := oneTool(func(ctx context.Context, _ fakeCall) string { <-ctx.Done(); return emptyResult }, "t")
	for name, end := range map[string]func(in io.Closer, stop func()){
		"by the end of its input": func(in io.Closer, _ func()) { in.Close() },
		"by its context":          func(_ io.Closer, stop func()) { stop() },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, fakeUpstreams{"s": server}, Project{Servers: []Server{{Name: "s"}}}, Options{})
				in, client := io.Pipe()
				ctx, stop := context.WithCancel(context.Background())
				defer stop()
				done := make(chan error)
				go func() { done <- r.ServeStdio(ctx, testProject, "me", in, io.Discard) }()
				io.WriteString(client, hello+"\n")
				io.WriteString(client, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"s__t"}}`+"\n")
				began := time.Now()
				end(client, stop)
				if err := <-done; err != nil {
					t.Error(err)
				}
				if took := time.Since(began); took > stdioGrace {
					t.Errorf("it went on for %v", took)
				}
				if n := r.Sessions(""); n != 0 {
					t.Errorf("%d sessions are left", n)
				}
				client.Close()
			})
		})
	}
}

func TestStdioProjectThatIsGone(t *testing.T) {
	r := plainRig(t, Options{})
	c := startStdio(t, r)
	r.projects.mu.Lock()
	delete(r.projects.known, testProject)
	r.projects.mu.Unlock()
	c.say(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	if got, want := c.hear(), `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"not found"}}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
