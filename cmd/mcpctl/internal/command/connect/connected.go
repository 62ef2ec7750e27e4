package connect

import (
	"os"
	"runtime"

	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/clients"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
)

// Connected returns the clients that are connected to a project, according to the records of this
// home. It skips clients with an invalid file.
func Connected(f *factory.Factory, project string) ([]clients.Client, error) {
	home, err := f.UserHome()
	if err != nil {
		return nil, err
	}
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	env := clients.Env{Home: home, Dir: dir, OS: runtime.GOOS, Var: f.Env}
	var list []clients.Client
	for _, c := range clients.All() {
		p, err := newPlan(&Options{F: f, Client: c.Name, Project: project, client: c, env: env})
		if err != nil {
			return nil, err
		}
		if known, err := p.isRecorded(); known && err == nil {
			list = append(list, c)
		}
	}
	return list, nil
}
