package testhost

import (
	"crypto/sha256"
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/sdk-go/internal/raw"
)

// CacheWay is the behaviour of a cache.
type CacheWay string

// The behaviours. Each refuses a value of more than 4 MiB.
const (
	CacheWorks CacheWay = ""     // it stores values
	CacheFull  CacheWay = "full" // it returns its values and refuses new ones
	CacheOff   CacheWay = "off"  // there is no cache
)

func (h *Host) CacheGet(key string) int32 {
	if h.CacheWay == CacheOff {
		return h.Refuse(raw.CodeUnavailable, "no cache configured")
	}
	value, ok := h.Cache[cacheKey(key)]
	if !ok {
		return h.Refuse(raw.CodeNotFound, "nothing cached under "+key)
	}
	return h.Handle(Text([]byte(value)))
}

func (h *Host) CacheSet(key, value string) int32 {
	switch {
	case len(value) > raw.LimitCacheValueBytes:
		return h.Refuse(raw.CodeLimit, "value of "+Commas(len(value))+" bytes, limit 4 MiB")
	case h.CacheWay == CacheOff:
		return h.Refuse(raw.CodeUnavailable, "no cache configured")
	case h.CacheWay == CacheFull:
		return h.Refuse(raw.CodeLimit, "limit reached: cache values of the module are over "+strconv.Itoa(raw.LimitCacheModuleBytes)+" bytes (set limits.cache)")
	}
	key, value = cacheKey(key), strings.Clone(value)
	h.Cache[key], h.Kept[key] = value, value
	return 0
}

func cacheKey(key string) string {
	if len(key) <= raw.LimitCacheKeyBytes {
		return strings.Clone(key)
	}
	sum := sha256.Sum256([]byte(key))
	return string(sum[:])
}
