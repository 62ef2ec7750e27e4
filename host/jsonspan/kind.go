package jsonspan

// Kind is the kind of a JSON value. The numbers are those of the ABI's json_kind.
type Kind int8

// The kinds of JSON values. Invalid is the kind of a byte that cannot start a value.
const (
	Invalid Kind = iota - 1
	Null
	Bool
	Number
	String
	Array
	Object
)

var kindNames = [...]string{"invalid", "null", "bool", "number", "string", "array", "object"}

func (k Kind) String() string {
	if k < Invalid || k > Object {
		return kindNames[0]
	}
	return kindNames[k+1]
}

// KindAt returns the kind of the value at b[at], determined by its first byte alone. It
// returns Invalid if no value can start there or at is outside of b.
func KindAt(b []byte, at int) Kind {
	if at < 0 || at >= len(b) {
		return Invalid
	}
	switch c := b[at]; {
	case c == '{':
		return Object
	case c == '[':
		return Array
	case c == '"':
		return String
	case c == '-' || '0' <= c && c <= '9':
		return Number
	case c == 't' || c == 'f':
		return Bool
	case c == 'n':
		return Null
	}
	return Invalid
}
