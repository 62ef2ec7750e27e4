package web

import (
	"encoding/json"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/host/strictyaml"
)

// maxShown is the number of bytes of a client's text in an error.
const maxShown = 100

// restrictTo returns a message that does nothing but to read one resource, or to open the
// session for it. The message is written again, so that the server reads what was checked.
func restrictTo(uri string, body []byte) ([]byte, error) {
	var msg struct {
		ID     json.RawMessage `json:"id,omitempty"`
		Method string          `json:"method"`
		Params json.RawMessage `json:"params,omitempty"`
	}
	if err := json.Unmarshal(body, &msg); err != nil {
		return nil, problem.Usagef("the message is not one JSON-RPC request: %v", err)
	}
	switch msg.Method {
	case "initialize", "notifications/initialized", "ping":
	case "resources/read":
		var params struct {
			Meta json.RawMessage `json:"_meta,omitempty"`
			URI  string          `json:"uri"`
		}
		if json.Unmarshal(msg.Params, &params) != nil || params.URI != uri {
			return nil, problem.New(abi.ErrDenied, "the link is to the resource %q only", strictyaml.Clip(uri, maxShown))
		}
		text, err := json.Marshal(params)
		if err != nil {
			return nil, err
		}
		msg.Params = text
	default:
		return nil, problem.New(abi.ErrDenied, "a link permits initialize and resources/read, not %q", strictyaml.Clip(msg.Method, maxShown))
	}
	return json.Marshal(struct {
		Version string `json:"jsonrpc"`
		ID      any    `json:"id,omitempty"`
		Method  string `json:"method"`
		Params  any    `json:"params,omitempty"`
	}{"2.0", orNil(msg.ID), msg.Method, orNil(msg.Params)})
}

// orNil returns nil for an absent member, so that it stays absent.
func orNil(raw json.RawMessage) any {
	if raw == nil {
		return nil
	}
	return raw
}
