package host

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/hosttest"
	"github.com/mcpctl/mcpctl/host/sharedcache"
	"github.com/mcpctl/mcpctl/host/team"
	"github.com/mcpctl/mcpctl/host/team/teamtest"
)

// sharingModules returns modules for stages/: the stage "stamp" may use an LLM, so that its
// results are shared; "hide" is a filter that removes what is secret; "trap" fails.
func sharingModules() files {
	stage := func(name string, m *hosttest.Module) string {
		return string(m.Manifest(`{"name":"` + name + `","abi":"1.0","roles":[{"name":"` + name + `","kind":"stage","llm":"optional"}]}`).File())
	}
	return files{
		"stages/stamp.wasm": stage("stamp", new(hosttest.Module).Call(abi.FuncOutWrite, "stamped: ").Call(abi.FuncOutSpan, abi.BufInput, 0, -1)),
		"stages/pure.wasm":  string(new(hosttest.Module).Call(abi.FuncOutWrite, "pure: ").Call(abi.FuncOutSpan, abi.BufInput, 0, -1).File()),
		"stages/trap.wasm":  stage("trap", new(hosttest.Module).Trap()),
		"stages/hide.wasm": string(new(hosttest.Module).Call(abi.FuncOutWrite, "what is left").
			Manifest(`{"name":"hide","abi":"1.0","roles":[{"name":"hide","kind":"filter"}]}`).File()),
	}
}

const sharingProject = `{"kind":"Project","metadata":{"name":"home"},"spec":{"servers":["t","local"],"proxyModel":"m","gated":false}}`

// openMachine opens the home of a machine of anna, with the stages of its proxymodel.
func openMachine(t *testing.T, m *teamtest.Mcpd, mode sharedcache.Mode, stages ...string) *teamRig {
	t.Helper()
	return followMcpd(t, m, machineFiles(stages...), machineOptions(m, mode))
}

func machineFiles(stages ...string) files {
	f := sharingModules()
	f["proxymodels/m.yaml"] = model("m", stages...)
	f["servers/local.yaml"] = stdioServer("local", "")
	return f
}

func machineOptions(m *teamtest.Mcpd, mode sharedcache.Mode) func(*Options) {
	return func(o *Options) {
		o.LLM = new(hosttest.LLM)
		o.Settings.SharedWait = time.Minute // the machine may be slow
		o.Team = func() (team.Settings, error) { return team.Settings{URL: m.URL, Cache: string(mode)}, nil }
	}
}

func startSharing(t *testing.T) *teamtest.Mcpd {
	t.Helper()
	m := teamtest.Start()
	t.Cleanup(m.Close)
	m.Put(teamServer)
	m.Put(sharingProject)
	return m
}

// call calls a tool that returns text, and returns the first line of the answer.
func (r *teamRig) call(t *testing.T, tool, text string) string {
	t.Helper()
	line, _, _ := strings.Cut(r.dial(t).tool(t, tool, marshal(t, map[string]string{"text": text})).text(), "\n")
	return line
}

// outcomes returns the outcomes of a stage in the metrics, as "outcome:count".
func (r *teamRig) outcomes(t *testing.T, stage string) string {
	t.Helper()
	var b strings.Builder
	got := r.scraped(t)
	for _, o := range []string{flow.OutcomeDone, flow.OutcomeCached, flow.OutcomeFailed} {
		if n := got[fmt.Sprintf(`mcpctl_stage_runs_total{stage=%q,outcome=%q}`, stage, o)]; n > 0 {
			fmt.Fprintf(&b, "%s:%v ", o, n)
		}
	}
	return strings.TrimSpace(b.String())
}

// awaitPushed waits until a number of results is stored, and no other call is running.
func (r *teamRig) awaitPushed(t *testing.T, n int64) {
	t.Helper()
	awaitNil(t, func() error {
		if got := r.shared.Figures(); got.Pushed != n {
			return fmt.Errorf("%+v, want %d pushed", got, n)
		}
		return nil
	})
}

// drained waits until the results that were offered so far are stored: they are stored in the
// order of their offers.
func (r *teamRig) drained(t *testing.T) {
	t.Helper()
	last := [32]byte{1, byte(len(r.mcpd.CacheEntries()))}
	r.shared.Offer(&flow.SharedRun{Key: last, By: flow.Producer{Project: "home", ModuleHash: "last"}, Model: "m", Login: r.team.set().Login}, nil, nil)
	awaitNil(t, func() error {
		if !slices.ContainsFunc(r.mcpd.CacheEntries(), func(e teamtest.CacheEntry) bool { return bytes.Equal(e.Key, last[:]) }) {
			return fmt.Errorf("the last result is not stored")
		}
		return nil
	})
}

// A result that one machine has computed is not computed on another one.
func TestSharedResultIsUsed(t *testing.T) {
	m := startSharing(t)
	first := openMachine(t, m, sharedcache.On, "type: stamp")
	want := first.call(t, "t__whoami", "some text")
	first.awaitPushed(t, 1)
	if got := first.outcomes(t, "stamp"); got != "done:1" || want != "stamped: some text" {
		t.Errorf("first: %q, %s", want, got)
	}
	second := openMachine(t, m, sharedcache.Read, "type: stamp")
	if got := second.call(t, "t__whoami", "some text"); got != want || second.outcomes(t, "stamp") != "cached:1" {
		t.Errorf("second: %q, %s", got, second.outcomes(t, "stamp"))
	}
	if got := second.call(t, "t__whoami", "other text"); got != "stamped: other text" || second.outcomes(t, "stamp") != "done:1 cached:1" {
		t.Errorf("miss: %q, %s", got, second.outcomes(t, "stamp"))
	}
	if got := second.shared.Figures(); got != (sharedcache.Figures{Hits: 1, Misses: 1}) {
		t.Errorf("figures %+v", got)
	}
	if n := len(m.CacheEntries()); n != 1 {
		t.Errorf("%d results, a machine that only reads has stored one", n)
	}
}

// A result that was changed in any way is refused and counted, and the stage runs.
func TestForgedSharedResultIsRefused(t *testing.T) {
	m := startSharing(t)
	first := openMachine(t, m, sharedcache.On, "type: stamp")
	first.call(t, "t__whoami", "some text")
	first.awaitPushed(t, 1)
	valid := m.CacheEntries()[0]
	for name, edit := range map[string]func(*teamtest.CacheEntry){
		"text":          func(e *teamtest.CacheEntry) { e.Value = bytes.Replace(e.Value, []byte("some"), []byte("evil"), 1) },
		"cut":           func(e *teamtest.CacheEntry) { e.Value = e.Value[:len(e.Value)/2] },
		"empty":         func(e *teamtest.CacheEntry) { e.Value = nil },
		"oversized":     func(e *teamtest.CacheEntry) { e.Value = make([]byte, 2<<20) },
		"of a module":   func(e *teamtest.CacheEntry) { e.ModuleHash = "other" },
		"of an account": func(e *teamtest.CacheEntry) { e.Producer, e.Value = "serviceaccount ci", []byte("x") },
	} {
		t.Run(name, func(t *testing.T) {
			m.EditCache(func(e *teamtest.CacheEntry) {
				e.Value, e.ModuleHash, e.Producer = bytes.Clone(valid.Value), valid.ModuleHash, valid.Producer
				edit(e)
			})
			r := openMachine(t, m, sharedcache.Read, "type: stamp")
			if got := r.call(t, "t__whoami", "some text"); got != "stamped: some text" || r.outcomes(t, "stamp") != "done:1" {
				t.Errorf("got %q, %s", got, r.outcomes(t, "stamp"))
			}
			if got := r.shared.Figures(); got != (sharedcache.Figures{Misses: 1, Refused: 1}) {
				t.Errorf("figures %+v", got)
			}
			if !strings.Contains(r.log.text(), "a result of the shared cache is not used") {
				t.Error("nothing in the log")
			}
		})
	}
}

// A mcpd that is slow, fails or is away changes no answer, and is not asked again at once.
func TestSlowSharedCacheIsNotAwaited(t *testing.T) {
	for name, faults := range map[string]teamtest.Faults{
		"slow":  {SlowCache: time.Hour},
		"fails": {Status: 503},
	} {
		t.Run(name, func(t *testing.T) {
			m := startSharing(t)
			r := followMcpd(t, m, machineFiles("type: stamp"), machineOptions(m, sharedcache.On), func(o *Options) { o.Settings.SharedWait = 0 })
			c := r.dial(t)
			c.tool(t, "local__echo", `{"text":"warm"}`)
			before := len(m.Requests("/cache/get"))
			m.SetFaults(faults)
			for _, text := range []string{"a", "b", "c"} {
				if got := c.tool(t, "local__echo", `{"text":"text `+text+`"}`).text(); !strings.HasPrefix(got, "stamped: text "+text) {
					t.Errorf("got %q", got)
				}
			}
			if n := len(m.Requests("/cache/get")) - before; n > 2 {
				t.Errorf("asked %d times", n)
			}
			m.SetFaults(teamtest.Faults{})
		})
	}
}

// What must not leave the machine is never sent: content before the filters, results of failed
// runs, of servers of files and of clients' own tools, and credentials. Without the right, no
// result is sent at all.
func TestWhatNeverLeaves(t *testing.T) {
	const secret = "CANARY-7421"
	for name, tt := range map[string]struct {
		stages []string
		denied bool
		mode   sharedcache.Mode
		do     func(t *testing.T, r *teamRig)
	}{
		"filtered":    {stages: []string{"type: hide", "type: stamp"}, do: func(t *testing.T, r *teamRig) { r.call(t, "t__whoami", secret) }},
		"failed":      {stages: []string{"type: trap"}, do: func(t *testing.T, r *teamRig) { r.call(t, "t__whoami", secret) }},
		"local":       {stages: []string{"type: stamp"}, do: func(t *testing.T, r *teamRig) { r.call(t, "local__echo", secret) }},
		"credential":  {stages: []string{"type: stamp"}, do: func(t *testing.T, r *teamRig) { r.call(t, "t__whoami", "password="+secret+secret) }},
		"no right":    {stages: []string{"type: stamp"}, denied: true, do: func(t *testing.T, r *teamRig) { r.call(t, "t__whoami", secret) }},
		"mode read":   {stages: []string{"type: stamp"}, mode: sharedcache.Read, do: func(t *testing.T, r *teamRig) { r.call(t, "t__whoami", secret) }},
		"mode off":    {stages: []string{"type: stamp"}, mode: sharedcache.Off, do: func(t *testing.T, r *teamRig) { r.call(t, "t__whoami", secret) }},
		"client tool": {stages: []string{"type: stamp"}, do: func(t *testing.T, r *teamRig) { showClientTool(t, r, secret) }},
	} {
		t.Run(name, func(t *testing.T) {
			m := startSharing(t)
			m.DenyCache(tt.denied)
			if tt.mode == "" {
				tt.mode = sharedcache.On
			}
			r := openMachine(t, m, tt.mode, tt.stages...)
			tt.do(t, r)
			if tt.mode == sharedcache.On && !tt.denied {
				r.drained(t)
			}
			r.stop()
			for _, req := range m.Requests("/cache") {
				var body struct{ Entries []teamtest.CacheEntry }
				if err := json.Unmarshal([]byte(req.Body), &body); err != nil {
					t.Fatal(err)
				}
				for _, e := range body.Entries {
					if bytes.Contains(e.Value, []byte(secret)) || tt.denied {
						t.Errorf("sent %q", e.Value)
					}
				}
			}
			if tt.mode == sharedcache.Off && len(m.Requests("/cache")) > 0 {
				t.Error("mcpd was asked")
			}
		})
	}
}

// showClientTool transforms the result of a client's own tool. The team has a server of the
// client's name.
func showClientTool(t *testing.T, r *teamRig, text string) {
	t.Helper()
	shown, err := r.ShowClientTool(t.Context(), "home", ClientTool{Client: "t", Tool: "Bash", Text: []byte(strings.Repeat(text+"\n", 1000))})
	if err != nil || !bytes.HasPrefix(shown.Text, []byte("stamped: ")) {
		t.Fatalf("%.80q, %v", shown.Text, err)
	}
}

// Results of stages without an LLM are computed again and compared; of others only their
// producer is known.
func TestVerifyShared(t *testing.T) {
	m := startSharing(t)
	r := openMachine(t, m, sharedcache.On, "type: pure", "type: stamp")
	r.call(t, "t__whoami", "some text")
	r.call(t, "local__echo", "local text")
	awaitNil(t, func() error {
		if n := len(m.CacheEntries()); n == 0 {
			return fmt.Errorf("the result of stamp is not stored")
		}
		return nil
	})
	r.drained(t)
	c := toolResult([]byte("some text"), "")
	c.Source, c.Filtered = "t/whoami", true
	runs, err := r.Recompute(t.Context(), flow.Scope{Project: "home"}, c)
	if err != nil || len(runs) != 2 || runs[1].Encoded != nil {
		t.Fatalf("%+v, %v", runs, err)
	}
	runs[0].Run.Login = r.team.set().Login
	r.shared.Offer(&runs[0].Run, runs[0].Encoded, nil)
	r.drained(t)
	verify := func(project string) string {
		t.Helper()
		list, err := r.Storage().VerifyShared(t.Context(), project, 10)
		if err != nil {
			return err.Error()
		}
		var rows []string
		for _, c := range list {
			rows = append(rows, fmt.Sprintf("%s %s by %s", c.Role, c.Result, c.Producer))
		}
		slices.Sort(rows)
		return strings.Join(rows, "; ")
	}
	if got := verify(""); got != "pure equal by user anna; stamp unverifiable by user anna" {
		t.Errorf("got %q", got)
	}
	c.Source, c.Bytes = "local/echo", []byte("local text")
	local, err := r.Recompute(t.Context(), flow.Scope{Project: "home"}, c)
	if err != nil || len(local) == 0 {
		t.Fatal(err)
	}
	asked := m.Requests("/cache/get")
	if last := asked[len(asked)-1].Body; strings.Contains(last, marshal(t, local[0].Run.Key[:])) || !strings.Contains(last, marshal(t, runs[0].Run.Key[:])) {
		t.Errorf("asked for %s", last)
	}
	m.EditCache(func(e *teamtest.CacheEntry) {
		if bytes.Equal(e.Key, runs[0].Run.Key[:]) {
			e.Value, e.Producer = bytes.Replace(e.Value, []byte("some"), []byte("evil"), 1), "serviceaccount c\x1bi"
		}
	})
	if got := verify("home"); got != "pure different by serviceaccount c\ufffdi; stamp unverifiable by user anna" {
		t.Errorf("got %q", got)
	}
	if got := verify("nosuch"); !strings.Contains(got, "is not of the team server") {
		t.Errorf("got %q", got)
	}
	m.SetFaults(teamtest.Faults{Status: 503})
	if got := verify("home"); !strings.Contains(got, "503") && !strings.Contains(got, "not followed") {
		t.Errorf("got %q", got)
	}
}
