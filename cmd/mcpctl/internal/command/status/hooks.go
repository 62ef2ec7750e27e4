package status

import (
	"os"
	"runtime"
	"slices"

	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/clients"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
)

// hookWarnings describes the hooks of this directory whose project exists and is not connected. It
// returns nil if they cannot be read: doctor reports why.
func hookWarnings(f *factory.Factory, st api.Status) (list []string) {
	home, err := f.UserHome()
	if err != nil {
		return nil
	}
	dir, err := os.Getwd()
	if err != nil {
		return nil
	}
	env := clients.Env{Home: home, Dir: dir, OS: runtime.GOOS, Var: f.Env}
	for _, c := range clients.All() {
		for _, h := range c.HooksWithoutEntry(env, st.Home) {
			if slices.ContainsFunc(st.Projects, func(p api.ProjectStatus) bool { return p.Name == h.Project }) {
				list = append(list, h.WithoutEntry(c)+"; mcpctl connect "+c.Name+" --project "+problem.Arg(h.Project))
			}
		}
	}
	return list
}
