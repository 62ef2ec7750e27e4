package host

import (
	"container/list"
	"sync"

	"github.com/mcpctl/mcpctl/host/section"
)

// maxDocBytes bounds the Docs that are kept, originals included.
const maxDocBytes = 64 << 20

// docs keeps the Docs that were read last: a client that follows an index asks
// for many parts of one content, and to read, check and link a tree of 40,000
// sections takes 30 ms. The zero value is empty. Safe for concurrent use.
type docs struct {
	mu    sync.Mutex
	bytes int
	byKey map[docKey]*list.Element // of *keptDoc
	order list.List                // the longest unused first
}

// docKey names what a Doc is made of: a Ref is one original for one scope, a
// version one tree of it.
type docKey struct {
	ref     string
	version [32]byte
}

type keptDoc struct {
	key  docKey
	doc  *section.Doc
	size int
}

func (d *docs) get(key docKey) *section.Doc {
	d.mu.Lock()
	defer d.mu.Unlock()
	el := d.byKey[key]
	if el == nil {
		return nil
	}
	d.order.MoveToBack(el)
	return el.Value.(*keptDoc).doc
}

// add keeps a Doc in place of the longest unused ones. One that is too large to
// leave room for another is not kept.
func (d *docs) add(key docKey, doc *section.Doc) {
	size := doc.Size()
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.byKey[key] != nil || size > maxDocBytes {
		return
	}
	if d.byKey == nil {
		d.byKey = map[docKey]*list.Element{}
	}
	d.byKey[key] = d.order.PushBack(&keptDoc{key, doc, size})
	d.bytes += size
	for d.bytes > maxDocBytes {
		oldest := d.order.Remove(d.order.Front()).(*keptDoc)
		delete(d.byKey, oldest.key)
		d.bytes -= oldest.size
	}
}
