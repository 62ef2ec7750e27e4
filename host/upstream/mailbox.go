package upstream

import (
	"sync"

	"github.com/mcpctl/mcpctl/host/jsonrpc"
)

// maxMail bounds how many messages wait in a mailbox.
const maxMail = 1024

// mail is one message on its way to a Peer, or the fault in place of an answer.
type mail struct {
	from *wire
	m    jsonrpc.Message
	err  error
}

// final reports whether nothing comes after it: it ends a call.
func (i mail) final() bool { return i.err != nil || i.m.IsResponse() }

// mailbox is where a reader that must not wait leaves messages for a goroutine
// that may. What ends a call always finds room; of the rest, when it is full, a
// newer notification takes the place of the last one of its method, or is lost.
type mailbox struct {
	wake     chan struct{} // has one element while there is mail
	maxBytes int

	mu    sync.Mutex
	items []mail
	bytes int
}

func newMailbox(maxBytes int) *mailbox {
	return &mailbox{wake: make(chan struct{}, 1), maxBytes: maxBytes}
}

// put reports false if a message was lost by it.
func (b *mailbox) put(it mail) bool {
	kept := b.add(it)
	select {
	case b.wake <- struct{}{}:
	default:
	}
	return kept
}

func (b *mailbox) add(it mail) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	size := len(it.m.Params)
	if it.final() || len(b.items) < maxMail && b.bytes+size <= b.maxBytes {
		b.items = append(b.items, it)
		b.bytes += size
		return true
	}
	if last := len(b.items) - 1; last >= 0 && it.m.IsNotification() && b.items[last].m.Method == it.m.Method {
		b.bytes += size - len(b.items[last].m.Params)
		b.items[last] = it
	}
	return false
}

// take empties the mailbox.
func (b *mailbox) take() []mail {
	b.mu.Lock()
	defer b.mu.Unlock()
	items := b.items
	b.items, b.bytes = nil, 0
	return items
}
