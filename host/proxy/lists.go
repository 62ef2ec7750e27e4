package proxy

import (
	"context"
	"crypto/sha256"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/jsonrpc"
	"github.com/mcpctl/mcpctl/host/proxy/stream"
)

// checkDelay collects the list_changed of a burst into one look at the list. It
// doubles, to checkDelayMost, as long as they go on: each look asks the server and the
// controllers of every session.
const (
	checkDelay     = 20 * time.Millisecond
	checkDelayMost = time.Second
)

// listState is what a session knows of the lists its client has.
type listState struct {
	mu    sync.Mutex
	kinds [listKinds]struct {
		given   bool // the client has asked for the list
		sum     [sha256.Size]byte
		checks  bool     // a check is running
		wanted  bool     // and another one is needed
		servers []string // whose list it reads anew
	}
}

// ListTools answers tools/list: the tools of all servers under their wire
// names, and read_section, as controllers leave them.
func (s *Session) ListTools(ctx context.Context, req *request) (flow.Reply, error) {
	return s.list(ctx, req, tools)
}

// ListPrompts answers prompts/list.
func (s *Session) ListPrompts(ctx context.Context, req *request) (flow.Reply, error) {
	return s.list(ctx, req, prompts)
}

// ListResources answers resources/list.
func (s *Session) ListResources(ctx context.Context, req *request) (flow.Reply, error) {
	return s.list(ctx, req, resources)
}

// ListTemplates answers resources/templates/list.
func (s *Session) ListTemplates(ctx context.Context, req *request) (flow.Reply, error) {
	return s.list(ctx, req, templates)
}

func (s *Session) list(ctx context.Context, req *request, k listKind) (flow.Reply, error) {
	if err := wholeList(req.Params); err != nil {
		return flow.Reply{}, err
	}
	ask, others := s.shownServers(ctx, req.project, k)
	all := s.gather(ctx, req.project, k, s.forSome(ask))
	if refused := onlyError(all); refused != nil {
		req.quotes(refused.cleaner)
		return flow.Reply{Error: refused.raw}, nil
	}
	list := s.build(ctx, req, k, req.project, all, reasonList)
	s.lists.give(k, list.sum)
	if len(others) > 0 {
		s.recheck(k, others...)
	}
	for _, one := range all {
		if one.list != nil {
			req.event.InBytes += one.list.size
		}
		if one.stale {
			req.event.Stale = append(req.event.Stale, one.server.Name)
		}
	}
	return flow.Reply{Result: list.result}, nil
}

// wholeList refuses a cursor: our lists have one page, so none is ours.
func wholeList(raw []byte) error {
	params, err := jsonrpc.DecodeParams(raw)
	if err != nil {
		return err
	}
	if cursor, ok := params.Get("cursor"); ok && string(cursor) != "null" {
		return jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "unknown cursor %s: lists are given whole", cursor)
	}
	return nil
}

// onlyError returns the error of a project's only server, nil if it listed or there
// are others.
func onlyError(all []served) *replyError {
	var refused *replyError
	if len(all) == 1 && all[0].list == nil && errors.As(all[0].err, &refused) {
		return refused
	}
	return nil
}

// build assembles a list and makes it the one that names are looked up in. req
// is the request that needs it, nil if none does.
func (s *Session) build(ctx context.Context, req *request, k listKind, p *Project, all []served, reason string) assembled {
	switch k {
	case tools:
		return s.buildTools(ctx, req, p, all, reason)
	case prompts:
		_, list := s.buildPrompts(p, all)
		return list
	default:
		reserved, ours := s.libraryList(k)
		return s.book.update(k, all, reserved, ours...)
	}
}

func (s *Session) buildTools(ctx context.Context, req *request, p *Project, all []served, reason string) assembled {
	if !s.steered() {
		set, list := newToolset(p, all, s.tools.Load())
		s.tools.Store(set)
		return list
	}
	set, list, fx := s.steeredTools(ctx, p, all, reason)
	s.tools.Store(set)
	if reason == reasonList { // it is being read: to say that it has changed would go on for ever
		fx.Notes = slices.DeleteFunc(fx.Notes, func(n abi.Note) bool { return n.Method == tools.changed() })
	}
	s.noteEffects(req, fx)
	return list
}

// give records what the client has and reports whether that is new to it.
func (l *listState) give(k listKind, sum [sha256.Size]byte) (news bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	one := &l.kinds[k]
	news = one.given && one.sum != sum
	one.given, one.sum = true, sum
	return news
}

// has reports whether the client has asked for the list.
func (l *listState) has(k listKind) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.kinds[k].given
}

// recheck looks in the background whether our list is another one than the
// client has, and sends list_changed if so. The named servers are asked anew.
func (s *Session) recheck(k listKind, servers ...string) {
	s.lists.mu.Lock()
	defer s.lists.mu.Unlock()
	one := &s.lists.kinds[k]
	if !one.given || s.ctx.Err() != nil {
		return // it has nothing that could be outdated
	}
	one.wanted = true
	one.servers = append(one.servers, servers...)
	if !one.checks {
		one.checks = true
		go s.checkLoop(k)
	}
}

// recheckAll looks at every list after the project has changed.
func (s *Session) recheckAll() {
	names := []string{}
	for _, server := range s.links.synced.Load().Servers {
		names = append(names, server.Name)
	}
	for k := range listKinds {
		s.recheck(k, names...)
	}
}

func (s *Session) checkLoop(k listKind) {
	for delay := checkDelay; ; delay = min(2*delay, checkDelayMost) {
		select {
		case <-time.After(delay):
		case <-s.ctx.Done():
		}
		s.lists.mu.Lock()
		one := &s.lists.kinds[k]
		if !one.wanted || s.ctx.Err() != nil {
			one.checks = false
			s.lists.mu.Unlock()
			return
		}
		ask := one.servers
		one.wanted, one.servers = false, nil
		s.lists.mu.Unlock()
		s.check(k, ask)
	}
}

func (s *Session) check(k listKind, ask []string) {
	var failed error
	defer s.e.recovered(k.changed(), &failed)
	p := s.links.synced.Load()
	list := s.build(s.ctx, nil, k, p, s.gather(s.ctx, p, k, s.forCheck(ask)), reasonLookup)
	if s.lists.give(k, list.sum) && s.profile.ListChanged {
		s.out.Send(stream.Notification(k.changed(), nil), stream.Once)
	}
}
