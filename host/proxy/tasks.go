package proxy

import (
	"context"
	"sync"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/jsonrpc"
)

// maxTasks bounds of how many tasks a session knows what they were calls of.
const maxTasks = 1024

// taskMemory remembers which tool a task is a call of. Safe for concurrent use;
// the zero value is empty.
type taskMemory struct {
	mu    sync.Mutex
	tools map[string]target
	order []string // oldest first
}

// note looks whether a call was answered by a task.
func (m *taskMemory) note(t target, c call, reply abi.Reply) {
	if _, asked := c.params.Get("task"); !asked {
		return
	}
	at := lastMember(reply.Result, "task")
	task := reply.Result[at.Start:at.End]
	id := textOf(task, lastMember(task, "taskId"))
	if id == "" {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.tools == nil {
		m.tools = make(map[string]target)
	}
	if _, known := m.tools[id]; !known {
		if len(m.order) == maxTasks {
			delete(m.tools, m.order[0])
			m.order = m.order[1:]
		}
		m.order = append(m.order, id)
	}
	m.tools[id] = t
}

func (m *taskMemory) tool(id string) target {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.tools[id]
}

// TaskResult answers tasks/result with what the call that became the task would
// have been answered: a filter must not be walked round by asking later. A task
// that this session did not make is taken for a tool without a name.
func (s *Session) TaskResult(ctx context.Context, req *request) (abi.Reply, error) {
	params, err := jsonrpc.DecodeParams(req.Params)
	if err != nil {
		return abi.Reply{}, err
	}
	id, _ := params.Text("taskId")
	t := s.tasks.tool(id)
	if only, ok := req.project.only(); ok && t.server == "" {
		t.server = only.Name
	}
	req.event.Label = t.label()
	reply, err := s.passOn(ctx, req)
	if err != nil {
		return abi.Reply{}, s.filterError(ctx, req, t.source(), err)
	}
	res := s.showTool(ctx, req, t, call{}, reply, false)
	req.event.shown(res)
	return res.reply, nil
}
