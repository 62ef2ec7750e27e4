package mcpdtest_test

import (
	"context"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/mcpdtest"
	"github.com/mcpctl/mcpctl/host/object"
	"github.com/mcpctl/mcpctl/host/secret"
	"github.com/mcpctl/mcpctl/host/team"
)

// follow returns a follower of a server with a token of a user. A pause of it is an error.
func follow(t *testing.T, s *mcpdtest.Server, user string) *team.Follower {
	t.Helper()
	f := team.New(team.Options{Cache: filepath.Join(t.TempDir(), "team.json"), Log: slog.New(slog.DiscardHandler), Pause: func(ctx context.Context, d time.Duration) {
		if ctx.Err() == nil {
			t.Errorf("the follower waits %v", d)
		}
	}})
	f.Configure(team.Settings{URL: s.URL, Login: team.Login{URL: s.URL, User: user, Token: secret.New(s.Token(t, user))}})
	ctx, end := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		f.Run(ctx)
		close(ended)
	}()
	t.Cleanup(func() {
		end()
		<-ended
	})
	return f
}

// awaitObjects waits until a follower has a phase and exactly the objects of some names.
func awaitObjects(t *testing.T, f *team.Follower, phase team.Phase, want string) {
	t.Helper()
	limit := time.After(time.Minute)
	for {
		var names []string
		for _, o := range f.Set().Objects {
			if key := o.Key(); key.Project != object.SystemProject {
				names = append(names, string(key.Name))
			}
		}
		if f.State().Phase == phase && strings.Join(names, " ") == want {
			return
		}
		select {
		case <-f.Changes():
		case <-time.After(50 * time.Millisecond):
		case <-limit:
			t.Fatalf("phase %q, objects %q; want %q, %q", f.State().Phase, names, phase, want)
		}
	}
}

// Each kind of change of the rights of a user reaches their machine without a pause of the
// follower. Each begins with a new follower, because a second change within seconds may wait.
func TestChangedRightsReachFollower(t *testing.T) {
	const objects = `
kind: User
metadata: {name: anna}
---
kind: Group
metadata: {name: web}
spec: {members: [anna]}
---
kind: Server
metadata: {name: wiki}
spec: {url: "https://wiki.example/mcp"}
---
kind: Server
metadata: {name: files}
spec: {url: "https://files.example/mcp"}
---
kind: RbacBinding
metadata: {name: view-wiki}
spec: {subjects: [{group: web}], verbs: [view], kinds: [Server], names: [wiki]}
`
	const moreRights = `
kind: RbacBinding
metadata: {name: view-files}
spec: {subjects: [{user: anna}], verbs: [view], kinds: [Server], names: [files]}
`
	for name, tc := range map[string]struct {
		change func(*testing.T, *mcpdtest.Server)
		phase  team.Phase
		want   string
	}{
		"a binding more": {func(t *testing.T, s *mcpdtest.Server) { s.Apply(t, moreRights) }, team.Following, "files wiki"},
		"a binding less": {func(t *testing.T, s *mcpdtest.Server) {
			s.Delete(t, object.Key{Kind: object.KindRbacBinding, Name: "view-wiki"})
		}, team.Following, ""},
		"a binding of other names": {func(t *testing.T, s *mcpdtest.Server) {
			s.Apply(t, strings.NewReplacer("view-files", "view-wiki").Replace(moreRights))
		}, team.Following, "files"},
		"no longer a member of the group": {func(t *testing.T, s *mcpdtest.Server) {
			s.Apply(t, "kind: User\nmetadata: {name: ben}\n---\nkind: Group\nmetadata: {name: web}\nspec: {members: [ben]}\n")
		}, team.Following, ""},
		"the group is deleted": {func(t *testing.T, s *mcpdtest.Server) {
			s.Delete(t, object.Key{Kind: object.KindGroup, Name: "web"})
		}, team.Following, ""},
		"the user is disabled": {func(t *testing.T, s *mcpdtest.Server) {
			s.Apply(t, "kind: User\nmetadata: {name: anna}\nspec: {disabled: true}\n")
		}, team.Refused, "wiki"},
		"the user is deleted": {func(t *testing.T, s *mcpdtest.Server) {
			s.Delete(t, object.Key{Kind: object.KindUser, Name: "anna"})
		}, team.Refused, "wiki"},
	} {
		t.Run(name, func(t *testing.T) {
			s := mcpdtest.Start(t, filepath.Join(t.TempDir(), "db"))
			s.Apply(t, objects)
			f := follow(t, s, "anna")
			awaitObjects(t, f, team.Following, "wiki")
			tc.change(t, s)
			awaitObjects(t, f, tc.phase, tc.want)
		})
	}
}
