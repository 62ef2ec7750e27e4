package connect

import (
	"encoding/json"
	"os"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/clientconfig"
	"github.com/mcpctl/mcpctl/host/object"
)

// entries are what the client is to run: us, or in direct mode the servers.
func (opts *Options) entries(project api.Object) ([]clientconfig.Entry, error) {
	var d api.ProjectDetails
	if err := json.Unmarshal(project.Details, &d); err != nil {
		return nil, err
	}
	if d.ProxyMode == object.ModeDirect {
		return opts.direct(d.Servers)
	}
	raw, err := opts.entry(d)
	return []clientconfig.Entry{{Name: project.Name, Raw: raw}}, err
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
// references stay references.
func (opts *Options) direct(servers []string) ([]clientconfig.Entry, error) {
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
	var list []clientconfig.Entry
	for _, name := range servers {
		s, ok := snapshot.Server(object.Name(name))
		if !ok {
			return nil, problem.New(abi.ErrNotFound, "server %q not found", name).WithHint("mcpctl get servers")
		}
		raw, err := s.ClientEntry()
		if err != nil {
			return nil, err
		}
		list = append(list, clientconfig.Entry{Name: name, Raw: raw})
	}
	return list, nil
}
