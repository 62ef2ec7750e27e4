package wasm

import (
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/wasm/fault"
)

var stateFuncs = map[string]importFunc{
	abi.FuncStateGet: stateGet,
	abi.FuncStateSet: stateSet,
	abi.FuncStateDel: stateDel,
}

// stateWrites are what a hook has written over the committed state.
type stateWrites struct {
	written map[string][]byte // nil: deleted
	keys    int               // more than there are committed
	bytes   int               // of keys and values
}

// current gives a value as the hook sees it.
func (h *hook) current(key string) ([]byte, bool) {
	if value, ok := h.state.written[key]; ok {
		return value, value != nil
	}
	return h.Host.State(key)
}

// put replaces a value, nil deletes it.
func (h *hook) put(key string, value []byte) {
	s := &h.state
	if old, ok := h.current(key); ok {
		s.keys--
		s.bytes -= len(key) + len(old)
	}
	if value != nil {
		s.keys++
		s.bytes += len(key) + len(value)
	}
	if s.written == nil {
		s.written = make(map[string][]byte)
	}
	if s.written[key] = value; value == nil {
		if _, committed := h.Host.State(key); !committed {
			delete(s.written, key)
		}
	}
}

// recount counts anew what is written over a state that others may have changed.
func (h *hook) recount() {
	mine := h.state.written
	h.state = stateWrites{}
	for key, value := range mine {
		h.put(key, value)
	}
}

func stateGet(r *run, a args) int32 {
	value, ok := r.hook.current(string(r.text(a, 0)))
	if !ok {
		return r.notFound()
	}
	return r.give(value)
}

func stateSet(r *run, a args) int32 {
	key, value := r.text(a, 0), r.text(a, 2)
	switch {
	case len(key) == 0 || !utf8.Valid(key):
		return r.refuse(abi.CodeBadArg, "key of a state is empty or not UTF-8")
	case len(key) > abi.LimitStateKeyBytes:
		return r.refuse(abi.CodeLimit, "key of %d bytes, limit %d", len(key), abi.LimitStateKeyBytes)
	}
	h := r.hook
	keys, size := h.Host.StateSize()
	keys, size = keys+h.state.keys, size+h.state.bytes
	if old, ok := h.current(string(key)); ok {
		keys, size = keys-1, size-len(key)-len(old)
	}
	keys, size = keys+1, size+len(key)+len(value)
	if keys > abi.LimitStateKeys || size > abi.LimitStateBytes {
		return r.refuse(abi.CodeLimit, "state of %s keys and %s bytes, limit %s and %s",
			fault.Group(keys), fault.Group(size), fault.Group(abi.LimitStateKeys), fault.Group(abi.LimitStateBytes))
	}
	h.put(string(key), append([]byte{}, value...))
	return 0
}

func stateDel(r *run, a args) int32 {
	key := string(r.text(a, 0))
	if _, ok := r.hook.current(key); !ok {
		return r.notFound()
	}
	r.hook.put(key, nil)
	return 0
}
