package registry

import (
	"context"
	"slices"
	"sync"
	"time"
)

// Change reports that the content of a directory of the home changed. "." is the
// home itself: a file such as config.yaml. "stages" means that Status may have
// changed.
type Change struct{ Dir string }

// noticeInterval is the minimum time between two changes of the same directory. Without it, a
// reader would read the status of all modules after each module that is loaded at the start.
const noticeInterval = 20 * time.Millisecond

// notices is a queue of changes that are not delivered yet, at most one per directory.
type notices struct {
	out  chan Change
	wake chan struct{}

	mu      sync.Mutex
	pending []string
}

func newNotices() *notices {
	return &notices{out: make(chan Change), wake: make(chan struct{}, 1)}
}

// Changes returns the channel of changes. It is closed by Close. Several changes of
// a directory within noticeInterval are delivered once.
func (r *Registry[M]) Changes() <-chan Change { return r.notices.out }

func (n *notices) add(dir string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if slices.Contains(n.pending, dir) {
		return
	}
	n.pending = append(n.pending, dir)
	select {
	case n.wake <- struct{}{}:
	default:
	}
}

func (n *notices) next() (dir string, ok bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.pending) == 0 {
		return "", false
	}
	dir, n.pending = n.pending[0], n.pending[1:]
	return dir, true
}

func (n *notices) deliver(ctx context.Context) {
	defer close(n.out)
	var last string // the directory of the last change, at
	var at time.Time
	for {
		dir, ok := n.next()
		if !ok {
			select {
			case <-n.wake:
				continue
			case <-ctx.Done():
				return
			}
		}
		if dir == last {
			select {
			case <-time.After(time.Until(at.Add(noticeInterval))):
			case <-ctx.Done():
				return
			}
		}
		select {
		case n.out <- Change{dir}:
		case <-ctx.Done():
			return
		}
		last, at = dir, time.Now()
	}
}
