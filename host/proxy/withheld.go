package proxy

import (
	"encoding/json"
	"sync"

	"github.com/mcpctl/mcpctl/host/jsonspan"
	"github.com/mcpctl/mcpctl/host/proxy/jsonedit"
)

// withheldTexts counts the running calls that make a server's notification texts
// withheld.
//
// No filter reads notifications, because a filter may take seconds and notifications
// must not wait. Therefore, while a call is running whose answer a filter reads, its
// server's log messages are withheld, and its progress is passed on without the text.
// This applies to all log messages of the server: on stdio they do not name their call,
// and a shared server sends them to every session that has set a level. Messages that a
// server logs while no such call is running are passed on. The text of a task's state,
// in tasks/get and in notifications, is withheld if a filter reads the call that became
// the task.
//
// The zero value withholds nothing. It is safe for concurrent use.
type withheldTexts struct {
	mu      sync.Mutex
	running map[string]int // calls under filters, by server
}

// begin withholds a server's texts until the returned function is called.
func (w *withheldTexts) begin(server string) (end func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.running == nil {
		w.running = make(map[string]int)
	}
	w.running[server]++
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.running[server]--; w.running[server] == 0 {
			delete(w.running, server)
		}
	}
}

// isActive reports whether a server's texts are withheld.
func (w *withheldTexts) isActive(server string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.running[server] > 0
}

// withoutProgressText returns the params of notifications/progress without members that
// may hold text. ok is false if params is no object.
func withoutProgressText(params json.RawMessage) (figures json.RawMessage, ok bool) {
	start := jsonspan.SkipBlank(params, 0)
	if start == len(params) || jsonspan.KindAt(params, start) != jsonspan.Object {
		return nil, false
	}
	p := jsonedit.Patch{Source: params}
	p.EditObject(start, func(key []byte) bool { return !isProgressFigure(key) })
	return p.Apply(), true
}

func isProgressFigure(key []byte) bool {
	return jsonspan.KeyIs(key, "progressToken") || jsonspan.KeyIs(key, "progress") || jsonspan.KeyIs(key, "total")
}
