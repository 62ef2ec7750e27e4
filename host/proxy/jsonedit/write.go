package jsonedit

import "github.com/mcpctl/mcpctl/host/jsonspan"

// Field is a member to be added to an object.
type Field struct {
	Key   string
	Value []byte // raw JSON
}

// Raw returns a Field whose value is raw JSON.
func Raw(key string, value []byte) Field { return Field{Key: key, Value: value} }

// String returns a Field whose value is a string.
func String(key, text string) Field { return Field{Key: key, Value: Quote(text)} }

// Object encodes fields as a JSON object.
func Object(fields ...Field) []byte {
	size := len("{}")
	for _, f := range fields {
		size += len(f.Key) + len(f.Value) + len(`"":,`)
	}
	return append(appendFields(append(make([]byte, 0, size), '{'), false, fields), '}')
}

func appendFields(dst []byte, comma bool, add []Field) []byte {
	for _, f := range add {
		if comma {
			dst = append(dst, ',')
		}
		dst = append(jsonspan.AppendQuote(dst, []byte(f.Key)), ':')
		dst, comma = append(dst, f.Value...), true
	}
	return dst
}

// Array encodes raw JSON values as a JSON array.
func Array(values ...[]byte) []byte {
	size := len("[]") + len(values)
	for _, value := range values {
		size += len(value)
	}
	dst := append(make([]byte, 0, size), '[')
	for i, value := range values {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, value...)
	}
	return append(dst, ']')
}

// Quote encodes text as a JSON string.
func Quote(text string) []byte { return jsonspan.AppendQuote(nil, []byte(text)) }
