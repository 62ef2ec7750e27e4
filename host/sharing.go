package host

import (
	"strings"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/object"
	"github.com/mcpctl/mcpctl/host/pipeline"
	"github.com/mcpctl/mcpctl/host/section"
	"github.com/mcpctl/mcpctl/host/sharedcache"
	"github.com/mcpctl/mcpctl/host/team"
)

var _ pipeline.Shared = (*sharedcache.Cache)(nil)

// newSharedCache returns the client of the cache of the team.
func newSharedCache(h *Host) *sharedcache.Cache {
	return sharedcache.New(sharedcache.Options{
		Team: h.team.sharing, IsShared: h.isOfTeam, CanLeave: h.canLeave, Cleaner: h.newSecretCleaner,
		Log: h.log,
	})
}

// sharing implements sharedcache.Options.Team.
func (t *TeamLink) sharing() (sharedcache.Link, bool) {
	if t.State().Phase != team.Following {
		return sharedcache.Link{}, false
	}
	client, err := t.Client()
	if err != nil {
		return sharedcache.Link{}, false
	}
	s := t.Settings()
	return sharedcache.Link{Caller: client, Mode: sharedcache.Mode(s.Cache), User: s.Login.User, ID: t.set().Login}, true
}

// isOfTeam reports whether a project is of mcpd.
func (h *Host) isOfTeam(project string) bool {
	return h.config.State().Snapshot.IsTeam(object.Key{Kind: object.KindProject, Name: object.Name(project)})
}

// canLeave reports whether the content of a run is of mcpd: the result of a tool of one of its
// servers, or one of its prompts. Content of the servers and prompts of files, of clients' own
// tools and of resources, whose addresses do not name a server, stays on this machine.
func (h *Host) canLeave(r *flow.SharedRun) bool {
	key := object.Key{Kind: object.KindPrompt, Project: object.Name(r.By.Project), Name: object.Name(r.Source)}
	if r.Type == abi.ToolResult {
		server, _, ok := strings.Cut(r.Source, "/")
		if !ok {
			return false
		}
		key = object.Key{Kind: object.KindServer, Name: object.Name(server)}
	} else if r.Type != abi.Prompt {
		return false
	}
	return h.config.State().Snapshot.IsTeam(key)
}

// checkTree implements pipeline.Options.CheckTree.
func checkTree(original []byte, t abi.Tree) error {
	_, err := section.New(original, t, section.Settings{})
	return err
}
