package proxy

import (
	"bytes"
	"hash/maphash"
	"sync"
)

// maxForms bounds the bytes that forms keeps.
const maxForms = 32 << 20

// forms are the definitions of tools as sessions list them, each kept once: a session
// that controllers steer holds on to its list, which is the same in most. Safe for
// concurrent use.
type forms struct {
	seed maphash.Seed

	mu    sync.Mutex
	known map[uint64][]byte
	bytes int
}

func newForms() *forms { return &forms{seed: maphash.MakeSeed(), known: make(map[uint64][]byte)} }

// share returns the definition as it is kept. Nobody modifies it.
func (f *forms) share(definition []byte) []byte {
	key := maphash.Bytes(f.seed, definition)
	f.mu.Lock()
	defer f.mu.Unlock()
	have, ok := f.known[key]
	if ok && bytes.Equal(have, definition) {
		return have
	}
	if f.bytes += len(definition) - len(have); f.bytes > maxForms {
		f.known = make(map[uint64][]byte)
		f.bytes = len(definition)
	}
	f.known[key] = bytes.Clone(definition) // not the whole answer that it is a part of
	return f.known[key]
}
