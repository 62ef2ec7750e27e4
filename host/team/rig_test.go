package team

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

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
	limit := time.After(time.Minute)
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
