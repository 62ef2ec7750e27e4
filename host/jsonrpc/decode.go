package jsonrpc

import (
	"errors"
	"slices"

	"github.com/mcpctl/mcpctl/host/jsonspan"
)

// DefaultFrameBytes is the default limit of one message.
const DefaultFrameBytes = 32 << 20

// maxDepth bounds the nesting of a client's params, result or error.
const maxDepth = 128

// Limits bound one message. The zero value selects the defaults.
type Limits struct {
	FrameBytes int // bytes of one message; default 32 MiB
}

func (l Limits) frameBytes() int {
	if l.FrameBytes <= 0 {
		return DefaultFrameBytes
	}
	return l.FrameBytes
}

// Decode decodes a message of a client. It copies nothing: the raw values are parts of
// frame.
//
// Decode refuses input that is not a single JSON object in valid UTF-8, batches, duplicate
// envelope keys, other spellings of known envelope keys ("METHOD"), and params that are
// not an object. In params it refuses duplicate keys at any depth and keys that a lax
// reader could confuse with others (see DecodeParams). Unknown envelope keys are dropped
// and so never forwarded.
//
// Errors: always an *Error with the code for the answer. The Message then holds the id if
// one could be decoded.
func Decode(frame []byte, l Limits) (Message, error) {
	return decode(frame, l, decoder{
		params: scanParams,
		other: func(b []byte, at int) (int, error) {
			return jsonspan.Scan(b, at, jsonspan.Rules{MaxDepth: maxDepth})
		},
	})
}

// DecodeUpstream decodes a message of a server. It is as strict as Decode about the
// envelope, but params, result and error only have to be well-formed, with any depth and
// keys. It makes one pass, which also records the Marks of a result, and copies nothing.
func DecodeUpstream(frame []byte, l Limits) (Message, error) {
	var marks Marks
	m, err := decode(frame, l, decoder{params: jsonspan.ValueEnd, other: jsonspan.ValueEnd, result: marks.scan})
	m.Marks = marks
	return m, err
}

// decoder decodes an envelope. params, result and other scan a value and return its end;
// other scans the result if result is nil.
type decoder struct {
	params, result, other func(b []byte, at int) (end int, err error)
	m                     Message
	seen                  [len(envelopeKeys)]bool
}

func decode(frame []byte, l Limits, d decoder) (Message, error) {
	if n, limit := len(frame), l.frameBytes(); n > limit {
		return Message{ID: recoverID(frame)}, Errorf(CodeInvalidRequest, "message is %d bytes, limit %d", n, limit)
	}
	if err := jsonspan.ValidUTF8(frame); err != nil {
		return Message{ID: recoverID(frame)}, Errorf(CodeParse, "%v", err)
	}
	if bad := d.decodeEnvelope(frame); bad != nil {
		if d.m.ID.IsZero() {
			d.m.ID = recoverID(frame)
		}
		return Message{ID: d.m.ID}, bad
	}
	if bad := d.checkShape(); bad != nil {
		return Message{ID: d.m.ID}, bad
	}
	return d.m, nil
}

// decodeEnvelope decodes the members of the outermost object.
func (d *decoder) decodeEnvelope(b []byte) *Error {
	start := jsonspan.SkipBlank(b, 0)
	switch jsonspan.KindAt(b, start) {
	case jsonspan.Object:
	case jsonspan.Array:
		return Errorf(CodeInvalidRequest, "batches are not supported: send one message at a time")
	default:
		return Errorf(CodeParse, "message is no JSON object")
	}
	end, err := jsonspan.ScanMembers(b, start, func(key []byte, at int) (int, error) { return d.decodeMember(b, key, at) })
	if err != nil {
		return asError(err)
	}
	if end = jsonspan.SkipBlank(b, end); end != len(b) {
		return Errorf(CodeParse, "invalid JSON at byte %d: data after the message", end)
	}
	return nil
}

// asError returns err if it is an *Error, otherwise a parse error with its text.
func asError(err error) *Error {
	var own *Error
	if errors.As(err, &own) {
		return own
	}
	return Errorf(CodeParse, "%v", err)
}

// envelopeKeys lists the keys of a message, indexed as decoder.seen.
var envelopeKeys = [...]string{"jsonrpc", "id", "method", "params", "result", "error"}

// decodeMember decodes one member. A known key must have its exact spelling and occur once. An
// unknown key must not be another spelling of a known one.
func (d *decoder) decodeMember(b, key []byte, at int) (end int, err error) {
	name, err := jsonspan.Unquote(key)
	if err != nil {
		return 0, Errorf(CodeInvalidRequest, "an envelope key holds a lone surrogate")
	}
	known := slices.Index(envelopeKeys[:], string(name))
	if known < 0 {
		if twin := envelopeNames[string(fold(name))]; twin != "" {
			return 0, Errorf(CodeInvalidRequest, "envelope key %q: want %q in this spelling", name, twin)
		}
		return d.other(b, at)
	}
	if d.seen[known] {
		return 0, Errorf(CodeInvalidRequest, "duplicate envelope key %q", name)
	}
	d.seen[known] = true
	scan := d.other
	switch {
	case string(name) == "params":
		scan = d.params
	case string(name) == "result" && d.result != nil:
		scan = d.result
	}
	if end, err = scan(b, at); err != nil {
		return 0, err
	}
	return end, d.set(string(name), b[at:end:end])
}

func (d *decoder) set(name string, value []byte) error {
	switch name {
	case "jsonrpc":
		if !jsonspan.KeyIs(value, "2.0") {
			return Errorf(CodeInvalidRequest, `"jsonrpc" is not "2.0"`)
		}
	case "id":
		id, err := ParseID(value)
		if err != nil {
			return Errorf(CodeInvalidRequest, "%v", err)
		}
		d.m.ID = id
	case "method":
		method, err := jsonspan.Unquote(value)
		if err != nil || len(method) == 0 {
			return Errorf(CodeInvalidRequest, `"method" is no text`)
		}
		d.m.Method = string(method)
	case "params":
		switch jsonspan.KindAt(value, 0) {
		case jsonspan.Object:
			d.m.Params = value
		case jsonspan.Null: // as good as absent
		default:
			return Errorf(CodeInvalidParams, `"params" is no object`)
		}
	case "result":
		d.m.Result = value
	case "error":
		if jsonspan.KindAt(value, 0) != jsonspan.Object {
			return Errorf(CodeInvalidRequest, `"error" is no object`)
		}
		d.m.Error = value
	}
	return nil
}

// checkShape checks that the members form a request, a notification or a response.
func (d *decoder) checkShape() *Error {
	m := d.m
	switch {
	case !d.seen[0]:
		return Errorf(CodeInvalidRequest, `"jsonrpc":"2.0" is missing`)
	case m.Method != "" && (m.Result != nil || m.Error != nil):
		return Errorf(CodeInvalidRequest, "message has a method and an answer")
	case m.Method != "" && m.ID.IsNull():
		return Errorf(CodeInvalidRequest, "the id of a request is null")
	case m.Method != "":
		return nil
	case m.Result != nil && m.Error != nil:
		return Errorf(CodeInvalidRequest, "message has a result and an error")
	case m.Result == nil && m.Error == nil:
		return Errorf(CodeInvalidRequest, "message has no method, result or error")
	case m.ID.IsZero() || m.ID.IsNull() && m.Error == nil:
		return Errorf(CodeInvalidRequest, "answer without an id")
	}
	return nil
}
