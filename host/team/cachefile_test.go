package team

import (
	"fmt"
	"log/slog"
	"os"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/host/secret"
	"github.com/mcpctl/mcpctl/host/team/teamtest"
)

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
