package imports

import (
	"slices"

	"github.com/mcpctl/mcpctl/abi"
)

// stateChanges are the values that a hook has written over the committed state.
type stateChanges struct {
	written map[string][]byte // nil: deleted
	keys    int               // difference to the committed state
	bytes   int               // of keys and values, as a difference
}

// currentState returns a value as the hook sees it.
func (h *hook) currentState(key string) ([]byte, bool) {
	if value, ok := h.state.written[key]; ok {
		return value, value != nil
	}
	return h.Host.State(key)
}

// setState replaces a value; nil deletes it.
func (h *hook) setState(key string, value []byte) {
	s := &h.state
	if old, ok := h.currentState(key); ok {
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

// stateSizeWith returns the number of keys and the bytes of the state if a value is
// set.
func (h *hook) stateSizeWith(key string, value []byte) (keys, size int) {
	keys, size = h.Host.StateSize()
	keys, size = keys+h.state.keys, size+h.state.bytes
	if old, ok := h.currentState(key); ok {
		keys, size = keys-1, size-len(key)-len(old)
	}
	return keys + 1, size + len(key) + len(value)
}

// recountState counts the changes again after other calls may have changed the state.
func (h *hook) recountState() {
	written := h.state.written
	h.state = stateChanges{}
	for key, value := range written {
		h.setState(key, value)
	}
}

// toolEdits are the changes that a hook makes to the list of tools.
type toolEdits struct {
	hidden     []string
	isHidden   map[string]bool
	patches    []abi.ToolPatch
	patchBytes int
	added      []abi.VirtualTool
}

// hasTool reports whether there is a tool to edit. Tools that the hook has added count.
func (h *hook) hasTool(tool string) bool {
	if _, _, ok := h.Host.Tool(tool); ok {
		return true
	}
	return slices.ContainsFunc(h.tools.added, func(t abi.VirtualTool) bool { return t.Name == tool })
}

func (h *hook) hideTool(tool string) {
	t := &h.tools
	if t.isHidden[tool] {
		return
	}
	if t.isHidden == nil {
		t.isHidden = make(map[string]bool)
	}
	t.isHidden[tool] = true
	t.hidden = append(t.hidden, tool)
}
