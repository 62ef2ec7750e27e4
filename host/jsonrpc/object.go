package jsonrpc

import (
	"encoding/json"
	"slices"

	"github.com/mcpctl/mcpctl/host/jsonspan"
)

// Object is a list of the members of a JSON object in order, with raw values.
//
// Params are inspected, changed and forwarded as an Object, so that unknown members, big
// integers and the order are preserved. The zero Object is {}. An Object is not safe for
// concurrent use.
type Object struct{ fields []Field }

// Field is one member of an Object.
type Field struct {
	Name  string          // decoded
	Value json.RawMessage // as received
}

// DecodeParams decodes the params of a client's message. For nil and null it returns {}.
//
// It refuses duplicate keys at any depth and a depth over 128. In params, params._meta and
// params.arguments it also refuses two keys that differ only in case, of any script, and in
// params and params._meta a key that differs from a param name of MCP only in case. Such
// keys at deeper levels are data of the user and allowed.
// Errors: *Error with CodeInvalidParams.
func DecodeParams(raw json.RawMessage) (Object, error) {
	if len(raw) == 0 || jsonspan.KindAt(raw, 0) == jsonspan.Null {
		return Object{}, nil
	}
	if end, err := scanParams(raw, 0); err != nil {
		return Object{}, err
	} else if bad := checkEnd(raw, end); bad != nil {
		return Object{}, bad
	}
	return fieldsOf(raw)
}

// DecodeObject decodes any other object that the proxy decides on, such as the arguments
// of a call. It refuses duplicate keys at any depth, a depth over 128, and at the first
// level two keys that differ only in case.
//
// Errors: *Error with CodeInvalidParams.
func DecodeObject(raw json.RawMessage) (Object, error) {
	end, err := jsonspan.Scan(raw, 0, jsonspan.Rules{MaxDepth: maxDepth, UniqueKeys: true})
	if err != nil {
		return Object{}, Errorf(CodeInvalidParams, "%v", err)
	}
	if bad := checkEnd(raw, end); bad != nil {
		return Object{}, bad
	}
	if bad := checkSpelling(raw, jsonspan.SkipBlank(raw, 0), "object", nil); bad != nil {
		return Object{}, bad
	}
	return fieldsOf(raw)
}

// checkEnd checks that only white space follows the value, and that raw is valid UTF-8.
func checkEnd(raw []byte, end int) *Error {
	if end = jsonspan.SkipBlank(raw, end); end != len(raw) {
		return Errorf(CodeInvalidParams, "invalid JSON at byte %d: want the end of the text", end)
	}
	if err := jsonspan.ValidUTF8(raw); err != nil {
		return Errorf(CodeInvalidParams, "%v", err)
	}
	return nil
}

// fieldsOf returns the members of a checked object.
func fieldsOf(raw []byte) (Object, error) {
	start := jsonspan.SkipBlank(raw, 0)
	if kind := jsonspan.KindAt(raw, start); kind != jsonspan.Object {
		return Object{}, Errorf(CodeInvalidParams, "got %s, want an object", kind)
	}
	o := Object{make([]Field, 0, 8)}
	jsonspan.Children(raw, start, func(m jsonspan.Member) bool {
		name, _ := jsonspan.Unquote(raw[m.KeyStart:m.KeyEnd]) // checked
		o.fields = append(o.fields, Field{string(name), raw[m.Start:m.End:m.End]})
		return true
	})
	return o, nil
}

// Fields returns the members in order. The Object owns the slice.
func (o *Object) Fields() []Field { return o.fields }

// Get returns the raw value of a member.
func (o *Object) Get(name string) (json.RawMessage, bool) {
	if i := o.find(name); i >= 0 {
		return o.fields[i].Value, true
	}
	return nil, false
}

// Text returns the decoded text of a member. ok is false if the member is absent or not a
// string.
func (o *Object) Text(name string) (text string, ok bool) {
	raw, ok := o.Get(name)
	if !ok {
		return "", false
	}
	b, err := jsonspan.Unquote(raw)
	return string(b), err == nil
}

// Set replaces the value of a member, or appends the member. value must be valid JSON.
func (o *Object) Set(name string, value json.RawMessage) {
	if i := o.find(name); i >= 0 {
		o.fields[i].Value = value
		return
	}
	o.fields = append(o.fields, Field{name, value})
}

// Delete removes a member if it is there.
func (o *Object) Delete(name string) {
	if i := o.find(name); i >= 0 {
		o.fields = slices.Delete(o.fields, i, i+1)
	}
}

func (o *Object) find(name string) int {
	return slices.IndexFunc(o.fields, func(f Field) bool { return f.Name == name })
}

// Append appends the object as JSON text. It encodes the keys and copies the raw values.
func (o *Object) Append(dst []byte) []byte {
	dst = append(dst, '{')
	for i, f := range o.fields {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = jsonspan.AppendQuote(dst, []byte(f.Name))
		dst = append(append(dst, ':'), f.Value...)
	}
	return append(dst, '}')
}

// Raw returns the object as new JSON text.
func (o *Object) Raw() json.RawMessage {
	n := 2
	for _, f := range o.fields {
		n += len(f.Name) + len(f.Value) + 4
	}
	return o.Append(make([]byte, 0, n))
}
