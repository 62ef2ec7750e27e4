package stage

import (
	"unsafe"

	"github.com/mcpctl/mcpctl/sdk-go/internal/raw"
)

// Cache keeps values between calls. Keys are arbitrary strings, private to the
// module's build, the role, its config and the project. The host may drop a value,
// so the result of a stage must not depend on it. The manifest must list the
// capability "cache".
type Cache struct{}

// Get returns a value and reports whether there is one.
func (Cache) Get(key string) ([]byte, bool) {
	h := raw.CacheGet(key)
	if h < 0 {
		return nil, false
	}
	value := readAll(h)
	raw.BufFree(h)
	return value, true
}

// Set stores a value of up to 4 MiB, whatever the outcome of the call.
//
// Errors: Denied without the capability, Limit, Unavailable.
func (Cache) Set(key string, value []byte) error {
	return check(raw.CacheSet(key, unsafe.String(unsafe.SliceData(value), len(value))))
}

// GetOrCompute returns the value of a key; if there is none, it computes and stores
// it. If the value cannot be stored, that is logged and not returned.
//
// Errors: those of compute.
func (c Cache) GetOrCompute(key string, compute func() ([]byte, error)) ([]byte, error) {
	if value, ok := c.Get(key); ok {
		return value, nil
	}
	value, err := compute()
	if err != nil {
		return nil, err
	}
	if err := c.Set(key, value); err != nil {
		Log{}.Debug("cache: value not kept: " + err.Error())
	}
	return value, nil
}
