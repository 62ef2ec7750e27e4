package jsonspan

// Kind says what a JSON value is; the numbers are those of the ABI's json_kind.
type Kind int8

// The kinds of JSON values. Invalid is what starts no value.
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

// KindAt says what value starts at b[at], judging by its first byte alone.
// It is Invalid where no value can start or at is outside b.
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
