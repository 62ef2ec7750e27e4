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
	"github.com/mcpctl/mcpctl/host/proxy/catalog"
	"github.com/mcpctl/mcpctl/host/proxy/jsonedit"
	"github.com/mcpctl/mcpctl/host/proxy/lists"
	"github.com/mcpctl/mcpctl/host/proxy/names"
	"github.com/mcpctl/mcpctl/host/proxy/task"
)

// taskRequest is a request about tasks.
type taskRequest struct {
	*Session
	req *request
}

// GetTask answers tasks/get.
func (s *Session) GetTask(ctx context.Context, req *request) (flow.Reply, error) {
	return taskRequest{s, req}.forward(ctx)
}

// CancelTask answers tasks/cancel.
func (s *Session) CancelTask(ctx context.Context, req *request) (flow.Reply, error) {
	return taskRequest{s, req}.forward(ctx)
}

// TaskResult answers tasks/result like the call that became the task would have been
// answered, so that a task does not bypass filters and controllers. An unknown task
// counts as the call of a tool without a name.
func (s *Session) TaskResult(ctx context.Context, req *request) (flow.Reply, error) {
	r := taskRequest{s, req}
	t, err := r.find(ctx)
	if err != nil {
		return flow.Reply{}, err
	}
	req.event.Label = t.Tool.Label()
	req.filtered = req.project.model(abi.ToolResult, t.Tool.Label()).Filters
	reply, err := r.ask(ctx, t)
	if err != nil {
		return flow.Reply{}, s.display.filterError(ctx, req, toolSource(t.Tool), err)
	}
	h := s.taskHooks(req, t.Tool)
	defer h.close()
	shown := s.show(ctx, req, h, t.Tool, call{}, answer{reply: reply})
	req.event.addView(shown)
	return h.finish(ctx, shown.Reply), nil
}

// ListTasks answers tasks/list: the list of the only server, otherwise the tasks of all
// servers in one page. A server that does not answer is omitted.
func (s *Session) ListTasks(ctx context.Context, req *request) (flow.Reply, error) {
	r := taskRequest{s, req}
	if only, one := req.project.only(); one {
		reply, err := s.passOn(ctx, req)
		if err != nil || reply.Error != nil {
			return reply, err
		}
		return r.withClientIDs(only.Name, reply), nil
	}
	servers := r.serversWithTasks("list")
	if len(servers) == 0 {
		return flow.Reply{}, noMethod(req.Method)
	}
	if err := checkCursor(req.Params); err != nil {
		return flow.Reply{}, err
	}
	all := r.gather(ctx, servers)
	failed := 0
	for _, one := range all {
		if one.Err != nil {
			failed++
			req.event.Stale = append(req.event.Stale, one.Server)
			continue
		}
		req.event.InBytes += one.List.Size
	}
	if failed == len(all) {
		return flow.Reply{}, fmt.Errorf("%s: %w", req.Method, all[0].Err)
	}
	list := lists.Join(catalog.Tasks, all, func(of lists.Served, it catalog.Item) []byte {
		return jsonedit.WithText(it.Raw, jsonedit.Member(it.Raw, catalog.Tasks.Key()), s.tasks.RecordSeen(s.scope, of.Server, it.Name))
	})
	return flow.Reply{Result: list.Result}, nil
}

// recordTask records the task that a call was answered by, and replaces its id by the
// client's. If a filter reads the call, the text of the task's state is removed.
func (s *Session) recordTask(to names.Target, c call, reply flow.Reply, filtered bool) flow.Reply {
	if _, asked := c.params.Get("task"); !asked {
		return reply
	}
	at := jsonedit.Member(reply.Result, "task")
	if at.End == 0 {
		return reply
	}
	created := json.RawMessage(reply.Result[at.Start:at.End])
	if filtered {
		created = task.WithoutStatusText(created)
	}
	idAt := jsonedit.Member(created, "taskId")
	id := jsonedit.Text(created, idAt)
	if id == "" {
		return reply
	}
	s.hasTask.Store(true)
	wire := s.tasks.RecordCall(s.scope, to, id)
	if wire == id && len(created) == at.End-at.Start {
		return reply
	}
	p := jsonedit.Patch{Source: reply.Result}
	p.Replace(at, jsonedit.WithText(created, idAt, wire))
	return flow.Reply{Result: s.taskIDs().ForClient(to.Server, p.Apply())}
}

// forward passes a request about a task on to the task's server.
func (r taskRequest) forward(ctx context.Context) (flow.Reply, error) {
	t, err := r.find(ctx)
	if err != nil {
		return flow.Reply{}, err
	}
	reply, err := r.ask(ctx, t)
	if err == nil && reply.Error == nil && r.req.project.model(abi.ToolResult, t.Tool.Label()).Filters {
		reply.Result = task.WithoutStatusText(reply.Result)
	}
	return reply, err
}

// ask sends the request to the task's server. The request and the answer are unchanged
// unless the client knows the task by another id.
func (r taskRequest) ask(ctx context.Context, t task.Task) (flow.Reply, error) {
	params := r.req.Params
	at := jsonedit.Member(params, "taskId")
	wire := jsonedit.Text(params, at)
	if t.ID != wire {
		params = jsonedit.WithText(params, at, t.ID)
	}
	reply, err := r.askServer(ctx, r.req, t.Tool.Server, params)
	if err != nil || reply.Error != nil || t.ID == wire {
		return reply, err
	}
	return flow.Reply{Result: r.taskIDs().TaskForClient(t.Tool.Server, reply.Result)}, nil
}

// find returns the task that the request is about.
func (r taskRequest) find(ctx context.Context) (task.Task, error) {
	params, err := jsonrpc.DecodeParams(r.req.Params)
	if err != nil {
		return task.Task{}, err
	}
	id, ok := params.Text("taskId")
	if known, found := r.tasks.Find(r.scope, id); ok && found {
		return known, nil
	}
	if only, one := r.req.project.only(); one {
		return task.Task{Tool: names.Target{Server: only.Name}, ID: id}, nil
	}
	if !ok {
		return task.Task{}, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "%s: params.taskId %s", r.req.Method, noText(params, "taskId"))
	}
	server, err := r.findServer(ctx, id)
	return task.Task{Tool: names.Target{Server: server}, ID: id}, err
}

// findServer finds the server of an unknown task, for example one from before a restart
// of the daemon, by asking all servers with tasks.
func (r taskRequest) findServer(ctx context.Context, id string) (string, error) {
	servers := r.serversWithTasks()
	switch len(servers) {
	case 0:
		return "", noMethod(r.req.Method)
	case 1:
		return servers[0].Name, nil
	}
	has, failed := make([]bool, len(servers)), make([]bool, len(servers))
	var wg sync.WaitGroup
	for i, server := range servers {
		wg.Go(func() { has[i], failed[i] = r.serverHas(ctx, server.Name, id) })
	}
	wg.Wait()
	if i := slices.Index(has, true); i >= 0 {
		r.tasks.RecordSeen(r.scope, servers[i].Name, id)
		return servers[i].Name, nil
	}
	var unavailable []string
	for i, server := range servers {
		if failed[i] {
			unavailable = append(unavailable, server.Name)
		}
	}
	if len(unavailable) > 0 {
		return "", jsonrpc.Errorf(codeServer, "task not found: %s (servers not available right now: %s; see mcpctl status)", names.Quote(id), strings.Join(unavailable, ", "))
	}
	return "", jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "task not found: %s", names.Quote(id))
}

// serverHas reports whether a server has a task, and whether it failed to answer.
func (r taskRequest) serverHas(ctx context.Context, server, id string) (has, failed bool) {
	up, done, err := r.links.upstream(r.req.project, server)
	if err != nil {
		return false, true
	}
	defer done()
	reply, err := background{up}.Ask(ctx, "tasks/get", jsonedit.Object(jsonedit.String("taskId", id)))
	return err == nil && reply.Error == nil, err != nil
}

// serversWithTasks returns the servers that have declared tasks, with all of the given
// capabilities below it.
func (r taskRequest) serversWithTasks(below ...string) (servers []Server) {
	for _, server := range r.req.project.Servers {
		caps, _ := r.catalog.Greeting(idOf(r.scope.Subject, server))
		at := jsonedit.Member(caps, "tasks")
		declared := caps[at.Start:at.End]
		lacks := func(name string) bool { return !jsonedit.Has(declared, name) }
		if at.End > 0 && !slices.ContainsFunc(below, lacks) {
			servers = append(servers, server)
		}
	}
	return servers
}

// gather reads the lists of tasks of several servers at once.
func (r taskRequest) gather(ctx context.Context, servers []Server) []lists.Served {
	ctx, cancel := context.WithTimeout(ctx, r.opts.ListWait)
	defer cancel()
	all := make([]lists.Served, len(servers))
	var wg sync.WaitGroup
	for i, server := range servers {
		wg.Go(func() {
			all[i].Server = server.Name
			defer r.recovered(catalog.Tasks.Method(), &all[i].Err)
			up, done, err := r.links.upstream(r.req.project, server.Name)
			if err != nil {
				all[i].Err = err
				return
			}
			defer done()
			all[i].List, all[i].Err = catalog.ReadList(ctx, server.Name, background{up}, catalog.Tasks, catalog.MaxListBytes(r.opts.MaxBody))
		})
	}
	wg.Wait()
	return all
}

// withClientIDs replaces the ids of the tasks in one page by the client's.
func (r taskRequest) withClientIDs(server string, reply flow.Reply) flow.Reply {
	page := reply.Result
	p := jsonedit.Patch{Source: page}
	jsonedit.Elements(page, jsonedit.Member(page, catalog.Tasks.Array()), func(m jsonspan.Member) {
		raw := page[m.Start:m.End]
		at := jsonedit.Member(raw, catalog.Tasks.Key())
		id := jsonedit.Text(raw, at)
		if wire := r.tasks.RecordSeen(r.scope, server, id); wire != id {
			p.Replace(m, jsonedit.WithText(raw, at, wire))
		}
	})
	if p.IsEmpty() {
		return reply
	}
	return flow.Reply{Result: p.Apply()}
}
