package cache

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
)

// KV is the private values of the guests of one module, role, config and project. It
// is safe for concurrent use.
type KV struct {
	c      *Cache
	by     flow.Producer
	prefix [32]byte
}

// KV returns the private values of a producer under one config (canonical JSON).
func (c *Cache) KV(by flow.Producer, config []byte) *KV {
	h := appendProducer([]byte("mcpctl guest values\n"), by)
	h = binary.AppendUvarint(h, uint64(len(config)))
	return &KV{c: c, by: by, prefix: sha256.Sum256(append(h, config...))}
}

// Get returns the value last set under name. Values may be evicted at any time. The
// value is shared: the caller must not modify it.
func (k *KV) Get(name []byte) ([]byte, bool) { return k.c.get(k.id(name), k.by) }

// Set stores a value under a name of any length. The caller must not modify the value
// afterwards.
//
// It returns abi.ErrLimit and stores nothing if the value exceeds 4 MiB, or the module
// would exceed its limit over all projects (limits.cache).
func (k *KV) Set(name, value []byte) error {
	if len(value) > abi.LimitCacheValueBytes {
		return fmt.Errorf("%w: cache value is %d bytes, limit %d", abi.ErrLimit, len(value), abi.LimitCacheValueBytes)
	}
	i := k.id(name)
	k.c.mu.Lock()
	defer k.c.mu.Unlock()
	sum := k.c.index.guests[k.by.ModuleHash] + int64(len(value))
	if old := k.c.index.entries[i]; old != nil {
		sum -= int64(old.size)
	}
	if sum > k.c.moduleBytes {
		return fmt.Errorf("%w: cache values of the module are %d bytes, limit %d (set limits.cache)",
			abi.ErrLimit, sum, k.c.moduleBytes)
	}
	k.c.add(i, k.by, value)
	return nil
}

func (k *KV) id(name []byte) id {
	return id{kindGuest, sha256.Sum256(append(k.prefix[:], name...))}
}
