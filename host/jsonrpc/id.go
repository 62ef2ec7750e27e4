package jsonrpc

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"

	"github.com/mcpctl/mcpctl/host/jsonspan"
)

// maxIDBytes bounds an id, because ids are kept until the end of their call.
const maxIDBytes = 1024

// ID is the id of a request: a number, a string or null. The zero ID means that there is
// none; a message with a method and no id is a notification.
//
// IDs are comparable and can be map keys. Strings are compared by their decoded text,
// numbers by their digits as written.
type ID struct{ raw string }

// NumberID returns the id n.
func NumberID(n int64) ID { return ID{strconv.FormatInt(n, 10)} }

// StringID returns the id with the text s, which must be valid UTF-8.
func StringID(s string) ID { return ID{string(jsonspan.AppendQuote(nil, []byte(s)))} }

// NullID is the id of an error answer to a message whose id could not be read.
func NullID() ID { return ID{"null"} }

// ParseID parses an id from JSON text.
//
// Limits: 1,024 bytes.
func ParseID(raw []byte) (ID, error) {
	if len(raw) > maxIDBytes {
		return ID{}, fmt.Errorf("id of %d bytes, limit %d", len(raw), maxIDBytes)
	}
	switch kind := jsonspan.KindAt(raw, 0); kind {
	case jsonspan.String:
		if bytes.IndexByte(raw, '\\') < 0 {
			break
		}
		text, err := jsonspan.Unquote(raw)
		if err != nil {
			return ID{}, fmt.Errorf("id: %w", err)
		}
		return ID{string(jsonspan.AppendQuote(nil, text))}, nil
	case jsonspan.Number, jsonspan.Null:
	default:
		return ID{}, fmt.Errorf("id is of kind %s, want number or string", kind)
	}
	if end, err := jsonspan.ValueEnd(raw, 0); err != nil || end != len(raw) {
		return ID{}, errors.New("id is no JSON value")
	}
	return ID{string(raw)}, nil
}

// IsZero reports whether there is no id.
func (id ID) IsZero() bool { return id.raw == "" }

// IsNull reports whether the id is null.
func (id ID) IsNull() bool { return id.raw == "null" }

// Int64 returns the id if it is an integer that fits.
func (id ID) Int64() (int64, bool) {
	n, err := strconv.ParseInt(id.raw, 10, 64)
	return n, err == nil
}

// String returns the id as JSON text, "" for none.
func (id ID) String() string { return id.raw }

// Append appends the id as JSON text.
func (id ID) Append(dst []byte) []byte { return append(dst, id.raw...) }
