package connect

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/host/object"
)

// entry is what a client's file is to hold under a name.
type entry struct {
	name  string
	value json.RawMessage
}

// entries are what the client is to run: mcpctl, or in direct mode the servers.
func (opts *Options) entries(project api.Object) ([]entry, error) {
	var d api.ProjectDetails
	if err := json.Unmarshal(project.Details, &d); err != nil {
		return nil, err
	}
	if d.ProxyMode == object.ModeDirect {
		return opts.direct(d.Servers)
	}
	raw, err := opts.entry(d)
	return []entry{{project.Name, raw}}, err
}

// entry is ours: the stdio shim, which survives everything behind it, or HTTP.
func (opts *Options) entry(d api.ProjectDetails) (json.RawMessage, error) {
	if opts.HTTP {
		endpoint := d.Endpoint
		if endpoint == "" {
			settings, err := opts.F.Settings()
			if err != nil {
				return nil, err
			}
			endpoint = settings.Get("mcplocal-url") + "/projects/" + opts.Project + "/mcp"
		}
		// The token stays out of the file: the client fills the variable in.
		return json.Marshal(httpEntry{"http", endpoint, map[string]string{"Authorization": "Bearer ${MCPCTL_TOKEN}"}})
	}
	e := stdioEntry{Type: "stdio", Command: "mcpctl", Args: []string{"mcp", "--project", opts.Project}}
	if opts.Scope != "project" { // a file for one machine may name a path of it
		if self, err := os.Executable(); err == nil {
			e.Command = self
		}
		if h := opts.F.Env("MCPCTL_HOME"); h != "" {
			e.Env = map[string]string{"MCPCTL_HOME": h}
		}
	}
	return json.Marshal(e)
}

type stdioEntry struct {
	Type    string            `json:"type"`
	Command string            `json:"command"`
	Args    []string          `json:"args"`
	Env     map[string]string `json:"env,omitempty"`
}

type httpEntry struct {
	Type    string            `json:"type"`
	URL     string            `json:"url"`
	Headers map[string]string `json:"headers,omitempty"`
}

// direct are the project's servers as the client starts them itself; their
// references stay references, for no credential is written into a client's file.
func (opts *Options) direct(servers []string) ([]entry, error) {
	home, err := opts.F.Home()
	if err != nil {
		return nil, err
	}
	store, err := object.OpenStore(home)
	if err != nil {
		return nil, err
	}
	defer store.Close()
	snapshot, _ := store.Load()
	var list []entry
	for _, name := range servers {
		s, ok := snapshot.Server(object.Name(name))
		if !ok {
			return nil, problem.New(abi.ErrNotFound, "server %q not found", name).WithHint("mcpctl get servers")
		}
		if !opts.Remove {
			if err := opts.fitForClient(s); err != nil {
				return nil, err
			}
		}
		raw, err := s.ClientEntry()
		if err != nil {
			return nil, err
		}
		list = append(list, entry{name, raw})
	}
	return list, nil
}

// fitForClient refuses a server with a credential in clear, and tells which of its
// variables only the daemon knows: a client reads its environment, not our secrets.
func (opts *Options) fitForClient(s *object.Server) error {
	if fields := s.PlainCredentials(); len(fields) > 0 {
		p := problem.New(abi.ErrDenied, "server %q holds a credential in clear: %s", s.Name(), strings.Join(fields, ", "))
		p.Cause = "a direct project would copy it into the client's file; write ${NAME} there and set NAME in the client's environment"
		return p.WithHint("mcpctl patch project %s --set proxyMode=proxy", opts.Project)
	}
	for _, name := range s.Variables() {
		if opts.F.Env(name) == "" {
			fmt.Fprintf(opts.F.IO.ErrOut, "warning: server %q needs %s, which the client must find in its environment, for it does not read secrets.yaml\n"+
				"  export %s where the client is started, or let mcplocal start the server: mcpctl patch project %s --set proxyMode=proxy\n", s.Name(), name, name, opts.Project)
		}
	}
	return nil
}
