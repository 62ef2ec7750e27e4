package jsonrpc

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/mcpctl/mcpctl/host/jsonspan"
)

// The codes of JSON-RPC 2.0 section 5.1.
const (
	CodeParse          = -32700
	CodeInvalidRequest = -32600
	CodeMethodNotFound = -32601
	CodeInvalidParams  = -32602
	CodeInternal       = -32603
)

// Error is a JSON-RPC error object.
type Error struct {
	Code    int
	Message string
	Data    json.RawMessage // nil if absent
}

// Errorf returns an Error without data.
func Errorf(code int, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

func (e *Error) Error() string {
	return "JSON-RPC error " + strconv.Itoa(e.Code) + ": " + e.Message
}

// Raw returns the error object as JSON text.
func (e *Error) Raw() json.RawMessage {
	b := append([]byte(`{"code":`), strconv.Itoa(e.Code)...)
	b = append(b, `,"message":`...)
	b = jsonspan.AppendQuote(b, []byte(e.Message))
	if len(e.Data) > 0 {
		b = append(append(b, `,"data":`...), e.Data...)
	}
	return append(b, '}')
}

// ReadError decodes the error object of a peer for display. Members that are absent or
// have another type stay zero. Forward the received bytes, not the returned Error.
func ReadError(raw []byte) *Error {
	e := new(Error)
	if m, ok := jsonspan.Lookup(raw, "/code"); ok {
		e.Code, _ = strconv.Atoi(string(raw[m.Start:m.End]))
	}
	if m, ok := jsonspan.Lookup(raw, "/message"); ok {
		text, _ := jsonspan.Unquote(raw[m.Start:m.End])
		e.Message = string(text)
	}
	if m, ok := jsonspan.Lookup(raw, "/data"); ok {
		e.Data = raw[m.Start:m.End]
	}
	return e
}
