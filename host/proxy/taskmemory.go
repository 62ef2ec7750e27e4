package proxy

import (
	"crypto/sha256"
	"sync"

	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/proxy/names"
)

// maxTasks bounds the keys of one taskTable.
const maxTasks = 16_384

// task is a task of a server. The client knows it by the server's own id, unless
// another server has handed out the same one.
type task struct {
	tool names.Target // that it is a call of; without a name if that is unknown
	id   string       // as the server knows it
}

// taskMemory remembers the server of each task, and the tool that it is a call of.
// Tasks outlive sessions: a client that lost its session asks for the result in
// the next one. Safe for concurrent use; the zero value is empty.
type taskMemory struct {
	mu     sync.Mutex
	called taskTable // tasks of calls
	seen   taskTable // tasks that servers mentioned: a server can mention any number, which must not displace the others
}

// taskTable is a bounded map: it drops the oldest key. The zero value is empty.
type taskTable struct {
	entries map[taskKey]taskEntry
	order   []taskKey // oldest first
}

// taskKey is the id that a client knows a task by. Session is empty in the key that
// other sessions find.
type taskKey struct {
	project, subject, session string
	id                        [sha256.Size]byte // hashed, since an id has any length
}

type taskEntry struct {
	tool  names.Target
	idLen int // the client's id begins with this many bytes of the server's id
}

func keyOfTask(scope flow.Scope, session, id string) taskKey {
	return taskKey{scope.Project, scope.Subject, session, sha256.Sum256([]byte(id))}
}

func (t *taskTable) put(key taskKey, e taskEntry) {
	if t.entries == nil {
		t.entries = make(map[taskKey]taskEntry)
	}
	if _, known := t.entries[key]; !known {
		if len(t.order) == maxTasks {
			delete(t.entries, t.order[0])
			t.order = t.order[1:]
		}
		t.order = append(t.order, key)
	}
	t.entries[key] = e
}

// noteCall records the task that a call became, and returns the id for the client.
func (m *taskMemory) noteCall(scope flow.Scope, tool names.Target, id string) (wire string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	wire = m.wireID(scope, tool.Server, id)
	e := taskEntry{tool, len(id)}
	m.called.put(keyOfTask(scope, scope.Session, wire), e)
	m.called.put(keyOfTask(scope, "", wire), e)
	return wire
}

// noteSeen records a task that a server mentioned, and returns the id for the client.
func (m *taskMemory) noteSeen(scope flow.Scope, server, id string) (wire string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	wire = m.wireID(scope, server, id)
	if _, known := m.lookup(scope, wire); !known {
		m.seen.put(keyOfTask(scope, "", wire), taskEntry{names.Target{Server: server}, len(id)})
	}
	return wire
}

// wireID returns the id by which the client knows a task of a server: the server's
// own id, or one that ends in the server's name if the id belongs to another server.
// The caller holds mu.
func (m *taskMemory) wireID(scope flow.Scope, server, id string) string {
	for wire := id; ; wire += "@" + server {
		e, taken := m.lookup(scope, wire)
		if !taken || e.tool.Server == server && e.idLen == len(id) {
			return wire
		}
	}
}

// find returns the task that a client's id means.
func (m *taskMemory) find(scope flow.Scope, wire string) (task, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	e, ok := m.lookup(scope, wire)
	if !ok {
		return task{}, false
	}
	return task{e.tool, wire[:e.idLen]}, true
}

// lookup prefers what the session itself has recorded: two processes of one server
// may hand out the same id. The caller holds mu.
func (m *taskMemory) lookup(scope flow.Scope, wire string) (taskEntry, bool) {
	if e, ok := m.called.entries[keyOfTask(scope, scope.Session, wire)]; ok {
		return e, true
	}
	shared := keyOfTask(scope, "", wire)
	if e, ok := m.called.entries[shared]; ok {
		return e, true
	}
	e, ok := m.seen.entries[shared]
	return e, ok
}
