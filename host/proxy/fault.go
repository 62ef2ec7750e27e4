package proxy

import (
	"errors"
	"runtime/debug"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/jsonrpc"
)

// Codes of JSON-RPC errors of ours beyond those of JSON-RPC itself.
const (
	codeServer      = -32000 // a server is away, a limit is reached
	codeCancelled   = -32800 // in events alone: a request that was taken back is not answered
	codeNoResource  = -32002 // MCP: resource not found
	codeUnsupported = -32022 // MCP 2026-07-28: protocol version not supported
)

// recovered, deferred, makes a panic in our own code the error of one piece of
// work and leaves a trace of it.
func (e *Endpoint) recovered(work string, err *error) {
	if p := recover(); p != nil {
		e.log.Error("panic", "work", work, "panic", p, "stack", string(debug.Stack()))
		*err = jsonrpc.Errorf(jsonrpc.CodeInternal, "internal error")
	}
}

// failure answers a request that has no reply.
func failure(id jsonrpc.ID, err error) jsonrpc.Message {
	return jsonrpc.Message{ID: id, Error: errorObject(err).Raw()}
}

// errorObject makes the JSON-RPC error for an error of ours: an *jsonrpc.Error
// as it is, else its text under a code for its kind.
func errorObject(err error) *jsonrpc.Error {
	var own *jsonrpc.Error
	switch {
	case errors.As(err, &own):
		return own
	case errors.Is(err, errCancelled):
		return jsonrpc.Errorf(codeCancelled, "%v", errCancelled)
	case errors.Is(err, abi.ErrNotFound):
		return jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "%v", err)
	}
	return jsonrpc.Errorf(codeServer, "%v", err)
}
