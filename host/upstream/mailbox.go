package upstream

import (
	"sync"

	"github.com/mcpctl/mcpctl/host/jsonrpc"
)

// maxMail bounds how many messages wait in a mailbox.
const maxMail = 1024

// mail is one message for a Peer, or the error that replaces an answer.
type mail struct {
	from *wire
	m    jsonrpc.Message
	err  error
}

// final reports whether the mail ends a call.
func (i mail) final() bool { return i.err != nil || i.m.IsResponse() }

// mailbox is a bounded queue between a reader that must not block and a goroutine that
// may. Mail that ends a call is always accepted. If the mailbox is full, a notification
// replaces the last item if that has the same method; all other messages are dropped.
type mailbox struct {
	wake     chan struct{} // receives an element for new mail
	maxBytes int

	mu    sync.Mutex
	items []mail
	bytes int
}

func newMailbox(maxBytes int) *mailbox {
	return &mailbox{wake: make(chan struct{}, 1), maxBytes: maxBytes}
}

// put adds mail. It returns false if that drops a message.
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

// take removes and returns all mail.
func (b *mailbox) take() []mail {
	b.mu.Lock()
	defer b.mu.Unlock()
	items := b.items
	b.items, b.bytes = nil, 0
	return items
}
