package doctor

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
)

// checkTeam checks that the team server, if one is configured, answers and accepts the login. It
// returns false if its servers cannot be called for that reason.
func (e *exam) checkTeam(ctx context.Context, s api.Service) bool {
	if e.settings == nil || e.settings.Get("mcpd-url") == "" {
		return true
	}
	e.doing.Store("asking the team server")
	limited, cancel := context.WithTimeout(ctx, e.Timeout)
	defer cancel()
	session, err := s.Team().Whoami(limited)
	if err == nil {
		text := session.URL + " answers, " + strings.ToLower(session.Kind) + " " + session.Name
		if !session.Expires.IsZero() {
			text += ", token expires " + session.Expires.UTC().Format(time.DateOnly)
		}
		e.add(levelOK, "mcpd", "", "%s", text)
		return true
	}
	p := problem.From(err)
	switch {
	case limited.Err() != nil && ctx.Err() == nil:
		e.add(levelError, "mcpd", "mcpctl status", "mcpd %s does not answer within %v; its last objects are used, and calls of its servers fail", e.settings.Get("mcpd-url"), e.Timeout)
	case errors.Is(err, abi.ErrDenied) && strings.HasPrefix(p.Message, "not logged in"):
		e.add(levelWarning, "mcpd", p.Hint, "%s %s", p.Message, e.settings.Get("mcpd-url"))
	case errors.Is(err, abi.ErrUnavailable):
		p.Cause += "; its last objects are used, and calls of its servers fail"
		e.fail("mcpd", p, "mcpctl status")
	default:
		e.fail("mcpd", err, "mcpctl status")
	}
	return false
}

// isWithoutRight reports whether a server of the team server was not probed because the user may
// not run it.
func isWithoutRight(err error) bool {
	return errors.Is(err, abi.ErrDenied) && strings.HasPrefix(problem.From(err).Hint, "mcpctl auth can-i run server ")
}

// withoutTeam removes the servers that are called through the team server, and reports them.
func (e *exam) withoutTeam(servers []api.Object) []api.Object {
	return slices.DeleteFunc(servers, func(o api.Object) bool {
		if o.Source == api.SourceTeam {
			e.add(levelWarning, "server/"+o.Name, "mcpctl status", "not checked: it is called through the team server")
		}
		return o.Source == api.SourceTeam
	})
}
