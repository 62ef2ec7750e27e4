package host

import (
	"log/slog"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/live"
	"github.com/mcpctl/mcpctl/host/object"
	"github.com/mcpctl/mcpctl/host/pipeline"
	"github.com/mcpctl/mcpctl/host/section"
	"github.com/mcpctl/mcpctl/host/sharedcache"
	"github.com/mcpctl/mcpctl/host/team"
)

var _ pipeline.Shared = (*sharedcache.Cache)(nil)

// sharing decides what is shared in the cache of the team.
type sharing struct {
	team   *TeamLink
	config func() *live.Config
}

// newSharedCache returns the client of the cache of the team.
func newSharedCache(s sharing, cleaner func() func(string) string, wait time.Duration, log *slog.Logger) *sharedcache.Cache {
	return sharedcache.New(sharedcache.Options{Team: s.link, IsShared: s.isOfTeam, CanLeave: s.canLeave, Cleaner: cleaner, Wait: wait, Log: log})
}

// link implements sharedcache.Options.Team.
func (s sharing) link() (sharedcache.Link, bool) {
	if s.team.State().Phase != team.Following {
		return sharedcache.Link{}, false
	}
	login := s.team.set().Login
	client, err := s.team.Client()
	settings := s.team.Settings()
	if err != nil || s.team.set().Login != login { // the login changes just now
		return sharedcache.Link{}, false
	}
	return sharedcache.Link{Caller: client, Mode: sharedcache.Mode(settings.Cache), User: settings.Login.User, ID: login}, true
}

// isOfTeam implements sharedcache.Options.IsShared.
func (s sharing) isOfTeam(project string) bool {
	return s.config().State().Snapshot.IsTeam(object.Key{Kind: object.KindProject, Name: object.Name(project)})
}

// canLeave reports whether the content of a run is of mcpd: the result of a tool of one of its
// servers, or one of its prompts. Content of the servers and prompts of files stays on this
// machine, and so do resources, whose addresses do not name a server.
func (s sharing) canLeave(r *flow.SharedRun) bool {
	key := object.Key{Kind: object.KindPrompt, Project: object.Name(r.By.Project), Name: object.Name(r.Source)}
	if r.Type == abi.ToolResult {
		server, _, _ := strings.Cut(r.Source, "/")
		key = object.Key{Kind: object.KindServer, Name: object.Name(server)}
	} else if r.Type != abi.Prompt {
		return false
	}
	return s.config().State().Snapshot.IsTeam(key)
}

// checkTree implements pipeline.Options.CheckTree.
func checkTree(original []byte, t abi.Tree) error {
	_, err := section.New(original, t, section.Settings{})
	return err
}
