package content

import "github.com/mcpctl/mcpctl/host/flow"

// Writes of more than smallBytes have a queue and goroutines of their own, so that a
// small write does not wait for large ones.
const (
	smallBytes   = 256 << 10
	smallWriters = 2
	largeWriters = 2
)

// lane is a queue of writes from which the sessions take turns: a session waits for at
// most one write of each other session, however many they have queued.
type lane struct {
	queued map[flow.Scope][]*write
	turns  []flow.Scope // the sessions with queued writes, next one first
}

func newLane() *lane { return &lane{queued: map[flow.Scope][]*write{}} }

func (l *lane) push(w *write) {
	q := l.queued[w.scope]
	if len(q) == 0 {
		l.turns = append(l.turns, w.scope)
	}
	l.queued[w.scope] = append(q, w)
}

// pop removes the next write and returns it, or nil if there is none.
func (l *lane) pop() *write {
	if len(l.turns) == 0 {
		return nil
	}
	scope := l.turns[0]
	l.turns = l.turns[1:]
	w := l.queued[scope][0]
	if rest := l.queued[scope][1:]; len(rest) > 0 {
		l.queued[scope] = rest
		l.turns = append(l.turns, scope)
	} else {
		delete(l.queued, scope)
	}
	return w
}
