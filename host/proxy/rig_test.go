package proxy

import (
	"context"
	"encoding/json"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/proxy/proxytest"
	"github.com/mcpctl/mcpctl/host/upstream"
)

// rig is an Endpoint with its surroundings: projects that a test can change, servers, and a
// pipeline that stores Originals in memory.
type rig struct {
	*Endpoint
	projects  *testProjects
	pipeline  *proxytest.Pipeline
	events    *testEvents
	upstreams Upstreams
}

const testProject = "home"

// newRig opens an Endpoint for one project with the given servers.
func newRig(t *testing.T, ups Upstreams, p Project, o Options) *rig {
	t.Helper()
	return newSteeredRig(t, ups, p, o, nil, nil)
}

// newSteeredRig is newRig with controllers and the prompts of a project.
func newSteeredRig(t *testing.T, ups Upstreams, p Project, o Options, controllers Controllers, library Library) *rig {
	t.Helper()
	return newPartsRig(t, p, o, Parts{Upstreams: ups, Controllers: controllers, Library: library})
}

// newPartsRig is newRig with more parts.
func newPartsRig(t *testing.T, p Project, o Options, parts Parts) *rig {
	t.Helper()
	p.Name = testProject
	r := &rig{
		projects:  &testProjects{known: map[string]*Project{p.Name: &p}},
		pipeline:  &proxytest.Pipeline{},
		events:    &testEvents{},
		upstreams: parts.Upstreams,
	}
	parts.Projects, parts.Transformer, parts.Reader, parts.Events = r.projects, r.pipeline, r.pipeline, r.events
	r.Endpoint = Open(parts, o)
	t.Cleanup(r.Endpoint.Close)
	return r
}

// serve starts the Endpoint on a loopback port and returns the project's URL.
func (r *rig) serve(t *testing.T) string {
	t.Helper()
	web := httptest.NewServer(r.Endpoint)
	t.Cleanup(func() { r.Endpoint.Close(); web.CloseClientConnections(); web.Close() })
	return web.URL + "/projects/" + testProject + "/mcp"
}

// testProjects is a configuration that a test can change.
type testProjects struct {
	mu    sync.Mutex
	known map[string]*Project
}

func (p *testProjects) Project(name string) (*Project, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if one := p.known[name]; one != nil {
		return one, nil
	}
	return nil, abi.ErrNotFound
}

func (p *testProjects) set(one Project) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.known[one.Name] = &one
}

type testEvents struct {
	mu  sync.Mutex
	all []Event
}

// AddSession implements Events.
func (e *testEvents) AddSession(SessionInfo, string) {}

func (e *testEvents) Add(ev Event) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.all = append(e.all, ev)
}

func (e *testEvents) last() Event {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.all[len(e.all)-1]
}

// testModels are Models by source; "*" is for all others.
type testModels map[string]Model

func (m testModels) Model(_ abi.ContentType, source string) Model {
	if one, ok := m[source]; ok {
		return one
	}
	return m["*"]
}

// realUpstreams connects with host/upstream.
type realUpstreams map[string]upstream.Config

func (u realUpstreams) For(_ context.Context, _ flow.Scope, s Server, c Client, p Peer) (Upstream, error) {
	cfg, ok := u[s.Name]
	if !ok {
		return nil, abi.ErrNotFound
	}
	cfg.Name, cfg.Capabilities = s.Name, c.Capabilities
	client, err := upstream.Start(context.Background(), cfg, p)
	return realUpstream{client}, err
}

type realUpstream struct{ *upstream.Client }

func (u realUpstream) Call(ctx context.Context, method string, params json.RawMessage, p Peer) (flow.Reply, error) {
	return u.Client.Call(ctx, method, params, p)
}

func (u realUpstream) CallRepeatable(ctx context.Context, method string, params json.RawMessage, p Peer) (flow.Reply, error) {
	return u.Client.CallRepeatable(ctx, method, params, p)
}
