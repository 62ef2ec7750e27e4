package proxy

import (
	"context"
	"errors"
	"fmt"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/jsonrpc"
	"github.com/mcpctl/mcpctl/host/jsonspan"
	"github.com/mcpctl/mcpctl/host/proxy/jsonedit"
)

// Codes of JSON-RPC errors, in addition to those of package jsonrpc.
const (
	codeServer     = -32000 // a server is unavailable, a limit is reached
	codeCancelled  = -32800 // only in events: a cancelled request is not answered
	codeNoResource = -32002 // MCP: resource not found
)

// sessionEndedError ends the requests of a session that has ended, for example because its
// project was deleted.
type sessionEndedError struct{}

func (sessionEndedError) Error() string { return "the session has ended" }
func (sessionEndedError) Unwrap() error { return context.Canceled }

// errCancelled ends a request that the client has cancelled.
var errCancelled = errors.New("request cancelled")

// failure returns the answer to a request that ended with an error.
func failure(id jsonrpc.ID, err error) jsonrpc.Message {
	return jsonrpc.Message{ID: id, Error: errorObject(err).Raw()}
}

// errorObject returns the JSON-RPC error for err: an *jsonrpc.Error unchanged, otherwise
// its text with a code for its kind.
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

// errorText returns the text of an error without its code.
func errorText(err error) string {
	var e *jsonrpc.Error
	if errors.As(err, &e) {
		return e.Message
	}
	return err.Error()
}

// publicError reduces an error of a connection to the part that a client may read. The
// rest may quote files.
func publicError(err error) error {
	if config := (*ConfigError)(nil); errors.As(err, &config) {
		return config
	}
	if client := (*flow.ClientError)(nil); errors.As(err, &client) {
		return &flow.ClientError{Why: client.Why, Err: abi.ErrDenied} // without the details
	}
	for _, kind := range []error{abi.ErrConfig, abi.ErrNotFound, abi.ErrDenied} {
		if errors.Is(err, kind) {
			return kind
		}
	}
	return abi.ErrUnavailable
}

// noText describes why a member is no string, for an error about params.
func noText(o jsonrpc.Object, name string) string {
	raw, ok := o.Get(name)
	if !ok {
		return "is missing"
	}
	return fmt.Sprintf("is of kind %s, want string", jsonspan.KindAt(raw, 0))
}

func noResource(uri string) error {
	e := jsonrpc.Errorf(codeNoResource, "resource not found: %q", uri)
	e.Data = jsonedit.Object(jsonedit.String("uri", uri))
	return e
}

func noMethod(method string) error {
	return jsonrpc.Errorf(jsonrpc.CodeMethodNotFound, "method not found: %q", method)
}
