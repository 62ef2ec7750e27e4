package connect

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/clients"
	"github.com/mcpctl/mcpctl/host/object"
	"github.com/mcpctl/mcpctl/host/secret"
)

// entry is a named entry to write to a client's file.
type entry struct {
	name  string
	value json.RawMessage
}

// entries returns the entries to write: one that runs mcpctl, or in direct mode the servers.
func (opts *Options) entries(at clients.Place) ([]entry, error) {
	if opts.details.ProxyMode == object.ModeDirect {
		return opts.direct()
	}
	s, err := opts.proxyEntry(at)
	if err != nil {
		return nil, err
	}
	value, err := opts.client.Write(s)
	if err != nil {
		return nil, problem.From(err).WithHint("mcpctl connect %s --project %s", opts.Client, opts.Project)
	}
	return []entry{{opts.Project, value}}, nil
}

// proxyEntry returns an entry that runs mcpctl mcp, or one with the daemon's HTTP endpoint.
func (opts *Options) proxyEntry(at clients.Place) (clients.Server, error) {
	if opts.HTTP {
		endpoint := opts.details.Endpoint
		if endpoint == "" {
			settings, err := opts.F.Settings()
			if err != nil {
				return clients.Server{}, err
			}
			endpoint = settings.Get("mcplocal-url") + "/projects/" + opts.Project + "/mcp"
		}
		// The token is not written to the file: the client expands the variable.
		return clients.Server{URL: endpoint, Headers: map[string]string{"Authorization": "Bearer ${MCPCTL_TOKEN}"}}, nil
	}
	return opts.ownEntry(at, "mcp", "--project", opts.Project)
}

// ownEntry returns an entry that runs mcpctl with this home.
func (opts *Options) ownEntry(at clients.Place, args ...string) (clients.Server, error) {
	s := clients.Server{Command: "mcpctl", Args: args}
	if at.Scope == clients.Project { // shared file: no paths of this machine
		return s, nil
	}
	if self, err := os.Executable(); err == nil {
		s.Command = self
	}
	if opts.F.Env("MCPCTL_HOME") != "" { // even if it equals the default: the client's HOME may differ
		home, err := opts.F.Home()
		if err != nil {
			return s, err
		}
		s.Env = map[string]string{"MCPCTL_HOME": home}
	}
	return s, nil
}

// direct returns the project's servers for the client to start itself. References are not expanded,
// so
// that no credential is written to a client's file.
func (opts *Options) direct() ([]entry, error) {
	servers, err := opts.servers()
	if err != nil {
		return nil, err
	}
	var list []entry
	for _, name := range opts.details.Servers {
		s, ok := servers.Find(name)
		if !ok {
			return nil, problem.New(abi.ErrNotFound, "server %q not found", name).WithHint("mcpctl get servers")
		}
		if err := opts.fitForClient(s); err != nil {
			return nil, err
		}
		value, err := opts.directEntry(s)
		if err != nil {
			p := problem.New(abi.ErrConfig, "server %q cannot be written into the file of %s: %s", name, opts.client.Title, problem.From(err).Message)
			return nil, p.WithHint("mcpctl patch project %s --set proxyMode=proxy", opts.Project)
		}
		list = append(list, entry{name, value})
	}
	return list, nil
}

// directEntry encodes a server in the format of the client.
func (opts *Options) directEntry(s *object.Server) (json.RawMessage, error) {
	raw, err := s.ClientEntry()
	if err != nil {
		return nil, err
	}
	var e struct {
		Command, Cwd, URL string
		Args              []string
		Env, Headers      map[string]string
	}
	if err := json.Unmarshal(raw, &e); err != nil {
		return nil, err
	}
	if strings.Contains(e.Cwd, secret.ClientDirVariable) {
		e.Cwd = "" // the client uses its own directory by default
	}
	return opts.client.Write(clients.Server{Command: e.Command, Args: e.Args, Env: e.Env, Cwd: e.Cwd, URL: e.URL, Headers: e.Headers})
}

// fitForClient rejects a server with a plain-text credential. It warns about variables that are set
// only for the daemon: a client reads its environment, not secrets.yaml.
func (opts *Options) fitForClient(s *object.Server) error {
	if fields := s.PlainCredentials(); len(fields) > 0 {
		p := problem.New(abi.ErrDenied, "server %q contains a plain-text credential: %s", s.Name(), strings.Join(fields, ", "))
		p.Cause = "a direct project would copy it into the client's file; write ${NAME} there and set NAME in the client's environment"
		return p.WithHint("mcpctl patch project %s --set proxyMode=proxy", opts.Project)
	}
	for _, name := range s.Variables() {
		if opts.F.Env(name) == "" && name != secret.ClientDirVariable {
			fmt.Fprintf(opts.F.IO.ErrOut, "warning: server %q needs %s, which must be set in the client's environment, because the client does not read secrets.yaml\n"+
				"  export %s where the client is started, or let mcplocal start the server: mcpctl patch project %s --set proxyMode=proxy\n", s.Name(), name, name, opts.Project)
		}
	}
	return nil
}

// servers loads the servers of the home.
func (opts *Options) servers() (*clients.Servers, error) {
	home, err := opts.F.Home()
	if err != nil {
		return nil, err
	}
	return clients.LoadServers(home, opts.F.Env)
}

// runsServer reports whether an entry of the client runs a server of the project.
func (opts *Options) runsServer(all *clients.Servers, spec clients.Server) bool {
	_, ok := all.Match(spec, opts.details.Servers)
	return ok
}
