package lab

import (
	"fmt"
	"maps"
	"sync"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/wasm"
)

// Cache is the behavior of the cache in one run. The zero value is an empty cache
// that works.
type Cache struct {
	Way  CacheWay
	Held map[string]string // contents at the start of the run
}

// CacheWay is the behavior of a cache.
type CacheWay string

// The ways of a cache.
const (
	CacheWorks CacheWay = ""
	CacheFull  CacheWay = "full" // returns its values and accepts no more
	CacheOff   CacheWay = "off"  // not available
)

// cold returns the cache without values.
func (c Cache) cold() Cache { return Cache{Way: c.Way} }

// with returns the cache with additional values.
func (c Cache) with(kept map[string]string) Cache {
	held := maps.Clone(c.Held)
	if held == nil {
		held = make(map[string]string, len(kept))
	}
	maps.Copy(held, kept)
	return Cache{c.Way, held}
}

// values implements wasm.KV in memory. One role runs at a time, so it ignores the
// namespace.
type values struct {
	mu    sync.Mutex
	cache Cache
	kept  map[string]string
	size  int // bytes of all keys and values of the run, also of those that were replaced
}

// play starts a run. The returned function returns the values that the run stored.
func (v *values) play(c Cache) (end func() map[string]string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	kept := map[string]string{}
	v.cache, v.kept, v.size = c, kept, 0
	return func() map[string]string { return kept }
}

// Off reports whether the cache is not available.
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
	if v.size += len(key) + len(value); v.cache.Way == CacheFull || v.size > abi.LimitCacheModuleBytes {
		return fmt.Errorf("%w: cache values of the module are over %d bytes (set limits.cache)", abi.ErrLimit, abi.LimitCacheModuleBytes)
	}
	v.kept[string(key)] = string(value)
	return nil
}
