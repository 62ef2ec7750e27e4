package flow

import (
	"encoding/json"

	"github.com/mcpctl/mcpctl/abi"
)

// ListedTool is one tool of a session, listed or hidden.
type ListedTool struct {
	Label      string // server/tool; the plain name of a virtual tool or a tool of the host
	Wire       string // the name that the client uses
	Kind       abi.ToolKind
	Owner      string          // role of the controller that owns a virtual tool
	Hidden     bool            // not listed, still callable
	Stale      bool            // its server is not reachable
	Definition json.RawMessage // as sent to the client, under its wire name
}

// ServerState is the state of one server of a project. It contains no secrets.
type ServerState struct {
	Name  string `json:"name"`
	State string `json:"state"` // ready, starting, failed, idle
	Tools int    `json:"tools"`
	Error string `json:"error"`
}
