package proxy

import (
	"context"
	"slices"

	"github.com/mcpctl/mcpctl/abi"
)

// standIn takes the place of the tools of a server that was not listed yet, in a
// list that no client sees: if controllers hide it, they would hide the server's
// tools too.
var standIn = &listing{items: []item{{[]byte(`{"name":"not-listed-yet","description":"Stands for the tools of this server, which has not listed them yet.","inputSchema":{"type":"object"}}`), "not-listed-yet"}}}

// shownServers decides which servers a list waits for: those of which it shows
// something. A closed gate shows its own tool alone, so that a server that is slow or
// dead does not delay it. others names the servers that are not waited for and whose
// tools were not read lately.
func (s *Session) shownServers(ctx context.Context, p *Project, k listKind) (isShown func(server string) bool, others []string) {
	all := func(string) bool { return true }
	if k != tools || !s.steered() || !s.steering.Wants(abi.OnToolsList) {
		return all, nil
	}
	known, unsure := s.knownTools(p)
	if !unsure {
		return all, nil
	}
	set, _, _ := s.steeredTools(ctx, p, known, reasonLookup)
	shown := make(map[string]bool)
	for _, tool := range set.all {
		if to, ok := set.byLabel[tool.Label]; ok && !tool.Hidden {
			shown[to.Server] = true
		}
	}
	for _, one := range known {
		if !shown[one.server.Name] && (one.list == standIn || one.list.kept) {
			others = append(others, one.server.Name)
		}
	}
	return func(server string) bool { return shown[server] }, others
}

// knownTools returns the last known tools of every server, a stand-in where there are
// none. unsure is set if the list of one of them might have to be waited for.
func (s *Session) knownTools(p *Project) (all []served, unsure bool) {
	for _, server := range p.Servers {
		list, absent, _ := s.e.catalog.last(s.scope.Subject, server, tools)
		starting, _ := s.links.starting(server.Name)
		unsure = unsure || list == nil || absent || starting
		if list == nil {
			list = standIn
		}
		all = append(all, served{server: server, list: list})
	}
	return all, unsure
}

// awaitNames gives servers that were never listed a moment before the first call of a
// controller's tool: its answer may name the tools of the session.
func (s *Session) awaitNames(ctx context.Context, req *request, set *toolset) *toolset {
	if !slices.ContainsFunc(set.missing, func(m served) bool { return m.list == nil }) {
		return set
	}
	s.build(ctx, req, tools, req.project, s.gather(ctx, req.project, tools, forNames), reasonLookup)
	return s.tools.Load()
}
