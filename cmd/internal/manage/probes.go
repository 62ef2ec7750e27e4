package manage

import (
	"context"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/host/object"
	"github.com/mcpctl/mcpctl/host/store"
	"github.com/mcpctl/mcpctl/host/team"
)

// ProbeServer implements api.Service.
func (s *Service) ProbeServer(ctx context.Context, name string) (api.ServerProbe, error) {
	project := ""
	if snapshot := s.h.Snapshot(); snapshot.IsTeam(object.Key{Kind: object.KindServer, Name: object.Name(name)}) {
		var err error
		if project, err = (teamService{s.h}).runProject(ctx, name, teamProjectsOf(snapshot, name)); err != nil {
			return api.ServerProbe{}, err
		}
	}
	tools, err := s.h.Servers().Probe(ctx, name, project)
	return api.ServerProbe{Tools: append([]string{}, tools...)}, err
}

// ProbeLLM implements api.Service.
func (s *Service) ProbeLLM(ctx context.Context, name string) error { return s.h.LLM().Probe(ctx, name) }

// maxAsked is the number of projects in which runProject asks for the right to run a server.
const maxAsked = 32

// teamProjectsOf returns the projects of mcpd that use a server, at most maxAsked, or "" alone if
// there is none.
func teamProjectsOf(snapshot *store.Snapshot, server string) (names []string) {
	for _, p := range snapshot.UsedBy(object.Key{Kind: object.KindServer, Name: object.Name(server)}) {
		if len(names) < maxAsked && snapshot.IsTeam(p.Key()) {
			names = append(names, string(p.Name()))
		}
	}
	if names == nil {
		return []string{""}
	}
	return names
}

// runProject returns the first of the projects in which the user may run a server of mcpd. It asks
// for the right, because mcpd audits a call that it denies.
//
// Errors: abi.ErrDenied, with a hint that begins with "mcpctl auth can-i", if there is none.
func (t teamService) runProject(ctx context.Context, server string, projects []string) (string, error) {
	for _, project := range projects {
		answer, err := t.CanI(ctx, api.CanI{Verb: string(object.VerbRun), Kind: "server", Name: server, Project: project})
		if err != nil {
			return "", err
		}
		if answer.Allowed {
			return project, nil
		}
	}
	return "", problem.New(abi.ErrDenied, "no right to run it").WithHint("%s", team.RunCommand(server, projects[0]))
}
