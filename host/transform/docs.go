package transform

import (
	"container/list"
	"sync"

	"github.com/mcpctl/mcpctl/host/section"
)

// maxDocBytes limits the size of the cached Docs, originals included.
const maxDocBytes = 64 << 20

// docCache caches the Docs that were read last. A client that follows an index reads
// many parts of one content, and reading, checking and linking a tree of 40,000
// sections takes 30 ms. The zero value is empty. It is safe for concurrent use.
type docCache struct {
	mu    sync.Mutex
	bytes int
	byKey map[docKey]*list.Element // of *keptDoc
	order list.List                // least recently used first
}

// docKey identifies a Doc: a ref is one original in one scope, a version is one tree
// of it.
type docKey struct {
	ref     string
	version [32]byte
}

type keptDoc struct {
	key  docKey
	doc  *section.Doc
	size int
}

func (d *docCache) get(key docKey) *section.Doc {
	d.mu.Lock()
	defer d.mu.Unlock()
	el := d.byKey[key]
	if el == nil {
		return nil
	}
	d.order.MoveToBack(el)
	return el.Value.(*keptDoc).doc
}

// add caches a Doc and evicts the least recently used ones. A Doc that is larger than
// the whole cache is not cached.
func (d *docCache) add(key docKey, doc *section.Doc) {
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
