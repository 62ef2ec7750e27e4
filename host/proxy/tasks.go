package proxy

import (
	"context"
	"crypto/sha256"
	"sync"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/jsonrpc"
)

// maxTasks bounds of how many tasks it is known what they were calls of.
const maxTasks = 8192

// taskMemory remembers which tool a task is a call of. Tasks outlive sessions: a
// client that lost its own asks for the result in the next. Safe for concurrent
// use; the zero value is empty.
type taskMemory struct {
	mu    sync.Mutex
	tools map[taskKey]target
	order []taskKey // oldest first
}

type taskKey struct {
	project, subject string
	id               [sha256.Size]byte // hashed: a server makes ids as long as it likes
}

func keyOfTask(scope abi.Scope, id string) taskKey {
	return taskKey{scope.Project, scope.Subject, sha256.Sum256([]byte(id))}
}

// note looks whether a call was answered by a task.
func (m *taskMemory) note(scope abi.Scope, t target, c call, reply abi.Reply) {
	if _, asked := c.params.Get("task"); !asked {
		return
	}
	at := lastMember(reply.Result, "task")
	task := reply.Result[at.Start:at.End]
	id := textOf(task, lastMember(task, "taskId"))
	if id == "" {
		return
	}
	key := keyOfTask(scope, id)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.tools == nil {
		m.tools = make(map[taskKey]target)
	}
	if _, known := m.tools[key]; !known {
		if len(m.order) == maxTasks {
			delete(m.tools, m.order[0])
			m.order = m.order[1:]
		}
		m.order = append(m.order, key)
	}
	m.tools[key] = t
}

// tool returns what a task is a call of, the zero target if nobody knows.
func (m *taskMemory) tool(scope abi.Scope, id string) target {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.tools[keyOfTask(scope, id)]
}

// TaskResult answers tasks/result with what the call that became the task would
// have been answered: neither a filter nor a controller must be walked round by asking
// later. A task that nobody knows is taken for a tool without a name.
func (s *Session) TaskResult(ctx context.Context, req *request) (abi.Reply, error) {
	params, err := jsonrpc.DecodeParams(req.Params)
	if err != nil {
		return abi.Reply{}, err
	}
	id, _ := params.Text("taskId")
	t := s.e.tasks.tool(s.scope, id)
	if only, ok := req.project.only(); ok && t.server == "" {
		t.server = only.Name
	}
	req.event.Label = t.label()
	req.filtered = req.project.model(abi.ToolResult, t.label()).Filters
	reply, err := s.passOn(ctx, req)
	if err != nil {
		return abi.Reply{}, s.filterError(ctx, req, t.source(), err)
	}
	h := s.taskHooks(req, t)
	defer h.close()
	var res shownResult
	if h.wantResult() {
		res = h.show(ctx, t.source(), reply, true)
	} else {
		res = s.showTool(ctx, req, t, call{}, reply, false)
	}
	req.event.shown(res)
	return h.finish(ctx, res.reply), nil
}

// taskHooks is the call that became a task on its way back past the controllers. Of
// its arguments nothing is known any more.
func (s *Session) taskHooks(req *request, t target) *hooks {
	if !s.steered() {
		return nil
	}
	tool := abi.ListedTool{Label: t.label(), Kind: abi.ToolUpstream}
	if set := s.tools.Load(); set != nil {
		tool = set.tool(t, set.names.byName[t])
	}
	return &hooks{s: s, req: req, to: t, asked: abi.SteeredCall{
		ID: s.nextCall(), Tool: tool, Listed: s.lists.has(tools), Arguments: []byte(`{}`),
		Client: objectOf([]field{{"name", quoted(tool.Wire)}, {"arguments", []byte(`{}`)}}),
	}}
}
