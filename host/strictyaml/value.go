package strictyaml

import (
	"encoding/json"
	"fmt"
	"strconv"
)

// Position is a position in a file. Line and Column count from 1, Column in
// characters. The zero Position is unknown.
type Position struct{ Line, Column int }

// ValueType is the type of a Value.
type ValueType int

// The value types are those of JSON.
const (
	Null ValueType = iota
	Bool
	Number
	String
	List
	Map
)

var valueTypeNames = [...]string{"null", "bool", "number", "string", "list", "mapping"}

// String returns the name of the type in error texts: "list", "mapping".
func (t ValueType) String() string { return valueTypeNames[t] }

// WithArticle returns the name of the type in a sentence: "a list", for Null "empty".
func (t ValueType) WithArticle() string {
	if t == Null {
		return "empty"
	}
	return "a " + t.String()
}

// Value is a YAML value with its position. Aliases are resolved and share their
// Value, so a Value must not be modified. The zero Value is null.
type Value struct {
	Type   ValueType
	Text   string  // String: the string; Number: a JSON number; Bool: true or false
	Items  []Value // List
	Fields []Field // Map, in the order of the file, keys unique
	At     Position

	nodes int // number of values, including itself and the values of each alias
}

// Field is one key of a mapping with its value.
type Field struct {
	Name  string
	At    Position
	Value Value
}

// Lookup returns the value of a key of a mapping.
func (v Value) Lookup(name string) (Value, bool) {
	for _, f := range v.Fields {
		if f.Name == name {
			return f.Value, true
		}
	}
	return Value{}, false
}

// Keys returns the keys of a mapping in the order of the file.
func (v Value) Keys() []string {
	keys := make([]string, len(v.Fields))
	for i, f := range v.Fields {
		keys[i] = f.Name
	}
	return keys
}

// Int returns a Number as an int. ok is false if it is not an integer or too large.
func (v Value) Int() (n int, ok bool) {
	if v.Type != Number {
		return 0, false
	}
	n, err := strconv.Atoi(v.Text)
	return n, err == nil
}

// IsInteger reports whether v is a Number without a fraction or exponent.
func (v Value) IsInteger() bool {
	if v.Type != Number {
		return false
	}
	for i, c := range []byte(v.Text) {
		if (c < '0' || c > '9') && (i > 0 || c != '-') {
			return false
		}
	}
	return true
}

// String returns v as JSON for error texts, at most 60 bytes.
func (v Value) String() string {
	b, err := v.MarshalJSON()
	if err != nil {
		return v.Type.String()
	}
	return Clip(string(b), 60)
}

// Clip shortens s to at most limit bytes, at a character boundary. A shortened
// text ends in "...".
func Clip(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	cut := limit - len("...")
	for cut > 0 && s[cut]&0xC0 == 0x80 {
		cut--
	}
	return s[:cut] + "..."
}

// MarshalJSON returns v as JSON with the keys in the order of the file.
func (v Value) MarshalJSON() ([]byte, error) { return v.appendJSON(nil) }

func (v Value) appendJSON(dst []byte) ([]byte, error) {
	switch v.Type {
	case Null:
		return append(dst, "null"...), nil
	case Bool, Number:
		return append(dst, v.Text...), nil
	case String:
		return appendJSONString(dst, v.Text)
	case List:
		return v.appendList(dst)
	case Map:
		return v.appendMap(dst)
	}
	return nil, fmt.Errorf("value type %d", int(v.Type))
}

func (v Value) appendList(dst []byte) (_ []byte, err error) {
	dst = append(dst, '[')
	for i, item := range v.Items {
		if i > 0 {
			dst = append(dst, ',')
		}
		if dst, err = item.appendJSON(dst); err != nil {
			return nil, err
		}
	}
	return append(dst, ']'), nil
}

func (v Value) appendMap(dst []byte) (_ []byte, err error) {
	dst = append(dst, '{')
	for i, f := range v.Fields {
		if i > 0 {
			dst = append(dst, ',')
		}
		if dst, err = appendJSONString(dst, f.Name); err != nil {
			return nil, err
		}
		dst = append(dst, ':')
		if dst, err = f.Value.appendJSON(dst); err != nil {
			return nil, err
		}
	}
	return append(dst, '}'), nil
}

// appendJSONString appends s as a JSON string without escaping <, > and &.
func appendJSONString(dst []byte, s string) ([]byte, error) {
	var buf jsonBuffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		return nil, err
	}
	return append(dst, buf[:len(buf)-1]...), nil
}

type jsonBuffer []byte

func (b *jsonBuffer) Write(p []byte) (int, error) {
	*b = append(*b, p...)
	return len(p), nil
}
