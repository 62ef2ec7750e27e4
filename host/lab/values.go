package lab

import (
	"fmt"
	"maps"
	"sync"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/wasm"
)

// Cache is the script of the cache of one run. The zero Cache works and is empty.
type Cache struct {
	Way  CacheWay
	Held map[string]string // what is there when the run begins
}

// CacheWay is how a cache works.
type CacheWay string

// The ways of a cache.
const (
	CacheWorks CacheWay = ""
	CacheFull  CacheWay = "full" // it gives what it holds, and takes nothing more
	CacheOff   CacheWay = "off"  // there is none
)

// cold is the same cache when nothing was kept yet.
func (c Cache) cold() Cache { return Cache{Way: c.Way} }

// with is the same cache after something was kept.
func (c Cache) with(kept map[string]string) Cache {
	held := maps.Clone(c.Held)
	if held == nil {
		held = make(map[string]string, len(kept))
	}
	maps.Copy(held, kept)
	return Cache{c.Way, held}
}

// values is what guests keep by cache_set, in memory: those of the role that runs,
// so whose they are does not matter. It implements wasm.KV.
type values struct {
	mu    sync.Mutex
	cache Cache
	kept  map[string]string
}

// play begins a run. The returned func tells, when it has ended, what was kept in it.
func (v *values) play(c Cache) (end func() map[string]string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	kept := map[string]string{}
	v.cache, v.kept = c, kept
	return func() map[string]string { return kept }
}

// Off tells the runtime that there is no cache.
func (v *values) Off() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.cache.Way == CacheOff
}

// Get implements wasm.KV.
func (v *values) Get(_ wasm.Namespace, key []byte) ([]byte, bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	value, ok := v.kept[string(key)]
	if !ok {
		value, ok = v.cache.Held[string(key)]
	}
	return []byte(value), ok
}

// Set implements wasm.KV.
func (v *values) Set(_ wasm.Namespace, key, value []byte) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.cache.Way == CacheFull {
		return fmt.Errorf("%w: cache values of the module are over %d bytes (set limits.cache)", abi.ErrLimit, abi.LimitCacheModuleBytes)
	}
	v.kept[string(key)] = string(value)
	return nil
}
