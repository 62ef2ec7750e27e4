package proxy

import (
	"encoding/json"
	"sync"

	"github.com/mcpctl/mcpctl/host/jsonspan"
	"github.com/mcpctl/mcpctl/host/proxy/jsonedit"
)

// asides are what servers say beside an answer: the texts of progress and of
// log messages. No filter is given them, since one runs for up to seconds and a
// notification waits for nobody. So while a call is running whose answer a filter
// reads, its server's log messages are withheld, and its progress is passed on
// without its text. That goes for all of the server's log messages: on stdio it
// does not say which call one belongs to, and a shared server sends them to every
// session that has set a level. What a server logs while no such call is running
// belongs to none, and is passed on. The text of a task's state, which tasks/get and
// a notification tell, is withheld if a filter reads the call that became the task.
//
// Safe for concurrent use; the zero value withholds nothing.
type asides struct {
	mu      sync.Mutex
	running map[string]int // calls under filters, by server
}

// guard withholds a server's asides until the returned function is called.
func (a *asides) guard(server string) (done func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.running == nil {
		a.running = make(map[string]int)
	}
	a.running[server]++
	return func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		if a.running[server]--; a.running[server] == 0 {
			delete(a.running, server)
		}
	}
}

func (a *asides) guarded(server string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.running[server] > 0
}

// aside returns what a client may be told of a notification; ok is false if it is
// withheld.
func (p *peer) aside(method string, params json.RawMessage) (told json.RawMessage, ok bool) {
	e := p.s.e
	switch method {
	case "notifications/message", "notifications/progress":
		if !p.withholdsText() {
			return params, true
		}
	case taskStatus:
		if p.s.filtersTask(params) {
			params = withoutStatusText(params)
		}
		return params, true
	default:
		return params, true
	}
	e.log.Debug("text of a notification withheld: a filter reads the call", "server", p.server.Name, "method", method)
	start := jsonspan.SkipBlank(params, 0)
	if method == "notifications/message" || start == len(params) || jsonspan.KindAt(params, start) != jsonspan.Object {
		return nil, false
	}
	without := jsonedit.Patch{Source: params}
	without.EditObject(start, func(key []byte) bool { return !isProgressFigure(key) })
	return without.Apply(), true
}

// withoutStatusText removes the text of a task's state.
func withoutStatusText(task json.RawMessage) json.RawMessage {
	start := jsonspan.SkipBlank(task, 0)
	if start == len(task) || jsonspan.KindAt(task, start) != jsonspan.Object {
		return task
	}
	without := jsonedit.Patch{Source: task}
	without.EditObject(start, func(key []byte) bool { return jsonspan.KeyIs(key, "statusMessage") })
	return without.Apply()
}

// withholdsText reports whether a filter reads the call, or another one of the server.
func (p *peer) withholdsText() bool {
	return p.filtered || p.s.e.asides.guarded(p.server.Name)
}

// isProgressFigure tells the members of progress that are no text.
func isProgressFigure(key []byte) bool {
	return jsonspan.KeyIs(key, "progressToken") || jsonspan.KeyIs(key, "progress") || jsonspan.KeyIs(key, "total")
}
