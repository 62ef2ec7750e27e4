package manage

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/host/object"
)

// ServerLog implements api.Service.
func (s *Service) ServerLog(_ context.Context, name string, after int64) ([]api.LogLine, error) {
	if err := s.requireServer(name); err != nil {
		return nil, err
	}
	lines := []api.LogLine{}
	for _, l := range s.h.Servers().Log(name, after) {
		lines = append(lines, api.LogLine{ID: l.ID, Time: l.Time, Text: l.Text})
	}
	return lines, nil
}

// RestartServer implements api.Service.
func (s *Service) RestartServer(ctx context.Context, name string) (api.Restarted, error) {
	if err := s.requireServer(name); err != nil {
		return api.Restarted{}, err
	}
	n, err := s.h.Servers().Restart(ctx, name)
	if err != nil {
		return api.Restarted{}, problem.From(err).WithHint("mcpctl logs %s", problem.Arg(name))
	}
	return api.Restarted{Connections: n}, nil
}

// requireServer requires that the server exists and that a daemon runs, because only a
// daemon starts servers.
func (s *Service) requireServer(name string) error {
	if _, ok := s.h.Snapshot().Get(object.Key{Kind: object.KindServer, Name: object.Name(name)}); !ok {
		return missingObject(s.h, "server", name)
	}
	if s.at.PID == 0 {
		return problem.New(abi.ErrUnavailable, "no daemon runs, and servers run only in a daemon").WithHint("mcpctl daemon start")
	}
	return nil
}

// missingProgram returns a warning if the program of a server is not in the PATH of this
// process, which is the daemon if one runs. It skips paths, which are relative to a
// directory that is known only at the start, and programs that contain references.
func missingProgram(o object.Object) string {
	s, ok := o.(*object.Server)
	if !ok || len(s.Spec.Command) == 0 || len(s.Spec.Command[0].Variables()) > 0 {
		return ""
	}
	v, err := s.Spec.Command[0].Expand(nil)
	program := v.Reveal()
	if first := firstWord(program); err == nil && first != "" {
		return fmt.Sprintf("server %q cannot start: its command contains a blank, but %q is the program; arguments belong in args (in a Server: separate items of command)", s.Key().Name, first)
	}
	if err != nil || strings.ContainsAny(program, `/\`) {
		return ""
	}
	if _, err := exec.LookPath(program); !errors.Is(err, exec.ErrNotFound) {
		return ""
	}
	return fmt.Sprintf("server %q cannot start: program %q is not in the PATH of the daemon; install it, or set the PATH of this shell: mcpctl config set path \"$PATH\"", s.Key().Name, program)
}

// firstWord returns the program of a command line that was written as one word, or "" if
// program is the name of a program. The arguments may be credentials and must not be shown.
func firstWord(program string) string {
	first, rest, hasBlank := strings.Cut(strings.TrimSpace(program), " ")
	if !hasBlank || strings.TrimSpace(rest) == "" || strings.ContainsAny(first, `/\`) {
		return ""
	}
	if _, err := exec.LookPath(program); err == nil {
		return ""
	}
	if _, err := exec.LookPath(first); err != nil {
		return ""
	}
	return first
}
