package lists

import (
	"bytes"
	"hash/maphash"
	"sync"
)

// maxInterned is the number of bytes that an Interner keeps.
const maxInterned = 32 << 20

// Interner stores definitions of tools once: each session with controllers keeps its
// list, and most sessions have the same one. It is safe for concurrent use.
type Interner struct {
	seed maphash.Seed

	mu    sync.Mutex
	known map[uint64][]byte
	bytes int
}

// NewInterner returns an empty Interner.
func NewInterner() *Interner {
	return &Interner{seed: maphash.MakeSeed(), known: make(map[uint64][]byte)}
}

// Intern returns an equal definition that is shared and must not be modified.
func (n *Interner) Intern(definition []byte) []byte {
	key := maphash.Bytes(n.seed, definition)
	n.mu.Lock()
	defer n.mu.Unlock()
	have, ok := n.known[key]
	if ok && bytes.Equal(have, definition) {
		return have
	}
	if n.bytes += len(definition) - len(have); n.bytes > maxInterned {
		n.known = make(map[uint64][]byte)
		n.bytes = len(definition)
	}
	n.known[key] = bytes.Clone(definition) // not the whole response that it is a part of
	return n.known[key]
}
