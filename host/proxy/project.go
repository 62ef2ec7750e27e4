package proxy

import (
	"fmt"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/proxy/choice"
	"github.com/mcpctl/mcpctl/host/proxy/names"
)

// Projects returns the current configuration of projects. It is called for every
// request, so that open sessions see changes.
//
// Implementations are safe for concurrent use and do not block.
type Projects interface {
	// Project returns the current state of a project. It returns the same pointer as long
	// as nothing has changed.
	//
	// Errors: abi.ErrNotFound.
	Project(name string) (*Project, error)
}

// Project is one state of a project. It is never modified.
type Project struct {
	Name      string
	Servers   []Server     // in the order of the project
	Bare      bool         // tools keep their names; ignored with more than one server
	Sections  bool         // a stage of the project can produce Sections: read_section is listed
	Questions bool         // a stage of the project reads the arguments of calls: read_section describes _question
	Tools     choice.Tools // the tools of servers that are offered
	Models    Models
	Protocol  string // stateless.Version, or the newest with sessions, if clients may speak only such; "": any

	// MaxAnswerTokens is the number of estimated tokens above which an answer is replaced
	// by an index, if no stage has indexed it; 0 means no limit.
	MaxAnswerTokens int
}

// Server is one server of a Project.
type Server struct {
	Name string
	// Revision changes with anything in the server's spec. Open sessions then connect
	// again; running calls end first.
	Revision string
	Shared   bool // one connection for all sessions: no sampling, elicitation, roots
	// Timeout limits how long the server may take to start and to be listed after the
	// session that started it has ended. Default 60 s.
	Timeout time.Duration
	// ToolsTTL is how long a list of tools is used without asking the server again.
	// Default 0: ask for each tools/list.
	ToolsTTL time.Duration
}

// Models returns the proxymodels of a project.
type Models interface {
	// Model returns the Model for one source, spelled as in flow.Content.
	Model(t abi.ContentType, source string) Model
}

// Model describes the ProxyModel of one source.
type Model struct {
	Runs       bool // filters or stages run
	Transforms bool // a stage may change content: outputSchema is hidden
	Arguments  bool // a stage reads the arguments of the call
	Filters    bool // a filter runs, which reads more than stages (see result.Reader)

	// Broken is not empty if the ProxyModel is invalid. It is the text for the client. All
	// content is then withheld; a tool is not called, because a model that cannot read the
	// result might repeat the call.
	Broken string
}

// naming returns the rules for names in the project.
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

// server returns the server with a name. An unknown server has only its name.
func (p *Project) server(name string) Server {
	for _, s := range p.Servers {
		if s.Name == name {
			return s
		}
	}
	return Server{Name: name}
}

// refusal returns why a tool of a server cannot be called in the project; "" if it can.
func (p *Project) refusal(to names.Target) string {
	d := p.Tools.Decide(to.Label())
	if d.Offered {
		return ""
	}
	return fmt.Sprintf("project %q does not allow tool %q: %s (see mcpctl describe project %s)", p.Name, to.Label(), d.Reason(), p.Name)
}

func (p *Project) model(t abi.ContentType, source string) Model {
	if p.Models == nil {
		return Model{}
	}
	return p.Models.Model(t, source)
}
