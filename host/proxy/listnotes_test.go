package proxy

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/mcpctl/mcpctl/host/flow"
)

// Clients that validate a list reject it as a whole for one invalid tool, and with it the
// tools of all other servers.
func TestInvalidInputSchemaIsReplaced(t *testing.T) {
	for name, tc := range map[string]struct{ tool, listed string }{
		"null":   {`{"name":"t","inputSchema":null,"x":1}`, `{"name":"s__t","inputSchema":{"type":"object"},"x":1}`},
		"string": {`{"inputSchema":"x","name":"t"}`, `{"inputSchema":{"type":"object"},"name":"s__t"}`},
		"array":  {`{"name":"t","inputSchema": [1] }`, `{"name":"s__t","inputSchema": {"type":"object"} }`},
		"object": {`{"name":"t","inputSchema":{"$ref":"#"}}`, `{"name":"s__t","inputSchema":{"$ref":"#"}}`},
		"absent": {`{"name":"t"}`, `{"name":"s__t"}`},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, fakeUpstreams{"s": scriptedServer(map[string]string{"tools/list": `{"tools":[` + tc.tool + `]}`})}, Project{Servers: []Server{{Name: "s"}}}, Options{})
			if got := at(r.open(t, "").ask("tools/list", `{}`), "/result/tools/0"); got != tc.listed {
				t.Errorf("listed as\n%s, want\n%s", got, tc.listed)
			}
		})
	}
}

// The reason why a client got no tools is still available after its session.
func TestToolsFaultOutlivesSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		broken, mute := Server{Name: "broken"}, Server{Name: "mute"}
		ups := fakeUpstreams{"broken": scriptedServer(map[string]string{"tools/list": `{"tools":"x"}`}), "mute": scriptedServer(map[string]string{"tools/list": "{}"})}
		r := newRig(t, ups, Project{Servers: []Server{broken, mute}}, Options{})
		ups["mute"].setAnswer(func(ctx context.Context, _ fakeCall) flow.Reply { <-ctx.Done(); return flow.Reply{} })
		fault := func(s Server, want string) {
			t.Helper()
			if err := r.ToolsFault("", s); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
				t.Errorf("server %q: fault %v, want %q", s.Name, err, want)
			}
		}
		fault(broken, "")
		wantTools(t, r.open(t, ""), "")
		fault(broken, `tools/list: "tools" is of kind string, want array`)
		fault(mute, "no answer to tools/list yet")

		ups["broken"].setAnswer(scriptedServer(map[string]string{"tools/list": `{"tools":[{"name":"t"}]}`}).answer)
		wantTools(t, r.open(t, ""), "broken__t")
		fault(broken, "")
	})
}

// For a tool of an unavailable server, a similar tool of another server is no suggestion.
func TestNoSuggestionFromAnotherServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ups := fakeUpstreams{"dead": scriptedServer(nil), "alive": listingServer(&[]string{"echo"})}
		ups["dead"].up = make(chan struct{})
		c := newRig(t, ups, Project{Servers: []Server{{Name: "dead"}, {Name: "alive"}}}, Options{}).open(t, "")
		for name, want := range map[string]bool{"dead__echo": false, "alike__echo": true} {
			if got := c.ask("tools/call", `{"name":"`+name+`"}`); strings.Contains(got, "did you mean") != want || !strings.Contains(got, "not available right now: dead") {
				t.Errorf("%s: %s", name, got)
			}
		}
	})
}

// A list that is read only in part has a note with the number of listed entries, also
// after a restart of the daemon.
func TestTruncatedListIsReported(t *testing.T) {
	page := 0
	endless := scriptedServer(nil)
	endless.caps = `{"resources":{}}`
	endless.answer = func(_ context.Context, c fakeCall) flow.Reply {
		page++
		return flow.Reply{Result: fmt.Appendf(nil, `{"resources":[{"uri":"x:%d"}],"nextCursor":"%d"}`, page, page)}
	}
	long := scriptedServer(map[string]string{"tools/list": `{"tools":[` + strings.Repeat(`{"name":"t","inputSchema":{}},`, 30) + `{"name":"u","inputSchema":{}}]}`})
	kept := &memoryLists{}
	project := Project{Servers: []Server{{Name: "endless"}, {Name: "long"}}}
	for _, daemon := range []string{"first", "second"} {
		r := newRig(t, nil, project, Options{})
		r.Endpoint.Close()
		r.Endpoint = Open(Parts{Projects: r.projects, Upstreams: fakeUpstreams{"endless": endless, "long": long}, Transformer: r.pipeline, Reader: r.pipeline, Events: r.events, Known: kept}, Options{})
		t.Cleanup(r.Endpoint.Close)
		if daemon == "first" {
			c := r.open(t, "")
			c.ask("resources/list", `{}`)
			c.ask("tools/list", `{}`)
		}
		want := []string{"its list of resources is longer than the limit of 200 pages: only the first 200 are listed"}
		if got := r.ListNotes("", Server{Name: "endless"}); !slices.Equal(got, want) {
			t.Errorf("%s daemon: notes %q", daemon, got)
		}
		if got := r.ListNotes("", Server{Name: "long"}); len(got) != 10 || !strings.Contains(got[0], "listed twice") {
			t.Errorf("%s daemon: notes of a list that was read completely: %q", daemon, got)
		}
	}
}
