package jsonrpc

import (
	"encoding/json"

	"github.com/mcpctl/mcpctl/host/jsonspan"
)

// Message is one JSON-RPC message. Params, Result and Error are JSON text as
// received, parts of the frame it was decoded from; nil if absent.
//
// Shape: a request has ID and Method, a notification has only Method, a response has ID
// and one of Result and Error.
type Message struct {
	ID     ID
	Method string
	Params json.RawMessage
	Result json.RawMessage
	Error  json.RawMessage
	Marks  Marks // of Result, if DecodeUpstream read it
}

// IsRequest reports whether the message expects an answer.
func (m Message) IsRequest() bool { return m.Method != "" && !m.ID.IsZero() }

// IsNotification reports whether the message is a notification, which has no answer.
func (m Message) IsNotification() bool { return m.Method != "" && m.ID.IsZero() }

// IsResponse reports whether the message is the answer to a request.
func (m Message) IsResponse() bool { return m.Method == "" }

// Append appends the message as JSON text. The text is one line unless a raw value
// contains line breaks, which FrameWriter replaces.
func (m Message) Append(dst []byte) []byte {
	dst = append(dst, `{"jsonrpc":"2.0"`...)
	if !m.ID.IsZero() {
		dst = m.ID.Append(append(dst, `,"id":`...))
	}
	if m.Method != "" {
		dst = jsonspan.AppendQuote(append(dst, `,"method":`...), []byte(m.Method))
	}
	dst = appendMember(dst, `,"params":`, m.Params)
	dst = appendMember(dst, `,"result":`, m.Result)
	dst = appendMember(dst, `,"error":`, m.Error)
	return append(dst, '}')
}

func appendMember(dst []byte, key string, value json.RawMessage) []byte {
	if value == nil {
		return dst
	}
	return append(append(dst, key...), value...)
}

// Size returns the maximum number of bytes that Append appends.
func (m Message) Size() int {
	const keys = len(`{"jsonrpc":"2.0","id":,"method":"","params":,"result":,"error":}`)
	return keys + len(m.ID.raw) + 6*len(m.Method) + len(m.Params) + len(m.Result) + len(m.Error)
}
