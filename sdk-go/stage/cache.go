package stage

import (
	"unsafe"

	"github.com/mcpctl/mcpctl/sdk-go/internal/raw"
)

// Cache keeps values from call to call. Keys are free strings, private to the
// module's build, the role, its config and the project. A value may vanish, so
// the result of a stage must not depend on whether there is one. It needs the
// capability "cache" in the manifest.
type Cache struct{}

// Get is a value and whether there is one.
func (Cache) Get(key string) ([]byte, bool) {
	h := raw.CacheGet(key)
	if h < 0 {
		return nil, false
	}
	value := readAll(h)
	raw.BufFree(h)
	return value, true
}

// Set keeps a value of up to 4 MiB, whatever the stage returns later.
//
// Errors: Denied without the capability, Limit, Unavailable.
func (Cache) Set(key string, value []byte) error {
	return check(raw.CacheSet(key, unsafe.String(unsafe.SliceData(value), len(value))))
}

// GetOrCompute is the value of a key, computed and kept if there is none. That a
// value could not be kept is logged, not returned.
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
