package web

import (
	"testing"

	"github.com/mcpctl/mcpctl/host/object"
)

// A target is read again after any change.
func TestTargetCache(t *testing.T) {
	var c targetCache
	if _, ok := c.get("a", 0); ok {
		t.Error("the empty cache has a target")
	}
	c.put("a", 5, target{headers: map[string]string{"X": "old"}})
	c.put("b", 5, target{})
	for _, name := range []object.Name{"a", "b"} {
		if _, ok := c.get(name, 5); !ok {
			t.Errorf("%s is not kept", name)
		}
	}
	for _, version := range []int64{4, 6} {
		if _, ok := c.get("a", version); ok {
			t.Errorf("the target of version 5 is used for version %d", version)
		}
	}
	c.put("b", 6, target{})
	if _, ok := c.get("a", 6); ok {
		t.Error("the target of an old version is kept")
	}
}
