package host

import (
	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/cache"
	"github.com/mcpctl/mcpctl/host/proxy"
)

// knownLists keeps in the cache what servers declared and listed: it is checked,
// bounded, and can be rebuilt.
type knownLists struct{ kv *cache.KV }

var _ proxy.KnownLists = knownLists{}

// openKnownLists returns nil offline: no server is asked there.
func (h *Host) openKnownLists() proxy.KnownLists {
	if h.cache == nil {
		return nil
	}
	return knownLists{h.cache.KV(abi.Producer{Role: "known-lists", ModuleHash: "host/proxy"}, nil)}
}

// Get implements proxy.KnownLists.
func (k knownLists) Get(key string) ([]byte, bool) { return k.kv.Get([]byte(key)) }

// Set implements proxy.KnownLists. A value over the limits is not kept: the server is
// asked again.
func (k knownLists) Set(key string, value []byte) { _ = k.kv.Set([]byte(key), value) }
