package proxy

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/proxy/catalog"
)

// endlessList returns a server whose lists are endless, with pages of 1,000 bytes.
func endlessList() *fakeServer {
	var mu sync.Mutex
	n := 0
	page := func(_ context.Context, c fakeCall) flow.Reply {
		mu.Lock()
		n++
		cursor := n
		mu.Unlock()
		for k := range catalog.Kinds {
			if c.method == k.Method() {
				return flow.Reply{Result: fmt.Appendf(nil, `{"nextCursor":"%d",%q:[{"name":"t%d","uri":"u:%d","uriTemplate":"u:%d","description":%q}]}`,
					cursor, k.Array(), cursor, cursor, cursor, strings.Repeat("x", 1000))}
			}
		}
		return flow.Reply{Result: []byte(`{}`)}
	}
	return &fakeServer{caps: `{"tools":{},"prompts":{},"resources":{}}`, answer: page}
}

// A list is read up to a limit in bytes, once for all sessions that open at the same time,
// and the server's state contains the reason.
func TestListSizeIsLimited(t *testing.T) {
	const frame = 40_000
	for k := range catalog.Kinds {
		t.Run(k.Method(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := endlessList()
				r := newRig(t, fakeUpstreams{"s": server}, Project{Servers: []Server{{Name: "s"}}}, Options{MaxBody: frame})
				var all sync.WaitGroup
				for range 5 {
					c := r.open(t, "")
					all.Go(func() { c.ask(k.Method(), `{}`) })
				}
				all.Wait()
				if n := len(server.got(k.Method())); n*1000 > catalog.MaxListBytes(frame)+1000 {
					t.Errorf("%d pages of 1,000 bytes were read by five sessions, limit %d bytes", n, catalog.MaxListBytes(frame))
				}
				want := fmt.Sprintf("its list of %s is larger than %d bytes", k.Array(), catalog.MaxListBytes(frame))
				if err := r.ToolsFault("", Server{Name: "s"}); err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("the state is %v, want %q", err, want)
				}
				before := len(server.got(k.Method()))
				<-time.After(2 * time.Minute)
				r.open(t, "").ask(k.Method(), `{}`)
				if after := len(server.got(k.Method())); after == before {
					t.Error("the list is never read again")
				}
			})
		})
	}
}

// Of two tools of a server with the same name, one is served and the other is reported,
// with controllers too.
func TestDuplicateToolIsReported(t *testing.T) {
	const list = `{"tools":[{"name":"t","inputSchema":{"type":"object"},"title":"first"},{"name":"t","inputSchema":{"type":"object"},"title":"second"},{"name":"u"}]}`
	for name, controllers := range map[string]Controllers{"plain": nil, "steered": scriptedControllers("")} {
		t.Run(name, func(t *testing.T) {
			server := Server{Name: "s"}
			r := newSteeredRig(t, fakeUpstreams{"s": scriptedServer(map[string]string{"tools/list": list})}, Project{Servers: []Server{server}}, Options{}, controllers, nil)
			got := r.open(t, "").ask("tools/list", `{}`)
			if strings.Count(got, `"s__t"`) != 1 || !strings.Contains(got, "first") || strings.Contains(got, "second") {
				t.Errorf("listed: %s", got)
			}
			if !strings.Contains(got, `{"name":"s__u"}`) {
				t.Errorf("a tool without inputSchema was changed: %s", got)
			}
			notes := strings.Join(r.ListNotes("", server), "\n")
			for _, want := range []string{`tool "t" is listed twice`, `tool "u" has no inputSchema`} {
				if !strings.Contains(notes, want) {
					t.Errorf("notes are %q, want %q", notes, want)
				}
			}
		})
	}
}
