package stage

import (
	"unsafe"

	"github.com/mcpctl/mcpctl/sdk-go/internal/raw"
)

// Has reports whether the config has a key.
func (c *Base) Has(key string) bool { return raw.JSONKind(raw.BufConfig, Pointer(key)) >= 0 }

// String returns a config value, or def if the key is missing or null. A value that
// is not a string is a misuse: the call fails.
func (c *Base) String(key, def string) string {
	if !c.isKind(key, KindString) {
		return def
	}
	s, err := c.Config.JSON().String(Pointer(key))
	if err != nil {
		c.rejectConfig(key, err.Error())
		return def
	}
	return s
}

// Int returns a config value, or def; see String.
func (c *Base) Int(key string, def int) int {
	if !c.isKind(key, KindNumber) {
		return def
	}
	var v int64
	if code := raw.JSONI64(raw.BufConfig, Pointer(key), unsafe.Pointer(&v)); code < 0 {
		c.rejectConfig(key, "is no integer")
		return def
	}
	return int(v)
}

// Float returns a config value, or def; see String.
func (c *Base) Float(key string, def float64) float64 {
	if !c.isKind(key, KindNumber) {
		return def
	}
	var v float64
	if code := raw.JSONF64(raw.BufConfig, Pointer(key), unsafe.Pointer(&v)); code < 0 {
		c.rejectConfig(key, "is out of range")
		return def
	}
	return v
}

// Bool returns a config value, or def; see String.
func (c *Base) Bool(key string, def bool) bool {
	if !c.isKind(key, KindBool) {
		return def
	}
	var v int64
	raw.JSONI64(raw.BufConfig, Pointer(key), unsafe.Pointer(&v))
	return v != 0
}

// Strings returns a list of strings in the config, or def; see String.
func (c *Base) Strings(key string, def ...string) []string {
	if !c.isKind(key, KindArray) {
		return def
	}
	j := c.Config.JSON()
	list := []string{}
	for i := range j.Each(Pointer(key)) {
		at := Pointer(key, format(i))
		if kind, _ := j.Kind(at); kind != KindString {
			c.rejectConfig(key, "holds "+kind.String()+" at position "+format(i)+", want string")
			return def
		}
		s, err := j.String(at)
		if err != nil {
			c.rejectConfig(key, err.Error())
			return def
		}
		list = append(list, s)
	}
	return list
}

// isKind reports whether the key has a value of a kind. Another kind is a misuse;
// null counts as missing.
func (c *Base) isKind(key string, want Kind) bool {
	if c.call.config == 0 {
		c.call.config = c.Config.Len()
	}
	if c.call.config == len("{}") { // the usual case; calling the host for each key would be a large part of a small call
		return false
	}
	kind := raw.JSONKind(raw.BufConfig, Pointer(key))
	switch {
	case kind == raw.CodeNotFound || Kind(kind) == KindNull:
		return false
	case kind < 0:
		c.call.misused(kind)
		return false
	case Kind(kind) != want:
		c.rejectConfig(key, "is "+Kind(kind).String()+", want "+want.String())
		return false
	}
	return true
}

// rejectConfig records that a config value cannot be used.
func (c *Base) rejectConfig(key, how string) {
	if c.call.misuse == nil {
		c.call.misuse = &Error{Code: BadArg, Text: "config " + quote(key) + " " + how}
	}
}
