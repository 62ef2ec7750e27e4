package trial

import (
	"bytes"
	"sync"

	"github.com/mcpctl/mcpctl/host/wasm"
)

// values is what guests keep by cache_set, in memory. It implements wasm.KV.
type values struct {
	mu   sync.Mutex
	kept map[valueKey][]byte
}

type valueKey struct {
	of  wasm.Namespace
	key string
}

// Get implements wasm.KV.
func (v *values) Get(ns wasm.Namespace, key []byte) ([]byte, bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	b, ok := v.kept[valueKey{ns, string(key)}]
	return b, ok
}

// Set implements wasm.KV.
func (v *values) Set(ns wasm.Namespace, key, value []byte) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.kept == nil {
		v.kept = make(map[valueKey][]byte)
	}
	v.kept[valueKey{ns, string(key)}] = bytes.Clone(value)
	return nil
}

func (v *values) clear() {
	v.mu.Lock()
	defer v.mu.Unlock()
	clear(v.kept)
}
