package team

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/object"
	"github.com/mcpctl/mcpctl/host/secret"
	"github.com/mcpctl/mcpctl/host/team/teamtest"
)

// lockedBuffer is a log.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// rig is a follower of a fake mcpd.
type rig struct {
	t        *testing.T
	mcpd     *teamtest.Mcpd
	token    string
	follower *Follower
	log      lockedBuffer
	cache    string
	end      context.CancelFunc
	ended    chan struct{}
}

func newRig(t *testing.T) *rig {
	t.Helper()
	r := &rig{t: t, mcpd: teamtest.Start(), cache: filepath.Join(t.TempDir(), "team.json")}
	t.Cleanup(r.mcpd.Close)
	r.token = r.mcpd.AddUser("anna", "pw")
	r.start(Options{})
	t.Cleanup(func() {
		r.stop()
		if strings.Contains(r.log.String(), r.token) {
			t.Errorf("the log contains the token: %s", r.log.String())
		}
		if text := fmt.Sprintf("%+v %#v", r.follower.State(), r.follower.Settings()); strings.Contains(text, r.token) {
			t.Errorf("the state contains the token: %s", text)
		}
		if b, _ := os.ReadFile(r.cache); strings.Contains(string(b), r.token) {
			t.Errorf("the file contains the token")
		}
	})
	return r
}

// start runs a new follower.
func (r *rig) start(o Options) {
	o.Cache, o.Log = r.cache, slog.New(slog.NewTextHandler(&r.log, nil))
	if o.Pause == nil {
		o.Pause = pauseBriefly
	}
	r.follower = New(o)
	ctx, end := context.WithCancel(r.t.Context())
	r.end, r.ended = end, make(chan struct{})
	f, ended := r.follower, r.ended
	go func() {
		f.Run(ctx)
		close(ended)
	}()
}

// pauseBriefly is a pause that no test waits long for.
func pauseBriefly(ctx context.Context, _ time.Duration) { pause(ctx, 10*time.Millisecond) }

func (r *rig) stop() {
	r.end()
	<-r.ended
}

func (r *rig) logIn() { r.follower.Configure(r.settings()) }

func (r *rig) settings() Settings {
	return Settings{URL: r.mcpd.URL, Login: Login{URL: r.mcpd.URL, User: "anna", Token: secret.New(r.token)}}
}

// goAway lets mcpd answer 503 until the faults are replaced, and waits until the follower
// has noticed it.
func (r *rig) goAway(objects ...string) State {
	r.t.Helper()
	r.mcpd.SetFaults(teamtest.Faults{Status: 503})
	r.mcpd.Cut()
	for !strings.Contains(r.await(Stale, objects...).String(), "503") {
		time.Sleep(time.Millisecond)
	}
	return r.follower.State()
}

// await waits until the follower has the phase and the objects.
func (r *rig) await(phase Phase, want ...string) State {
	r.t.Helper()
	limit := time.After(10 * time.Second)
	for {
		s, got := r.follower.State(), names(r.follower.Set())
		if s.Phase == phase && strings.Join(got, " ") == strings.Join(want, " ") {
			return s
		}
		select {
		case <-time.After(5 * time.Millisecond):
		case <-limit:
			r.t.Fatalf("phase %q (%v), objects %q; want %q, %q\n%s", s.Phase, s.Err, got, phase, want, r.log.String())
		}
	}
}

func names(s Set) (list []string) {
	for _, o := range s.Objects {
		name := string(o.Key().Name)
		if p := o.(interface{ Key() object.Key }).Key().Project; p != "" {
			name = string(p) + "/" + name
		}
		list = append(list, name)
	}
	return list
}

func server(name string) string {
	return `{"kind":"Server","metadata":{"name":"` + name + `"},"spec":{"url":"https://h/mcp?***","headers":{"Authorization":"***"},"timeout":"1m0s","shared":false}}`
}

func prompt(project, name, text string) string {
	b, _ := json.Marshal(text)
	return `{"kind":"Prompt","metadata":{"name":"` + name + `","project":"` + project + `"},"spec":{"content":` + string(b) + `}}`
}

func TestFollowerHasSnapshotAndChanges(t *testing.T) {
	r := newRig(t)
	if s := r.follower.State(); s.Phase != NotConfigured || s.String() != "not configured" {
		t.Errorf("state %q", s)
	}
	r.mcpd.Put(server("a"))
	r.mcpd.PutRaw("user", "", "anna", json.RawMessage(`{"kind":"User"}`))          // of mcpd alone
	r.mcpd.PutRaw("proxymodel", "", "m", json.RawMessage(`{"kind":"ProxyModel"}`)) // files only
	r.logIn()
	s := r.await(Following, "a")
	if want := fmt.Sprintf("%s as anna, following, version %d", r.mcpd.URL, r.mcpd.Version()); s.String() != want {
		t.Errorf("state %q, want %q", s, want)
	}
	r.mcpd.Put(prompt("web", "rules", "be\nkind ☺"))
	r.await(Following, "web/rules", "a")
	if p := r.follower.Set().Objects[0].(*object.Prompt); p.Spec.Content != "be\nkind ☺" || p.File() != "" {
		t.Errorf("prompt %q, file %q", p.Spec.Content, p.File())
	}
	before := r.follower.Set()
	r.mcpd.Delete("server", "", "a")
	r.await(Following, "web/rules")
	if after := r.follower.Set(); after.Revision == before.Revision || after.Objects[0] != before.Objects[0] {
		t.Error("the revision shows no change, or an unchanged object was decoded again")
	}
	if n := len(r.mcpd.Requests("/snapshot")); n != 1 {
		t.Errorf("%d snapshots, want 1", n)
	}
}

// After a cut stream the follower continues after the last version, and events that it has
// had already change nothing.
func TestCutStreamContinues(t *testing.T) {
	r := newRig(t)
	r.mcpd.Put(server("a"))
	r.logIn()
	r.await(Following, "a")
	version := r.mcpd.Version()
	replay := fmt.Sprintf("id: %d\nevent: change\ndata: {\"version\":\"%d\",\"op\":\"delete\",\"kind\":\"server\",\"name\":\"a\"}\n\n", version-1, version-1)
	r.mcpd.SetFaults(teamtest.Faults{CutStreams: true})
	r.mcpd.Cut()
	for len(r.mcpd.Requests("/watch")) < 3 {
		time.Sleep(5 * time.Millisecond)
	}
	r.mcpd.SetFaults(teamtest.Faults{Raw: replay})
	r.mcpd.Put(server("b"))
	r.await(Following, "a", "b")
	last := r.mcpd.Requests("/watch")
	if got := last[2].LastEventID; got != fmt.Sprint(version) {
		t.Errorf("Last-Event-ID %q, want %d", got, version)
	}
	if n := len(r.mcpd.Requests("/snapshot")); n != 1 {
		t.Errorf("%d snapshots, want 1", n)
	}
	if strings.Contains(r.log.String(), "WARN") {
		t.Errorf("a stream that ended is logged as a warning: %s", r.log.String())
	}
}

func TestCompactedStreamAndResyncTakeSnapshot(t *testing.T) {
	r := newRig(t)
	r.mcpd.Put(server("a"))
	r.logIn()
	r.await(Following, "a")
	r.goAway("a")
	r.mcpd.Put(server("b"))
	r.mcpd.Delete("server", "", "a")
	r.mcpd.Compact()
	r.mcpd.SetFaults(teamtest.Faults{})
	r.await(Following, "b")
	if n := len(r.mcpd.Requests("/snapshot")); n != 2 {
		t.Errorf("%d snapshots after 410, want 2", n)
	}
	r.mcpd.SetFaults(teamtest.Faults{Raw: "event: resync\ndata: {}\n\n"})
	r.mcpd.Cut()
	for len(r.mcpd.Requests("/snapshot")) < 3 {
		time.Sleep(5 * time.Millisecond)
	}
	r.mcpd.SetFaults(teamtest.Faults{})
	r.await(Following, "b")
}

// A refused token ends all requests until a new login. The objects stay in use.
func TestRefusedTokenStopsFollowing(t *testing.T) {
	for name, tt := range map[string]struct {
		refuse func(*rig)
		detail string
	}{
		"revoked in the stream": {func(r *rig) { r.mcpd.Revoke(r.token) }, "the token was revoked"},
		"expired in the stream": {func(r *rig) {
			r.mcpd.SetFaults(teamtest.Faults{Raw: "event: revoked\ndata: {\"expired\":true}\n\n"})
			r.mcpd.Cut()
		}, "the token has expired"},
		"401 after a cut stream": {func(r *rig) {
			r.mcpd.SetFaults(teamtest.Faults{Status: 401})
			r.mcpd.Cut()
		}, "Unauthorized"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.mcpd.Put(server("a"))
			r.logIn()
			r.await(Following, "a")
			login := r.follower.Set().Login
			tt.refuse(r)
			s := r.await(Refused, "a")
			if text := s.String(); !strings.Contains(text, "refused since") || !strings.Contains(text, tt.detail) || !strings.HasSuffix(text, "; mcpctl login "+r.mcpd.URL) {
				t.Errorf("state %q", text)
			}
			if now := r.follower.Set(); now.Login != "" || login == "" {
				t.Errorf("login %q, before %q", now.Login, login)
			}
			if _, err := r.follower.Client(); !errors.Is(err, abi.ErrDenied) {
				t.Errorf("Client: %v", err)
			}
			before := len(r.mcpd.Requests(""))
			time.Sleep(100 * time.Millisecond)
			if after := len(r.mcpd.Requests("")); after != before {
				t.Errorf("%d requests after the refusal", after-before)
			}
			if n := strings.Count(r.log.String(), "refuses the token"); n != 1 {
				t.Errorf("reported %d times: %s", n, r.log.String())
			}
			r.mcpd.SetFaults(teamtest.Faults{})
			r.token = r.mcpd.AddUser("anna", "pw")
			r.logIn()
			r.await(Following, "a")
		})
	}
}

// While mcpd is away the last snapshot is used, also by the next process.
func TestSnapshotOnDisk(t *testing.T) {
	r := newRig(t)
	r.mcpd.Put(server("a"))
	r.mcpd.Put(prompt("web", "rules", "x"))
	r.logIn()
	r.await(Following, "web/rules", "a")
	s := r.goAway("web/rules", "a")
	if text := s.String(); !strings.Contains(text, "stale since") || !strings.Contains(text, "503") {
		t.Errorf("state %q", text)
	}
	r.stop()
	info, err := os.Stat(r.cache)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("%v, %v", info, err)
	}

	r.start(Options{})
	r.logIn()
	r.await(Stale, "web/rules", "a")
	r.stop()

	r.start(Options{Offline: true})
	r.logIn()
	if s := r.await(Paused, "web/rules", "a"); !strings.Contains(s.String(), "as anna, not followed, version") {
		t.Errorf("state %q", s)
	}
	r.stop()

	for name, other := range map[string]Settings{
		"another user":   {URL: r.mcpd.URL, Login: Login{URL: r.mcpd.URL, User: "otto", Token: secret.New("t")}},
		"another server": {URL: "http://127.0.0.1:1", Login: Login{URL: "http://127.0.0.1:1", User: "anna", Token: secret.New("t")}},
	} {
		r.start(Options{})
		r.follower.Configure(other)
		if got := names(r.follower.Set()); len(got) != 0 {
			t.Errorf("%s has the objects %q", name, got)
		}
		r.stop()
	}
	r.mcpd.SetFaults(teamtest.Faults{})
	r.start(Options{})
	r.logIn()
	r.await(Following, "web/rules", "a")
	r.follower.Configure(Settings{URL: r.mcpd.URL})
	if s := r.await(NotLoggedIn); !strings.HasSuffix(s.String(), ", not logged in; mcpctl login "+r.mcpd.URL) {
		t.Errorf("state %q", s)
	}
	if _, err := os.Stat(r.cache); !os.IsNotExist(err) {
		t.Errorf("the snapshot stays after a logout: %v", err)
	}
}

// Files that other users could have written are not used, nor are invalid ones.
func TestInvalidSnapshotOnDisk(t *testing.T) {
	r := newRig(t)
	r.stop()
	r.mcpd.SetFaults(teamtest.Faults{Status: 503})
	valid := fmt.Sprintf(`{"format":1,"url":%q,"user":"anna","version":"7","objects":[{"kind":"server","name":"a","manifest":%s}]}`, r.mcpd.URL, server("a"))
	for name, file := range map[string]struct {
		text string
		mode os.FileMode
		used bool
	}{
		"valid":        {valid, 0o600, true},
		"readable":     {valid, 0o644, false},
		"no JSON":      {"{", 0o600, false},
		"other format": {strings.Replace(valid, `"format":1`, `"format":9`, 1), 0o600, false},
		"no version":   {strings.Replace(valid, `"7"`, `"x"`, 1), 0o600, false},
		"too deep":     {strings.Replace(valid, `"format":1`, `"format":1,"x":`+strings.Repeat("[", 99)+strings.Repeat("]", 99), 1), 0o600, false},
	} {
		if err := os.WriteFile(r.cache, []byte(file.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(r.cache, file.mode); err != nil {
			t.Fatal(err)
		}
		f := New(Options{Cache: r.cache, Log: slog.New(slog.DiscardHandler), Offline: true})
		f.Configure(r.settings())
		if used := len(f.Set().Objects) == 1; used != file.used {
			t.Errorf("%s: used %v", name, used)
		}
	}
}

// Answers and events that no mcpd sends leave the objects as they are.
func TestHostileMcpd(t *testing.T) {
	big := strings.Repeat("x", 4<<20)
	for name, fault := range map[string]teamtest.Faults{
		"snapshot that is no JSON":       {Body: "<html>"},
		"snapshot without version":       {Body: `{"objects":[]}`},
		"snapshot with negative version": {Body: `{"version":"-1","objects":[]}`},
		"snapshot that is too deep":      {Body: `{"version":"900","objects":` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + `}`},
		"too many objects":               {Body: `{"version":"900","objects":[` + strings.Repeat(`{},`, maxObjects) + `{}]}`},
		"snapshot that is cut":           {Body: `{"version":"900","objects":[{"kind":"ser`},
		"answer of a proxy":              {Status: 200, Body: "hello"},
		"redirect":                       {Status: 302, Body: "-"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.mcpd.Put(server("a"))
			r.logIn()
			r.await(Following, "a")
			r.goAway("a")
			r.mcpd.Put(server("b"))
			r.mcpd.Compact() // so that a snapshot is needed
			before := len(r.mcpd.Requests(""))
			r.mcpd.SetFaults(fault)
			for len(r.mcpd.Requests("")) < before+5 {
				time.Sleep(5 * time.Millisecond)
			}
			if s := r.await(Stale, "a"); s.Err == nil || strings.Contains(s.Err.Error(), "503") {
				t.Errorf("reason %v", s.Err)
			}
			r.mcpd.SetFaults(teamtest.Faults{})
			r.await(Following, "a", "b")
		})
	}
	for name, raw := range map[string]string{
		"event that is no JSON":    "event: change\ndata: {\n\n",
		"unknown operation":        "event: change\ndata: {\"version\":\"9000\",\"op\":\"drop\",\"kind\":\"server\",\"name\":\"a\"}\n\n",
		"put without object":       "event: change\ndata: {\"version\":\"9000\",\"op\":\"put\",\"kind\":\"server\",\"name\":\"a\"}\n\n",
		"change without a version": "event: change\ndata: {\"op\":\"delete\",\"kind\":\"server\",\"name\":\"a\"}\n\n",
		"oversized line":           "event: change\ndata: " + big + "\n\n",
		"oversized event":          "event: change\n" + strings.Repeat("data: "+big[:1<<20]+"\n", 4) + "\n",
		"line without end":         big,
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.mcpd.Put(server("a"))
			r.mcpd.SetFaults(teamtest.Faults{Raw: raw, Silent: true})
			r.logIn()
			s := r.await(Stale, "a")
			if s.Err == nil {
				t.Error("no reason")
			}
			r.mcpd.SetFaults(teamtest.Faults{})
			r.await(Following, "a")
		})
	}
}

// An object that is invalid is a problem, and its previous version stays in use.
func TestInvalidObjects(t *testing.T) {
	r := newRig(t)
	r.mcpd.Put(server("a"))
	r.logIn()
	r.await(Following, "a")
	for _, bad := range []struct{ kind, project, name, manifest string }{
		{"server", "", "a", `{"kind":"Server","metadata":{"name":"a"},"spec":{"ulr":"https://h"}}`},
		{"server", "", "a", server("other")},
		{"server", "", "a", `{"kind":"Project","metadata":{"name":"a"},"spec":{}}`},
		{"server", "", "../../token", server("x")},
		{"server", "web", "a", server("a")},
		{"prompt", "", "p", prompt("web", "p", "x")},
		{"prompt", "..", "p", prompt("web", "p", "x")},
		{"server", "", "twice", `{"kind":"Server","kind":"Server","metadata":{"name":"twice"},"spec":{"url":"https://h"}}`},
		{"server", "", "two", `[` + server("two") + `]`},
		{"prompt", "web", "large", prompt("web", "large", strings.Repeat("x", 1<<20))},
	} {
		r.mcpd.PutRaw(bad.kind, bad.project, bad.name, json.RawMessage(bad.manifest))
		for r.follower.State().Version < uint64(r.mcpd.Version()) {
			time.Sleep(time.Millisecond)
		}
		s := r.follower.Set()
		if got := names(s); len(got) != 1 || got[0] != "a" || len(s.Problems) == 0 {
			t.Errorf("%+v: objects %q, problems %v", bad, got, s.Problems)
		}
	}
	for _, p := range r.follower.Set().Problems {
		if !strings.Contains(p.Error(), "mcpd sent an invalid") || len(p.Error()) > 700 || strings.Contains(p.Error(), "\n") {
			t.Errorf("problem: %v", p)
		}
	}
	r.mcpd.Put(server("a"))
	r.mcpd.Delete("server", "", "twice")
	r.await(Following, "a")
}

// The same login has the same identity in the next process, so that what is kept for it on
// disk belongs to it; another user or token has another one.
func TestIdentityOfLogin(t *testing.T) {
	l := Login{URL: "https://h", User: "anna", Token: secret.New("a")}
	if l.id() != (Login{URL: "https://h", User: "anna", Token: secret.New("a")}).id() {
		t.Error("equal logins differ")
	}
	for _, other := range []Login{{URL: "https://x", User: "anna", Token: l.Token}, {URL: "https://h", User: "otto", Token: l.Token}, {URL: "https://h", User: "anna", Token: secret.New("b")}} {
		if other.id() == l.id() {
			t.Errorf("%s at %s is anna", other.User, other.URL)
		}
	}
}

// A stream without heartbeats is opened again.
func TestSilentStream(t *testing.T) {
	r := newRig(t)
	r.stop()
	r.mcpd.Put(server("a"))
	r.mcpd.SetFaults(teamtest.Faults{Silent: true})
	r.start(Options{Heartbeat: 100 * time.Millisecond})
	r.logIn()
	if s := r.await(Stale, "a"); !errors.Is(s.Err, errSilent) {
		t.Errorf("reason %v", s.Err)
	}
}

// The token is sent only to the address of the login, and not in clear text to other
// machines.
func TestTokenIsNotSentElsewhere(t *testing.T) {
	token := secret.New("mcpd_canary")
	for _, tc := range []struct {
		name string
		s    Settings
		want error
	}{
		{"plain HTTP", Settings{URL: "http://team.example:3100"}, ErrPlain},
		{"plain HTTP to an address", Settings{URL: "http://10.0.0.1:3100"}, ErrPlain},
		{"other address", Settings{URL: "https://other.example", Login: Login{URL: "https://team.example", Token: token}}, ErrNotLoggedIn},
		{"user in the address", Settings{URL: "https://u:canary@team.example"}, abi.ErrConfig},
		{"query", Settings{URL: "https://team.example?x=1"}, abi.ErrConfig},
		{"other scheme", Settings{URL: "file:///etc/passwd"}, abi.ErrConfig},
		{"no address", Settings{}, ErrNotConfigured},
		{"missing certificates", Settings{URL: "https://team.example", CA: filepath.Join(t.TempDir(), "x.pem")}, os.ErrNotExist},
		{"https", Settings{URL: "https://team.example", Login: Login{URL: "https://team.example", Token: token}}, nil},
		{"loopback", Settings{URL: "http://127.0.0.1:3100"}, nil},
		{"plain HTTP allowed", Settings{URL: "http://team.example:3100", Insecure: true}, nil},
	} {
		_, err := NewClient(tc.s)
		if !errors.Is(err, tc.want) || err != nil && strings.Contains(err.Error(), "canary") {
			t.Errorf("%s: %v, want %v", tc.name, err, tc.want)
		}
	}
	if err := requireLoopback("tcp", "192.0.2.1:80", nil); !errors.Is(err, ErrPlain) {
		t.Errorf("localhost that is another machine: %v", err)
	}
}

func TestCertificates(t *testing.T) {
	m := teamtest.StartTLS()
	defer m.Close()
	token := m.AddUser("anna", "pw")
	login := Login{URL: m.URL, User: "anna", Token: secret.New(token)}
	c, err := NewClient(Settings{URL: m.URL, Login: login})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Call(t.Context(), "GET", "/auth/whoami", nil, nil, nil); !errors.Is(err, abi.ErrUnavailable) || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("unknown certificate: %v", err)
	}
	if len(m.Requests("")) != 0 {
		t.Error("a request was sent")
	}
	file := filepath.Join(t.TempDir(), "ca.pem")
	block := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: m.Server().Certificate().Raw})
	if err := os.WriteFile(file, block, 0o600); err != nil {
		t.Fatal(err)
	}
	if c, err = NewClient(Settings{URL: m.URL, CA: file, Login: login}); err != nil {
		t.Fatal(err)
	}
	var who struct{ Name string }
	if err := c.Call(t.Context(), "GET", "/auth/whoami", nil, nil, &who); err != nil || who.Name != "anna" {
		t.Errorf("%+v, %v", who, err)
	}
}

// Errors contain the detail of mcpd, bounded and without the token.
func TestErrorsOfCalls(t *testing.T) {
	m := teamtest.Start()
	defer m.Close()
	token := m.AddUser("anna", "pw")
	c, err := NewClient(Settings{URL: m.URL, Login: Login{URL: m.URL, User: "anna", Token: secret.New(token)}})
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		fault teamtest.Faults
		kind  error
		text  string
	}{
		{teamtest.Faults{Status: 401}, abi.ErrDenied, "401 Unauthorized"},
		{teamtest.Faults{Status: 404}, abi.ErrNotFound, "404"},
		{teamtest.Faults{Status: 409}, abi.ErrConflict, "409"},
		{teamtest.Faults{Status: 412}, abi.ErrConflict, "412"},
		{teamtest.Faults{Status: 422}, abi.ErrConfig, "422"},
		{teamtest.Faults{Status: 503}, abi.ErrUnavailable, "503"},
		{teamtest.Faults{Status: 403, Body: `{"detail":"token ` + token + "\\u001b[31m" + strings.Repeat("x", 9999) + `"}`}, abi.ErrDenied, "token ***\ufffd[31mxxx"},
		{teamtest.Faults{Status: 404, Body: "<html>"}, ErrNotMcpd, "404"},
		{teamtest.Faults{Status: 401, Body: `{"message":"x"}`}, ErrNotMcpd, "401"},
		{teamtest.Faults{Status: 502, Body: "<html>"}, abi.ErrUnavailable, "502"},
		{teamtest.Faults{Status: 500, Body: "{"}, abi.ErrUnavailable, "500 Internal Server Error"},
		{teamtest.Faults{Status: 200, Body: strings.Repeat(" ", maxAnswer+1)}, abi.ErrLimit, "more than 16 MiB"},
		{teamtest.Faults{Status: 200, Body: "<html>" + token}, ErrNotMcpd, "is not valid"},
	} {
		m.SetFaults(tc.fault)
		err := c.Call(t.Context(), "GET", "/auth/whoami", nil, nil, new(struct{ Name string }))
		if !errors.Is(err, tc.kind) || !strings.Contains(err.Error(), tc.text) || strings.Contains(err.Error(), token) || len(err.Error()) > 1000 {
			t.Errorf("%d: %.300v", tc.fault.Status, err)
		}
	}
}

// A call of a server may take longer than the limit of an answer to other calls.
func TestRelayHasNoLimitOfAnswer(t *testing.T) {
	c, err := NewClient(Settings{URL: "https://team.example"})
	if err != nil {
		t.Fatal(err)
	}
	relay, own := c.Transport().(*http.Transport), c.http.Transport.(*http.Transport)
	if relay.ResponseHeaderTimeout != 0 || own.ResponseHeaderTimeout != headerTimeout || relay.TLSClientConfig.MinVersion != own.TLSClientConfig.MinVersion {
		t.Errorf("limits %v and %v", relay.ResponseHeaderTimeout, own.ResponseHeaderTimeout)
	}
}

// Another use of the shared cache does not interrupt the stream.
func TestCacheSettingKeepsFollowing(t *testing.T) {
	r := newRig(t)
	r.logIn()
	r.await(Following)
	s := r.settings()
	s.Cache = "off"
	r.follower.Configure(s)
	if phase, cache := r.follower.State().Phase, r.follower.Settings().Cache; phase != Following || cache != "off" {
		t.Errorf("phase %q, cache %q", phase, cache)
	}
}

// mcpd sends the servers of a changed project with the version before that of the project, which
// the follower may have already.
func TestServersOfAProjectHaveThePreviousVersion(t *testing.T) {
	o := newObjects()
	server := func(version string) wireChange {
		return wireChange{Op: opPut, Version: version, Kind: "server", Name: "s", Object: &wireObject{Revision: "1", Manifest: json.RawMessage(`{"kind":"Server","metadata":{"name":"s"},"spec":{"url":"https://mcp.example/"}}`)}}
	}
	if _, err := o.sync("7"); err != nil {
		t.Fatal(err)
	}
	if applied, err := o.apply(server("6")); applied || err != nil {
		t.Errorf("an older version: applied %v, %v", applied, err)
	}
	if applied, err := o.apply(server("7")); !applied || err != nil || len(o.entries) != 1 {
		t.Errorf("the present version: applied %v, %v", applied, err)
	}
	if applied, err := o.apply(wireChange{Op: opDelete, Version: "7", Kind: "server", Name: "s"}); !applied || err != nil || len(o.entries) != 0 {
		t.Errorf("a server that is no longer used: applied %v, %v", applied, err)
	}
}
