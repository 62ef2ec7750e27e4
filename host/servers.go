package host

import (
	"context"
	"fmt"
	"slices"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/object"
	"github.com/mcpctl/mcpctl/host/pool"
	"github.com/mcpctl/mcpctl/host/proxy"
	"github.com/mcpctl/mcpctl/host/upstream"
)

// Servers returns the operations on the servers of the home.
func (h *Host) Servers() Servers { return Servers{h} }

// Servers starts, restarts and describes the servers of the home.
type Servers struct{ h *Host }

// States returns the state of each connection to a server.
func (s Servers) States(server string) []upstream.State { return s.h.pool.States(server) }

// Log returns the log lines of a server after the line with this ID.
func (s Servers) Log(server string, after int64) []upstream.Line {
	return s.h.pool.Journal(server).Since(after)
}

// Restart restarts the connections of all sessions to a server and returns their
// number once they are ready.
//
// Errors: abi.ErrUnavailable if one is not ready in time.
func (s Servers) Restart(ctx context.Context, server string) (int, error) {
	return s.h.pool.Restart(ctx, server)
}

// Probe starts a server for a project, or "", lists its tools and ends it; see pool.Probe. It
// works offline too.
//
// Errors: abi.ErrNotFound for an unknown server; otherwise the reason why it does not
// start or does not list its tools.
func (s Servers) Probe(ctx context.Context, name, project string) (tools []string, err error) {
	if _, ok := s.h.Snapshot().Server(object.Name(name)); !ok {
		return nil, fmt.Errorf("%w: server %q not found", abi.ErrNotFound, name)
	}
	if tools, err = s.h.pool.Probe(ctx, name, project); err == nil {
		s.h.endpoint.ForgetFaults(name)
	}
	return tools, err
}

// LastFailure returns why a server was not usable when last used: it was not ready when
// its last session ended, or its tools could not be listed. ok is false if it was usable
// or was not used yet.
func (s Servers) LastFailure(server string) (f pool.Failure, ok bool) {
	if f, ok = s.h.pool.LastFailure(server); ok {
		return f, true
	}
	if err := s.ToolsFault(server); err != nil {
		return pool.Failure{Error: err.Error(), Stderr: s.h.pool.LastStderr(server)}, true
	}
	return pool.Failure{}, false
}

// ToolsFault returns why the tools of a server could not be listed when a session last
// requested them, nil if they could.
func (s Servers) ToolsFault(server string) error {
	for _, declared := range s.declared(server) {
		if err := s.h.endpoint.ToolsFault("", declared); err != nil {
			return err
		}
	}
	return nil
}

// ListNotes returns descriptions of problems in the last lists of a server, and of its
// tools that wait for approval.
func (s Servers) ListNotes(server string) (notes []string) {
	for _, declared := range s.declared(server) {
		if notes = s.h.endpoint.ListNotes("", declared); len(notes) > 0 {
			break
		}
	}
	return append(slices.Clone(notes), s.h.pins.Notes(server)...)
}

// declared returns a server as the projects that use it declare it.
func (s Servers) declared(server string) (list []proxy.Server) {
	for _, user := range s.h.Snapshot().UsedBy(object.Key{Kind: object.KindServer, Name: object.Name(server)}) {
		p, err := s.h.config.Project(string(user.Name()))
		if err != nil {
			continue
		}
		for _, declared := range p.Servers {
			if declared.Name == server {
				list = append(list, declared)
			}
		}
	}
	return list
}
