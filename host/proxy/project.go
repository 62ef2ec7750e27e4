package proxy

import (
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/proxy/names"
)

// Projects tells how projects are configured at this moment. It is asked at
// every request, so that a change is seen by sessions that are already open.
//
// Implementations are safe for concurrent use and return at once.
type Projects interface {
	// Project returns the project as it is now. As long as nothing has changed
	// it returns the same pointer.
	//
	// Errors: abi.ErrNotFound.
	Project(name string) (*Project, error)
}

// Project is one state of a project. It is never modified.
type Project struct {
	Name     string
	Servers  []Server // in the order of the project
	Bare     bool     // tools keep their names; heeded only with one server
	Sections bool     // a stage of the project can produce Sections: read_section is listed
	Models   Models
}

// Server is one server of a Project.
type Server struct {
	Name string
	// Revision changes with anything in the server's spec. Sessions that are
	// open then connect anew; calls that are running end first.
	Revision string
	Shared   bool // one connection for all sessions: no sampling, elicitation, roots
	// Timeout bounds how long the server may take to start and to be listed after the
	// session that started it has ended. Default 60 s.
	Timeout time.Duration
	// ToolsTTL is how long a list read from the server is taken as current
	// without asking again. Default 0: ask at every tools/list.
	ToolsTTL time.Duration
}

// Models tells what runs over a content.
type Models interface {
	// Model returns what the ProxyModel for one source does. The source is
	// spelled as in flow.Content.
	Model(t abi.ContentType, source string) Model
}

// Model is what the proxy has to know of a ProxyModel.
type Model struct {
	Runs       bool // filters or stages run: content is given to the Transformer
	Transforms bool // one of them may change content: outputSchema is hidden
	Filters    bool // one of them is a filter: it is given more than a stage, see filter.go

	// Broken is not empty if the ProxyModel does not work, and says so to the
	// client. All content is then withheld, so a tool is not called: what it did
	// would be done, and a model that cannot read so would do it again.
	Broken string
}

// naming returns how tools and prompts of the project are named.
func (p *Project) naming(reserved []string) names.Naming {
	return names.Naming{Project: p.Name, Bare: p.Bare && len(p.Servers) == 1, Reserved: reserved}
}

// only returns the project's server if it has exactly one.
func (p *Project) only() (Server, bool) {
	if len(p.Servers) != 1 {
		return Server{}, false
	}
	return p.Servers[0], true
}

func (p *Project) model(t abi.ContentType, source string) Model {
	if p.Models == nil {
		return Model{}
	}
	return p.Models.Model(t, source)
}
