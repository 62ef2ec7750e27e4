package proxy

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/jsonrpc"
	"github.com/mcpctl/mcpctl/host/jsonspan"
	"github.com/mcpctl/mcpctl/host/proxy/jsonedit"
	"github.com/mcpctl/mcpctl/host/proxy/names"
)

// GetTask answers tasks/get.
func (s *Session) GetTask(ctx context.Context, req *request) (flow.Reply, error) {
	return s.askTaskOwner(ctx, req)
}

// CancelTask answers tasks/cancel.
func (s *Session) CancelTask(ctx context.Context, req *request) (flow.Reply, error) {
	return s.askTaskOwner(ctx, req)
}

func (s *Session) askTaskOwner(ctx context.Context, req *request) (flow.Reply, error) {
	t, err := s.taskOf(ctx, req)
	if err != nil {
		return flow.Reply{}, err
	}
	reply, err := s.askTask(ctx, req, t)
	if err == nil && reply.Error == nil && req.project.model(abi.ToolResult, t.tool.Label()).Filters {
		reply.Result = withoutStatusText(reply.Result)
	}
	return reply, err
}

// filtersTask reports whether a filter reads the call that became the task of params,
// which have the client's id. The call of an unknown task is taken for one without a name.
func (s *Session) filtersTask(params json.RawMessage) bool {
	project, err := s.e.Projects.Project(s.scope.Project)
	if err != nil {
		return true // its filters are unknown
	}
	t, _ := s.e.tasks.find(s.scope, jsonedit.MemberText(params, "taskId"))
	return project.model(abi.ToolResult, t.tool.Label()).Filters
}

// TaskResult answers tasks/result with what the call that became the task would
// have been answered: a task must not bypass filters and controllers. A task that is
// unknown counts as the call of a tool without a name.
func (s *Session) TaskResult(ctx context.Context, req *request) (flow.Reply, error) {
	t, err := s.taskOf(ctx, req)
	if err != nil {
		return flow.Reply{}, err
	}
	req.event.Label = t.tool.Label()
	req.filtered = req.project.model(abi.ToolResult, t.tool.Label()).Filters
	reply, err := s.askTask(ctx, req, t)
	if err != nil {
		return flow.Reply{}, s.filterError(ctx, req, toolSource(t.tool), err)
	}
	h := s.taskHooks(req, t.tool)
	defer h.close()
	var res shownResult
	if h.wantResult() {
		res = h.show(ctx, toolSource(t.tool), reply, true)
	} else {
		res = s.showTool(ctx, req, t.tool, call{}, reply, false)
	}
	req.event.shown(res)
	return h.finish(ctx, res.reply), nil
}

// taskHooks returns the result hooks for the call that became a task. Its arguments
// are no longer known.
func (s *Session) taskHooks(req *request, t names.Target) *hooks {
	if !s.steered() {
		return nil
	}
	tool := flow.ListedTool{Label: t.Label(), Kind: abi.ToolUpstream}
	if set := s.tools.Load(); set != nil {
		tool = set.tool(t, set.names.Wire(t))
	}
	return &hooks{s: s, req: req, to: t, asked: flow.SteeredCall{
		ID: s.nextCall(), Tool: tool, Listed: s.lists.has(tools), Arguments: []byte(`{}`),
		Client: jsonedit.Object(jsonedit.String("name", tool.Wire), jsonedit.Raw("arguments", []byte(`{}`))),
	}}
}

// taskOf finds the task that a request names.
func (s *Session) taskOf(ctx context.Context, req *request) (task, error) {
	params, err := jsonrpc.DecodeParams(req.Params)
	if err != nil {
		return task{}, err
	}
	id, ok := params.Text("taskId")
	if known, found := s.e.tasks.find(s.scope, id); ok && found {
		return known, nil
	}
	if only, one := req.project.only(); one {
		return task{names.Target{Server: only.Name}, id}, nil
	}
	if !ok {
		return task{}, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "%s: params.taskId %s", req.Method, notText(params, "taskId"))
	}
	server, err := s.taskServer(ctx, req, id)
	return task{names.Target{Server: server}, id}, err
}

// taskServer finds the server of a task that is not remembered, for example one made
// before the daemon was restarted: it asks all servers that have tasks.
func (s *Session) taskServer(ctx context.Context, req *request, id string) (string, error) {
	servers := s.withTasks(req.project)
	switch len(servers) {
	case 0:
		return "", jsonrpc.Errorf(jsonrpc.CodeMethodNotFound, "method not found: %q", req.Method)
	case 1:
		return servers[0].Name, nil
	}
	has, failed := make([]bool, len(servers)), make([]bool, len(servers))
	var wg sync.WaitGroup
	for i, server := range servers {
		wg.Go(func() { has[i], failed[i] = s.hasTask(ctx, req, server.Name, id) })
	}
	wg.Wait()
	if i := slices.Index(has, true); i >= 0 {
		s.e.tasks.noteSeen(s.scope, servers[i].Name, id)
		return servers[i].Name, nil
	}
	var away []string
	for i, server := range servers {
		if failed[i] {
			away = append(away, server.Name)
		}
	}
	if len(away) > 0 {
		return "", jsonrpc.Errorf(codeServer, "task not found: %s (servers not available right now: %s; see mcpctl status)", names.Quote(id), strings.Join(away, ", "))
	}
	return "", jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "task not found: %s", names.Quote(id))
}

// hasTask reports whether a server knows a task, or failed to answer.
func (s *Session) hasTask(ctx context.Context, req *request, server, id string) (has, failed bool) {
	up, done, err := s.upstream(req.project, server)
	if err != nil {
		return false, true
	}
	defer done()
	reply, err := up.Call(ctx, "tasks/get", jsonedit.Object(jsonedit.String("taskId", id)), deafPeer{})
	return err == nil && reply.Error == nil, err != nil
}

// withTasks returns the servers of a project that have declared tasks, and all of the
// given capabilities below it.
func (s *Session) withTasks(p *Project, below ...string) (servers []Server) {
	for _, server := range p.Servers {
		caps, _ := s.e.catalog.greeting(s.scope.Subject, server)
		at := jsonedit.Member(caps, "tasks")
		declared := caps[at.Start:at.End]
		lacks := func(name string) bool { return jsonedit.Member(declared, name).End == 0 }
		if at.End > 0 && !slices.ContainsFunc(below, lacks) {
			servers = append(servers, server)
		}
	}
	return servers
}

// askTask sends a request about a task to its server. What is sent and answered is
// unchanged unless the client knows the task by another id.
func (s *Session) askTask(ctx context.Context, req *request, t task) (flow.Reply, error) {
	wire, params := jsonedit.MemberText(req.Params, "taskId"), req.Params
	if t.id != wire {
		params = jsonedit.WithText(params, jsonedit.Member(params, "taskId"), t.id)
	}
	reply, err := s.askServer(ctx, req, t.tool.Server, params)
	if err != nil || reply.Error != nil || t.id == wire {
		return reply, err
	}
	return flow.Reply{Result: s.tasksForClient(t.tool.Server, reply.Result)}, nil
}

// noteTask records the task that a call was answered by, and gives it the id for
// the client. The text of its state is withheld from a call that a filter reads.
func (s *Session) noteTask(to names.Target, c call, reply flow.Reply, filtered bool) flow.Reply {
	if _, asked := c.params.Get("task"); !asked {
		return reply
	}
	at := jsonedit.Member(reply.Result, "task")
	if at.End == 0 {
		return reply
	}
	made := json.RawMessage(reply.Result[at.Start:at.End])
	if filtered {
		made = withoutStatusText(made)
	}
	idAt := jsonedit.Member(made, "taskId")
	id := jsonedit.Text(made, idAt)
	if id == "" {
		return reply
	}
	s.madeTask.Store(true)
	wire := s.e.tasks.noteCall(s.scope, to, id)
	if wire == id && len(made) == at.End-at.Start {
		return reply
	}
	p := jsonedit.Patch{Source: reply.Result}
	p.Replace(at, jsonedit.WithText(made, idAt, wire))
	return flow.Reply{Result: s.relatedForClient(to.Server, p.Apply())}
}

// ListTasks answers tasks/list: that of the only server, else the tasks of all servers
// in one page. A server that cannot be asked is left out.
func (s *Session) ListTasks(ctx context.Context, req *request) (flow.Reply, error) {
	if only, one := req.project.only(); one {
		reply, err := s.passOn(ctx, req)
		if err != nil || reply.Error != nil {
			return reply, err
		}
		return s.renameListed(only.Name, reply), nil
	}
	servers := s.withTasks(req.project, "list")
	if len(servers) == 0 {
		return flow.Reply{}, jsonrpc.Errorf(jsonrpc.CodeMethodNotFound, "method not found: %q", req.Method)
	}
	if err := wholeList(req.Params); err != nil {
		return flow.Reply{}, err
	}
	all := s.gatherTasks(ctx, req.project, servers)
	failed := 0
	for _, one := range all {
		if one.err != nil {
			failed++
			req.event.Stale = append(req.event.Stale, one.server.Name)
			continue
		}
		req.event.InBytes += one.list.size
	}
	if failed == len(all) {
		return flow.Reply{}, fmt.Errorf("%s: %w", req.Method, all[0].err)
	}
	list := assemble(tasks, all, func(server Server, it item) []byte {
		return jsonedit.WithText(it.raw, jsonedit.Member(it.raw, tasks.key()), s.e.tasks.noteSeen(s.scope, server.Name, it.name))
	})
	return flow.Reply{Result: list.result}, nil
}

// gatherTasks reads the list of tasks of each server, all at once.
func (s *Session) gatherTasks(ctx context.Context, p *Project, servers []Server) []served {
	ctx, cancel := context.WithTimeout(ctx, s.e.opts.ListWait)
	defer cancel()
	all := make([]served, len(servers))
	var wg sync.WaitGroup
	for i, server := range servers {
		wg.Go(func() {
			all[i].server = server
			defer s.e.recovered(tasks.method(), &all[i].err)
			up, done, err := s.upstream(p, server.Name)
			if err != nil {
				all[i].err = err
				return
			}
			defer done()
			all[i].list, all[i].err = readList(ctx, server.Name, up, tasks, s.e.opts.MaxBody/listShare)
		})
	}
	wg.Wait()
	return all
}

// renameListed gives the tasks of one page the ids for the client.
func (s *Session) renameListed(server string, reply flow.Reply) flow.Reply {
	page := reply.Result
	p := jsonedit.Patch{Source: page}
	jsonedit.Elements(page, jsonedit.Member(page, tasks.array()), func(m jsonspan.Member) {
		raw := page[m.Start:m.End]
		at := jsonedit.Member(raw, tasks.key())
		id := jsonedit.Text(raw, at)
		if wire := s.e.tasks.noteSeen(s.scope, server, id); wire != id {
			p.Replace(m, jsonedit.WithText(raw, at, wire))
		}
	})
	if p.IsEmpty() {
		return reply
	}
	return flow.Reply{Result: p.Apply()}
}
