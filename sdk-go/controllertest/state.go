package controllertest

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/sdk-go/internal/raw"
	"github.com/mcpctl/mcpctl/sdk-go/internal/testhost"
)

// value returns a value with the changes of this hook.
func (h *host) value(key string) (string, bool) {
	if v, ok := h.state[key]; ok {
		if v == nil {
			return "", false
		}
		return *v, true
	}
	v, ok := h.s.State[key]
	return v, ok
}

func (h *host) StateGet(key string) int32 {
	v, ok := h.value(key)
	if !ok {
		return h.Refuse(raw.CodeNotFound, "no state "+key)
	}
	return h.Handle(testhost.Text([]byte(v)))
}

func (h *host) StateSet(key, value string) int32 {
	switch {
	case key == "" || !utf8.ValidString(key):
		return h.Bad("key of a state is empty or not UTF-8")
	case len(key) > raw.LimitStateKeyBytes:
		return h.Refuse(raw.CodeLimit, "key of "+strconv.Itoa(len(key))+" bytes, limit 256")
	}
	key, value = strings.Clone(key), strings.Clone(value)
	before, had := h.state[key]
	h.state[key] = &value
	keys, size := 0, 0
	for k, v := range h.newState() {
		keys++
		size += len(k) + len(v)
	}
	if keys <= raw.LimitStateKeys && size <= raw.LimitStateBytes {
		return 0
	}
	if h.state[key] = before; !had {
		delete(h.state, key)
	}
	return h.Refuse(raw.CodeLimit, "state of "+testhost.Commas(keys)+" keys and "+testhost.Commas(size)+" bytes, limit 1,000 and 1,048,576")
}

func (h *host) StateDel(key string) int32 {
	if _, ok := h.value(key); !ok {
		return h.Refuse(raw.CodeNotFound, "no state "+key)
	}
	h.state[strings.Clone(key)] = nil
	return 0
}
