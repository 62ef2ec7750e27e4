package proxy

import (
	"context"
	"errors"

	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/jsonrpc"
	"github.com/mcpctl/mcpctl/host/proxy/catalog"
	"github.com/mcpctl/mcpctl/host/proxy/lists"
)

// ListTools answers tools/list: the tools of all servers under their wire names, and
// read_section, as edited by controllers.
func (s *Session) ListTools(ctx context.Context, req *request) (flow.Reply, error) {
	return s.list(ctx, req, catalog.Tools)
}

// ListPrompts answers prompts/list.
func (s *Session) ListPrompts(ctx context.Context, req *request) (flow.Reply, error) {
	return s.list(ctx, req, catalog.Prompts)
}

// ListResources answers resources/list.
func (s *Session) ListResources(ctx context.Context, req *request) (flow.Reply, error) {
	return s.list(ctx, req, catalog.Resources)
}

// ListTemplates answers resources/templates/list.
func (s *Session) ListTemplates(ctx context.Context, req *request) (flow.Reply, error) {
	return s.list(ctx, req, catalog.Templates)
}

// list answers the request for one list. Its steps are: select the servers to wait for,
// read their lists, join them, and check the other servers in the background.
func (s *Session) list(ctx context.Context, req *request, k catalog.Kind) (flow.Reply, error) {
	if err := checkCursor(req.Params); err != nil {
		return flow.Reply{}, err
	}
	isShown, others := s.index.shownServers(ctx, req.project, k)
	all := s.index.gather(ctx, req.project, k, s.index.forShown(isShown))
	if remote := onlyError(all); remote != nil {
		req.cleanWith(remote)
		return flow.Reply{Error: remote.Raw}, nil
	}
	list := s.index.join(ctx, &req.event, req.project, k, all, lists.ReasonList)
	s.checker.give(k, list.Sum)
	s.index.recordRead(k)
	if len(others) > 0 {
		s.checker.check(k, others...)
	}
	for _, one := range all {
		if one.List != nil {
			req.event.InBytes += one.List.Size
		}
		if one.Stale {
			req.event.Stale = append(req.event.Stale, one.Server)
		}
	}
	return flow.Reply{Result: list.Result}, nil
}

// checkCursor returns an error for a cursor: joined lists have one page.
func checkCursor(raw []byte) error {
	params, err := jsonrpc.DecodeParams(raw)
	if err != nil {
		return err
	}
	if cursor, ok := params.Get("cursor"); ok && string(cursor) != "null" {
		return jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "unknown cursor %s: lists are given whole", cursor)
	}
	return nil
}

// onlyError returns the error with which a project's only server answered, or nil.
func onlyError(all []lists.Served) *catalog.ReplyError {
	var remote *catalog.ReplyError
	if len(all) == 1 && all[0].List == nil && errors.As(all[0].Err, &remote) {
		return remote
	}
	return nil
}
