// Package task remembers the tasks of servers and translates their ids.
//
// A client knows a task by the id of its server, unless two servers have handed out the
// same one. Memory records which server has a task; IDs replaces task ids in messages
// between a client and a server. Owners records the tasks that a client created.
//
// It does not send requests about tasks: the proxy does.
package task

import (
	"crypto/sha256"
	"sync"

	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/proxy/names"
)

// maxTasks is the number of keys of one table.
const maxTasks = 16_384

// Task is a task of a server.
type Task struct {
	Tool names.Target // the called tool; without a name if it is unknown
	ID   string       // as the server knows it
}

// Memory remembers the server and the tool of each task. Tasks outlive sessions: a
// client that lost its session asks for the result in the next one. The zero value is
// empty. It is safe for concurrent use.
type Memory struct {
	mu     sync.Mutex
	called table // tasks of calls
	seen   table // tasks that servers mentioned, which must not displace those of calls
}

// table is a map that drops its oldest key when it is full. The zero value is empty.
type table struct {
	entries map[key]entry
	order   []key // oldest first
}

// key is the id by which a client knows a task. Session is empty in the key that other
// sessions find.
type key struct {
	project, subject, session string
	id                        [sha256.Size]byte // hashed, because an id may have any length
}

type entry struct {
	tool  names.Target
	idLen int // the client's id begins with this many bytes of the server's id
}

func keyOf(scope flow.Scope, session, id string) key {
	return key{scope.Project, scope.Subject, session, sha256.Sum256([]byte(id))}
}

func (t *table) put(k key, e entry) {
	if t.entries == nil {
		t.entries = make(map[key]entry)
	}
	if _, known := t.entries[k]; !known {
		if len(t.order) == maxTasks {
			delete(t.entries, t.order[0])
			t.order = t.order[1:]
		}
		t.order = append(t.order, k)
	}
	t.entries[k] = e
}

// RecordCall records the task that a call became, and returns the id for the client.
func (m *Memory) RecordCall(scope flow.Scope, tool names.Target, id string) (wire string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	wire = m.wireID(scope, tool.Server, id)
	e := entry{tool, len(id)}
	m.called.put(keyOf(scope, scope.Session, wire), e)
	m.called.put(keyOf(scope, "", wire), e)
	return wire
}

// RecordSeen records a task that a server mentioned, and returns the id for the client.
func (m *Memory) RecordSeen(scope flow.Scope, server, id string) (wire string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	wire = m.wireID(scope, server, id)
	if _, known := m.lookup(scope, wire); !known {
		m.seen.put(keyOf(scope, "", wire), entry{names.Target{Server: server}, len(id)})
	}
	return wire
}

// wireID returns the id by which the client knows a task: the server's own id, or one
// that ends in the server's name if another server has a task with that id. The caller
// holds mu.
func (m *Memory) wireID(scope flow.Scope, server, id string) string {
	for wire := id; ; wire += "@" + server {
		e, taken := m.lookup(scope, wire)
		if !taken || e.tool.Server == server && e.idLen == len(id) {
			return wire
		}
	}
}

// Find returns the task that a client's id refers to.
func (m *Memory) Find(scope flow.Scope, wire string) (Task, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	e, ok := m.lookup(scope, wire)
	if !ok {
		return Task{}, false
	}
	return Task{e.tool, wire[:e.idLen]}, true
}

// lookup prefers tasks of the same session, because two processes of one server may
// hand out the same id. The caller holds mu.
func (m *Memory) lookup(scope flow.Scope, wire string) (entry, bool) {
	if e, ok := m.called.entries[keyOf(scope, scope.Session, wire)]; ok {
		return e, true
	}
	shared := keyOf(scope, "", wire)
	if e, ok := m.called.entries[shared]; ok {
		return e, true
	}
	e, ok := m.seen.entries[shared]
	return e, ok
}

// Owners remembers for which server a client created each of its tasks. The zero value
// is empty. It is safe for concurrent use.
type Owners struct {
	mu    sync.Mutex
	tasks table
}

// Record records the server of a task.
func (o *Owners) Record(id, server string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.tasks.put(keyOf(flow.Scope{}, "", id), entry{tool: names.Target{Server: server}})
}

// Server returns the server of a task, or "".
func (o *Owners) Server(id string) string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.tasks.entries[keyOf(flow.Scope{}, "", id)].tool.Server
}
