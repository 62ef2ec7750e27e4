package content

import "sync"

// queue contains the changes of the disk that are not done. It is guarded by Store.mu.
type queue struct {
	small, large *lane             // writes of at most smallBytes, and all others
	pending      map[string]*write // by file name: queued or being written
	waiting      int64             // bytes of pending
	busy         map[string]*write // by the name of a file that is being changed on disk: its next write, or nil
	untidy       []string          // files to remove or to stamp, see tidy
	tidying      int               // files that are being removed or stamped
	closed       bool              // the Store is closed
	wake         *sync.Cond        // one of these fields has changed
}

func newQueue() queue {
	return queue{small: newLane(), large: newLane(), pending: map[string]*write{}, busy: map[string]*write{}}
}

// schedule passes a write to the goroutines for its size. If its file is being changed
// already, release does so later: changes of one file have an order.
func (q *queue) schedule(w *write) {
	if _, busy := q.busy[w.name]; busy {
		q.busy[w.name] = w
		return
	}
	if len(w.data) <= smallBytes {
		q.small.push(w)
	} else {
		q.large.push(w)
	}
	q.wake.Broadcast()
}

// release ends the change of a file and schedules the next one.
func (q *queue) release(name string) {
	next := q.busy[name]
	delete(q.busy, name)
	if next != nil {
		q.schedule(next)
	}
	q.wake.Broadcast()
}

// tidyLater queues a file whose state on disk differs from the index: it was removed from
// the index, or it was used. The caller holds mu; the disk is changed without it.
func (q *queue) tidyLater(name string) {
	q.untidy = append(q.untidy, name)
	q.wake.Broadcast()
}

// waitTidy waits until all removed files are removed from disk.
func (q *queue) waitTidy() {
	for !q.closed && (len(q.untidy) > 0 || q.tidying > 0) {
		q.wake.Wait()
	}
}

// isDone reports whether the Store is closed and every file is as in the index.
func (q *queue) isDone() bool {
	return q.closed && len(q.pending) == 0 && len(q.untidy) == 0 && q.tidying == 0
}
