package strictyaml

import "strconv"

// Builder builds a mapping field by field.
type Builder []Field

// Add returns the Builder with one more field.
func (b Builder) Add(name string, v Value) Builder { return append(b, Field{Name: name, Value: v}) }

// AddIf is Add if cond is true.
func (b Builder) AddIf(cond bool, name string, v Value) Builder {
	if !cond {
		return b
	}
	return b.Add(name, v)
}

// Value returns the mapping.
func (b Builder) Value() Value { return Value{Type: Map, Fields: b} }

// NewText returns a String.
func NewText(s string) Value { return Value{Type: String, Text: s} }

// NewInt returns a Number.
func NewInt(n int) Value { return Value{Type: Number, Text: strconv.Itoa(n)} }

// NewBool returns a Bool.
func NewBool(b bool) Value { return Value{Type: Bool, Text: strconv.FormatBool(b)} }

// NewTexts returns a List of strings.
func NewTexts(items []string) Value {
	v := Value{Type: List}
	for _, s := range items {
		v.Items = append(v.Items, NewText(s))
	}
	return v
}
