package host

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/host/event"
	"github.com/mcpctl/mcpctl/host/object"
	"github.com/mcpctl/mcpctl/host/secret"
	"github.com/mcpctl/mcpctl/host/team"
	"github.com/mcpctl/mcpctl/host/team/teamtest"
)

// teamRig is a home that follows a fake mcpd as the user anna.
type teamRig struct {
	*rig
	mcpd  *teamtest.Mcpd
	token string
	log   *lockedLog
}

type lockedLog struct {
	mu sync.Mutex
	bytes.Buffer
}

func (l *lockedLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.Buffer.Write(p)
}

func (l *lockedLog) text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.String()
}

func newTeamRig(t *testing.T, f files, manifests ...string) *teamRig {
	t.Helper()
	m := teamtest.Start()
	t.Cleanup(m.Close)
	for _, text := range manifests {
		m.Put(text)
	}
	return followMcpd(t, m, f)
}

// followMcpd opens a home that follows a fake.
func followMcpd(t *testing.T, m *teamtest.Mcpd, f files, change ...func(*Options)) *teamRig {
	t.Helper()
	r := &teamRig{mcpd: m, token: m.AddUser("anna", "pw"), log: new(lockedLog)}
	dir := newHome(t, f)
	r.saveLogin(t, dir)
	r.rig = openRig(t, dir, append([]func(*Options){func(o *Options) {
		o.Log = slog.New(slog.NewTextHandler(r.log, nil))
		o.Team = func() (team.Settings, error) { return team.Settings{URL: m.URL}, nil }
	}}, change...)...)
	r.await(t, team.Following)
	t.Cleanup(func() { r.checkCanary(t) })
	return r
}

func (r *teamRig) saveLogin(t *testing.T, dir string) {
	t.Helper()
	if err := team.SaveLogin(dir, team.Login{URL: r.mcpd.URL, User: "anna", Token: secret.New(r.token)}); err != nil {
		t.Fatal(err)
	}
}

// await waits until the follower has a phase and its objects are in use.
func (r *teamRig) await(t *testing.T, want team.Phase) {
	t.Helper()
	awaitNil(t, func() error {
		if got := Team(r.Host).State(); got.Phase != want {
			return fmt.Errorf("%v, want %s", got, want)
		}
		if set := r.team.set(); r.config.State().TeamSet().Revision != set.Revision {
			return fmt.Errorf("the objects are not in use")
		}
		return nil
	})
}

// checkCanary fails if the token is in the log, an event, a problem or a state.
func (r *teamRig) checkCanary(t *testing.T) {
	t.Helper()
	events, err := json.Marshal(r.Events(0, event.Query{}))
	if err != nil {
		t.Error(err)
	}
	for where, text := range map[string]string{"log": r.log.text(), "events": string(events), "problems": fmt.Sprintf("%+v", r.Problems()), "state": fmt.Sprintf("%+v", Team(r.Host).State())} {
		if strings.Contains(text, r.token) {
			t.Errorf("the token is in the %s: %s", where, text)
		}
	}
}

func (r *teamRig) problems() (text string) {
	for _, p := range r.Problems() {
		text += p.Err.Error() + "\n"
	}
	return text
}

const (
	teamServer  = `{"kind":"Server","metadata":{"name":"t"},"spec":{"url":"https://mcp.example/mcp?***","headers":{"Authorization":"***${NEVER_RESOLVED}"}}}`
	teamProject = `{"kind":"Project","metadata":{"name":"home"},"spec":{"servers":["t"],"gated":false}}`
)

// A server of mcpd is called through mcpd, with the token of the user and the project.
func TestServerOfTeamIsCalledThroughMcpd(t *testing.T) {
	r := newTeamRig(t, files{}, teamServer, teamProject)
	c := r.dial(t)
	if got := c.tool(t, "t__whoami", "{}").text(); got != "you are anna" {
		t.Errorf("answer %q", got)
	}
	for _, req := range r.mcpd.Requests("/servers/") {
		if req.Authorization != "Bearer "+r.token || req.Path != "/api/v1/servers/t/mcp?project=home" {
			t.Errorf("request %+v", req)
		}
	}
	if p := r.problems(); p != "" {
		t.Errorf("problems: %s", p)
	}
	if tools, err := r.Servers().Probe(t.Context(), "t", "home"); err != nil || len(tools) != 1 {
		t.Errorf("probe: %q, %v", tools, err)
	}
}

// A change in mcpd takes effect without a reconnect.
func TestChangesOfTeamTakeEffect(t *testing.T) {
	r := newTeamRig(t, files{}, teamServer, teamProject)
	key := object.Key{Kind: object.KindPrompt, Project: "home", Name: "rules"}
	r.mcpd.Put(`{"kind":"Prompt","metadata":{"name":"rules","project":"home"},"spec":{"content":"be kind"}}`)
	awaitNil(t, func() error {
		if _, ok := r.Snapshot().Get(key); !ok || !r.Snapshot().IsTeam(key) {
			return fmt.Errorf("no prompt")
		}
		return nil
	})
	r.mcpd.Delete("project", "", "home")
	awaitNil(t, func() error {
		if _, err := r.config.Project("home"); err == nil {
			return fmt.Errorf("the project remains")
		}
		return nil
	})
}

// A revoked token is an error that contains the command that helps, and is not tried again.
// A new login takes effect without a restart.
func TestRevokedTokenNeedsLogin(t *testing.T) {
	r := newTeamRig(t, files{}, teamServer, teamProject)
	c := r.dial(t)
	if got := c.tool(t, "t__whoami", "{}").text(); got != "you are anna" {
		t.Fatalf("answer %q", got)
	}
	r.mcpd.Revoke(r.token)
	r.await(t, team.Refused)
	for range 3 {
		if got := c.tool(t, "t__whoami", "{}"); !strings.Contains(got.text(), "mcpctl login "+r.mcpd.URL) || strings.Contains(got.text(), r.token) {
			t.Errorf("answer %q", got.text())
		}
	}
	before := len(r.mcpd.Requests(""))
	time.Sleep(time.Second)
	if after := len(r.mcpd.Requests("")); after != before {
		t.Errorf("%d requests with a refused token", after-before)
	}
	if n := strings.Count(r.log.text(), "refuses the token"); n != 1 {
		t.Errorf("reported %d times", n)
	}
	r.checkCanary(t)
	r.token = r.mcpd.AddUser("anna", "pw")
	r.saveLogin(t, r.dir)
	if s := Team(r.Host).Reconnect(t.Context()); s.Phase != team.Following {
		t.Errorf("after the login: %v", s)
	}
	if got := r.dial(t).tool(t, "t__whoami", "{}").text(); got != "you are anna" {
		t.Errorf("after the login: %q", got)
	}
}

// A server that the user may not run is an error without many requests.
func TestForbiddenServer(t *testing.T) {
	r := newTeamRig(t, files{}, teamServer, teamProject)
	r.mcpd.SetFaults(teamtest.Faults{ServerCalls: 403})
	c := r.dial(t)
	if got := c.tool(t, "t__whoami", "{}").text(); !strings.Contains(got, "t (you have no right to run it on the team server: mcpctl auth can-i run server t --project home)") {
		t.Errorf("answer %q", got)
	}
	if st := fmt.Sprint(r.Servers().States("t")); !strings.Contains(st, `user anna may not run server`) {
		t.Errorf("state %s", st)
	}
	time.Sleep(2 * time.Second)
	if n := len(r.mcpd.Requests("/servers/")); n > 6 {
		t.Errorf("%d requests", n)
	}
}

// What is in a file and in mcpd is an error that names both, and the file is used.
func TestFilesBeforeTeam(t *testing.T) {
	own := "kind: Project\nmetadata: {name: home}\nspec: {servers: [t], gated: false}\n"
	r := newTeamRig(t, files{"projects/home.yaml": own, "servers/cmd.yaml": stdioServer("cmd", "")}, teamServer,
		`{"kind":"Project","metadata":{"name":"home"},"spec":{"servers":[],"gated":false}}`,
		`{"kind":"Project","metadata":{"name":"web"},"spec":{"servers":["cmd"],"gated":false,"proxyModel":"special"}}`,
		`{"kind":"Prompt","metadata":{"name":"inject","project":"home"},"spec":{"content":"obey"}}`,
		`{"kind":"Server","metadata":{"name":"cmd"},"spec":{"command":["sh","-c","exit"]}}`,
		`{"kind":"Server","metadata":{"name":"evil"},"spec":{"command":["sh","-c","exit"]}}`)
	snapshot := r.Snapshot()
	if p, _ := snapshot.Project("home"); len(p.Spec.Servers) != 1 || p.File() != "projects/home.yaml" {
		t.Errorf("project %+v", p)
	}
	if _, ok := snapshot.Prompt("home", "inject"); ok {
		t.Error("a prompt of mcpd is in a project of a file")
	}
	if p, _ := snapshot.Project("web"); p.Spec.ProxyModel.Name != "default" {
		t.Errorf("proxymodel %q", p.Spec.ProxyModel.Name)
	}
	if srv, _ := snapshot.Server("cmd"); srv.File() != "servers/cmd.yaml" {
		t.Error("the server of the file is not used")
	}
	text := r.problems()
	for _, want := range []string{
		`project "home" is in projects/home.yaml and in mcpd ` + r.mcpd.URL + ", and the file is used",
		"1 prompts of mcpd " + r.mcpd.URL + ` are not used, because their project "home" is in a file`,
		`project "web" of mcpd uses proxymodel special, which this home does not have, so "default" is used`,
		"denied: server \"evil\" of mcpd has a command (sh); programs that the team server names are not run on this machine; to run it, define a server of this name in a file: mcpctl explain server",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("problems lack %q:\n%s", want, text)
		}
	}
	if strings.Contains(text, `"cmd"`) {
		t.Errorf("a local server in place of a program of mcpd is a problem:\n%s", text)
	}
	if _, err := r.Servers().Probe(t.Context(), "evil", ""); err == nil || !strings.Contains(err.Error(), "not run on this machine") {
		t.Errorf("probe of a program of mcpd: %v", err)
	}
	if _, _, err := r.config.Server("evil", ""); err == nil {
		t.Error("a program of mcpd can be started")
	}
	c := r.dial(t)
	if got := c.tool(t, "t__whoami", "{}").text(); got != "you are anna" {
		t.Errorf("answer %q", got)
	}
	if path := r.mcpd.Requests("/servers/")[0].Path; path != "/api/v1/servers/t/mcp" {
		t.Errorf("mcpd is asked about a project that it does not have: %s", path)
	}
	r.put(t, "projects/home.yaml", []byte("kind: ["))
	r.reload(t)
	if !strings.Contains(r.problems(), "projects/home.yaml") {
		t.Error("an invalid file is not reported")
	}
}

// awaitNil waits until check returns nil.
func awaitNil(t *testing.T, check func() error) {
	t.Helper()
	limit := time.Now().Add(time.Minute)
	for {
		err := check()
		if err == nil {
			return
		}
		if time.Now().After(limit) {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Millisecond)
	}
}
