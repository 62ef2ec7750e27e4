package team

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

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
