package api

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
)

// memory is a Service that stores objects in a map and returns the errors of the real one.
type memory struct {
	Service
	objects map[string]Object
	applied []ApplyRequest
}

func (m *memory) Status(context.Context) (Status, error) {
	return Status{Running: true, Version: "1.2.3", Mcpd: "not configured"}, nil
}

func (m *memory) Original(_ context.Context, project, ref string) (Original, error) {
	return Original{Text: "of " + project + ": " + ref}, nil
}

func (m *memory) Objects(_ context.Context, kind, project string) ([]Object, error) {
	var list []Object
	for _, o := range m.objects {
		if o.Kind == kind && (project == "" || o.Project == project) {
			list = append(list, o)
		}
	}
	return list, nil
}

func (m *memory) Object(_ context.Context, kind, _, name string) (Object, error) {
	if o, ok := m.objects[kind+"/"+name]; ok {
		return o, nil
	}
	return Object{}, problem.New(abi.ErrNotFound, "%s %q not found", kind, name).WithHint("mcpctl get %ss", kind)
}

func (m *memory) Delete(context.Context, string, string, string, bool) error {
	return problem.New(abi.ErrDenied, "built-in")
}

func (m *memory) Apply(_ context.Context, req ApplyRequest) ([]Applied, error) {
	m.applied = append(m.applied, req)
	return []Applied{{Kind: "server", Name: "files", Action: "created"}}, nil
}

func (m *memory) CacheClear(_ context.Context, project string) (int, error) { return len(project), nil }

func daemon(t *testing.T, s Service) *Client {
	t.Helper()
	socket := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewUnstartedServer(Handler(s))
	srv.Listener = l
	srv.Start()
	t.Cleanup(srv.Close)
	return NewClient(socket)
}

func TestClientForwardsCalls(t *testing.T) {
	want := Object{Kind: "server", Name: "a+b", Source: "local", Manifest: []byte(`{"kind":"Server"}`)}
	m := &memory{objects: map[string]Object{"server/a+b": want}}
	c := daemon(t, m)
	ctx := t.Context()

	if s, err := c.Status(ctx); err != nil || s.Version != "1.2.3" {
		t.Errorf("Status = %+v, %v", s, err)
	}
	if got, err := c.Object(ctx, "server", "", "a+b"); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("Object = %+v, %v", got, err)
	}
	if got, err := c.Objects(ctx, "server", ""); err != nil || len(got) != 1 {
		t.Errorf("Objects = %+v, %v", got, err)
	}
	if _, err := c.Apply(ctx, ApplyRequest{File: "x.yaml", YAML: "kind: Server"}); err != nil || m.applied[0].File != "x.yaml" {
		t.Errorf("Apply arrived as %+v, %v", m.applied, err)
	}
	if o, err := c.Original(ctx, "home", "a/b"); err != nil || o.Text != "of home: a/b" {
		t.Errorf("Original = %+v, %v", o, err)
	}
	if n, err := c.CacheClear(ctx, "home"); err != nil || n != 4 {
		t.Errorf("CacheClear = %d, %v", n, err)
	}
}

func TestErrorsKeepTheirKindAndHint(t *testing.T) {
	c := daemon(t, &memory{})
	_, err := c.Object(t.Context(), "server", "", "nope")
	if !errors.Is(err, abi.ErrNotFound) {
		t.Errorf("err = %v, want a not-found", err)
	}
	if hint := problem.From(err).Hint; hint != "mcpctl get servers" {
		t.Errorf("hint = %q", hint)
	}
	if err := c.Delete(t.Context(), "server", "", "x", false); problem.Exit(err) != problem.ExitDenied {
		t.Errorf("delete: %v", err)
	}
}

// A failed call is answered as defined by RFC 9457, with the parts of the problem as a member.
func TestFailedCallIsAnsweredAsProblem(t *testing.T) {
	rec := httptest.NewRecorder()
	Handler(&memory{}).ServeHTTP(rec, httptest.NewRequest("GET", "/api/v1/servers/nope", nil))
	const want = `{"type":"about:blank","title":"Not Found","status":404,"detail":"server \"nope\" not found",` +
		`"error":{"code":"E_NOT_FOUND","message":"server \"nope\" not found","hint":"mcpctl get servers"}}` + "\n"
	if got := rec.Body.String(); got != want {
		t.Errorf("body %s\nwant %s", got, want)
	}
	if got := rec.Header().Get("Content-Type"); got != "application/problem+json" {
		t.Errorf("content type %q", got)
	}
}

func TestErrorWithoutDaemonHasStartHint(t *testing.T) {
	_, err := NewClient(filepath.Join(t.TempDir(), "none")).Status(t.Context())
	if problem.Exit(err) != problem.ExitUnreachable || problem.From(err).Hint != "mcpctl daemon start" {
		t.Errorf("err = %+v", err)
	}
}

func TestFollowReturnsEventsUntilDaemonEnds(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if got := r.URL.RequestURI(); got != "/healthz" && got != "/inspect?project=a%26b" {
			t.Errorf("request for %s", got)
		}
		_, _ = io.WriteString(w, "id: 1\nevent: tool_call\ndata: {\"id\":1,\"type\":\"tool_call\",\"more\":[1]}\n\n: keep-alive\n\nid: 2\ndata: {\"id\":2}\n\n")
	}))
	srv.Listener = l
	srv.Start()
	t.Cleanup(srv.Close)
	var ids []uint64
	err = NewClient(socket).Follow(t.Context(), EventQuery{Project: "a&b"}, func(e Event) error {
		ids = append(ids, e.ID)
		if e.ID == 1 && !strings.Contains(string(e.Raw), `"more":[1]`) {
			t.Errorf("the record is cut to %s", e.Raw)
		}
		return nil
	})
	if problem.Exit(err) != problem.ExitUnreachable || !reflect.DeepEqual(ids, []uint64{1, 2}) {
		t.Errorf("got events %v, error %v", ids, err)
	}
}

func TestHandlerRejectsInvalidRequests(t *testing.T) {
	m := &memory{}
	h := Handler(m)
	for _, tc := range []struct {
		name, method, path, contentType, body string
		status                                int
	}{
		{"form", "POST", "/api/v1/apply", "application/x-www-form-urlencoded", "yaml=x", 400},
		{"text", "POST", "/api/v1/apply", "text/plain", `{"file":"x","yaml":"y"}`, 400},
		{"no type", "POST", "/api/v1/reload", "", "", 400},
		{"unknown field", "POST", "/api/v1/apply", "application/json", `{"fiel":"x"}`, 400},
		{"two values", "POST", "/api/v1/apply", "application/json", `{}{}`, 400},
		{"too large", "POST", "/api/v1/apply", "application/json", `{"yaml":"` + strings.Repeat("x", maxBody) + `"}`, 413},
		{"unknown kind", "GET", "/api/v1/gadgets", "", "", 404},
		{"unknown call", "PUT", "/api/v1/servers/x", "", "", 404},
	} {
		t.Run(tc.name, func(t *testing.T) {
			req := httptest.NewRequest(tc.method, tc.path, strings.NewReader(tc.body))
			req.Header.Set("Content-Type", tc.contentType)
			rec := httptest.NewRecorder()
			h.ServeHTTP(rec, req)
			if rec.Code != tc.status {
				t.Errorf("status %d, want %d: %s", rec.Code, tc.status, rec.Body)
			}
		})
	}
	if len(m.applied) != 0 {
		t.Errorf("a rejected request was applied: %+v", m.applied)
	}
}

// Event.Error is the error of the event, or else that of a stage or controller.
func TestEventErrorIncludesHiddenErrors(t *testing.T) {
	for _, tc := range []struct{ name, event, want string }{
		{"error of the call", `{"type":"tool_call","error":"shown","runs":[{"stages":[{"outcome":"failed","error":"hidden"}]}]}`, "shown"},
		{"failed stage", `{"type":"tool_call","runs":[{"stages":[{"outcome":"done"},{"outcome":"failed","error":"hidden"}]}]}`, "hidden"},
		{"failed controller", `{"type":"tool_call","hooks":[{"outcome":"pass"},{"outcome":"failed","error":"hidden"}]}`, "hidden"},
		{"passing stage with a message", `{"type":"tool_call","runs":[{"stages":[{"outcome":"pass","error":"no LLM provider configured"}]}]}`, ""},
		{"disabled stage", `{"type":"stage_failed","change":{"name":"x","reason":"3 failures"}}`, "x: 3 failures"},
		{"reloaded stage", `{"type":"stage_reloaded","change":{"name":"x","from":"a","to":"b"}}`, ""},
		{"ended session", `{"type":"session_closed","change":{"reason":"idle"}}`, ""},
	} {
		var e Event
		if err := json.Unmarshal([]byte(tc.event), &e); err != nil || e.Error != tc.want {
			t.Errorf("%s: %q, %v; want %q", tc.name, e.Error, err, tc.want)
		}
		if b, err := json.Marshal(e); err != nil || string(b) != tc.event {
			t.Errorf("%s: the record is changed: %s, %v", tc.name, b, err)
		}
	}
}
