package mcp

import (
	"encoding/json"
	"sync"

	"github.com/mcpctl/mcpctl/host/jsonrpc"
)

// harmlessTools contains the tools that, according to their annotations, only read, or for
// which a second call changes nothing more. Safe for concurrent use; the zero value is
// empty.
type harmlessTools struct {
	mu    sync.Mutex
	names map[string]bool
}

// note reads an answer to tools/list, which may be one page of several.
func (h *harmlessTools) note(result []byte) {
	var list struct {
		Tools []struct {
			Name        string
			Annotations struct{ ReadOnlyHint, IdempotentHint bool }
		}
	}
	if json.Unmarshal(result, &list) != nil {
		return // an error, or no list: nothing is known
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.names == nil {
		h.names = make(map[string]bool)
	}
	for _, t := range list.Tools {
		if t.Annotations.ReadOnlyHint || t.Annotations.IdempotentHint {
			h.names[t.Name] = true
		} else {
			delete(h.names, t.Name)
		}
	}
}

// calls reports whether a tools/call is of such a tool.
func (h *harmlessTools) calls(msg jsonrpc.Message) bool {
	params, err := jsonrpc.DecodeParams(msg.Params)
	if err != nil {
		return false
	}
	name, _ := params.Text("name")
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.names[name]
}
