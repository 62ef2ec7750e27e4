package registry

import (
	"context"
	"slices"
	"sync"
)

// Change says that the content of a folder of the home changed; "." is the home
// itself, that is a file like config.yaml. For "stages" it says that Status may
// read differently.
type Change struct{ Folder string }

// notices are changes that nobody has taken yet, each folder once.
type notices struct {
	out  chan Change
	wake chan struct{}

	mu      sync.Mutex
	pending []string
}

func newNotices() *notices {
	return &notices{out: make(chan Change), wake: make(chan struct{}, 1)}
}

// Changes delivers changes until Close, in order of their first mention since
// the folder was last delivered.
func (r *Registry[M]) Changes() <-chan Change { return r.notices.out }

func (n *notices) add(folder string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if slices.Contains(n.pending, folder) {
		return
	}
	n.pending = append(n.pending, folder)
	select {
	case n.wake <- struct{}{}:
	default:
	}
}

func (n *notices) next() (folder string, ok bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.pending) == 0 {
		return "", false
	}
	folder, n.pending = n.pending[0], n.pending[1:]
	return folder, true
}

func (n *notices) deliver(ctx context.Context) {
	defer close(n.out)
	for {
		folder, ok := n.next()
		if !ok {
			select {
			case <-n.wake:
				continue
			case <-ctx.Done():
				return
			}
		}
		select {
		case n.out <- Change{folder}:
		case <-ctx.Done():
			return
		}
	}
}
