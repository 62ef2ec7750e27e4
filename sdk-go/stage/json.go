package stage

import (
	"iter"
	"unsafe"

	"github.com/mcpctl/mcpctl/sdk-go/internal/raw"
)

// Kind is the kind of a JSON value.
type Kind int32

// The kinds.
const (
	KindNull   = Kind(raw.JSONNull)
	KindBool   = Kind(raw.JSONBool)
	KindNumber = Kind(raw.JSONNumber)
	KindString = Kind(raw.JSONString)
	KindArray  = Kind(raw.JSONArray)
	KindObject = Kind(raw.JSONObject)
)

// String returns the kind's name in lower case.
func (k Kind) String() string {
	names := [...]string{"null", "bool", "number", "string", "array", "object"}
	if k < 0 || int(k) >= len(names) {
		return "nothing"
	}
	return names[k]
}

// JSON reads a Buf that is one JSON value of any depth. The host parses it once per
// call. Pointers follow RFC 6901 ("/items/0/name"; see Pointer); the empty pointer is
// the whole. Of duplicate keys the first counts.
//
// Errors of all methods: NotFound if there is no value at the pointer, BadArg if the
// Buf is not JSON or the value is of another kind.
type JSON struct{ buf Buf }

// JSON returns b as JSON. The host parses it at the first access.
func (b Buf) JSON() JSON { return JSON{b} }

// Valid reports whether the Buf is one JSON value.
func (j JSON) Valid() bool { return raw.JSONKind(j.buf.id(), "") >= 0 }

// Kind returns the kind of a value.
func (j JSON) Kind(pointer string) (Kind, error) {
	k := raw.JSONKind(j.buf.id(), pointer)
	return Kind(k), check(k)
}

// Get returns a string decoded, and any other value as its exact text.
func (j JSON) Get(pointer string) (Buf, error) {
	return j.buf.call.handle(raw.JSONGet(j.buf.id(), pointer))
}

// String is like Get and returns a Go string.
func (j JSON) String(pointer string) (string, error) {
	h := raw.JSONGet(j.buf.id(), pointer)
	if h < 0 {
		return "", newError(h)
	}
	return take(h), nil
}

// Span returns the span of the exact text of a value, and its kind.
func (j JSON) Span(pointer string) (Span, Kind, error) {
	var at [2]uint32
	k := raw.JSONSpan(j.buf.id(), pointer, unsafe.Pointer(&at))
	if k < 0 {
		return Span{}, Kind(k), newError(k)
	}
	return Span{int(at[0]), int(at[1])}, Kind(k), nil
}

// Text decodes the string literal at a span, which includes the quotes.
func (j JSON) Text(s Span) (Buf, error) {
	return j.buf.call.handle(raw.JSONText(j.buf.id(), word(s.Start), word(s.End)))
}

// Len returns the number of children of an array or object.
func (j JSON) Len(pointer string) (int, error) {
	n := raw.JSONEach(j.buf.id(), pointer, 0, nil, 0)
	if n < 0 {
		return 0, newError(n)
	}
	return int(n), nil
}

// Child is a child of an array or object: the span of the value's exact text and, in an
// object, the span of the key literal with its quotes.
type Child struct{ Key, Value Span }

// Each iterates over the children of an array or object with their positions,
// duplicate keys included. If there is no such value, there are none: see Len.
func (j JSON) Each(pointer string) iter.Seq2[int, Child] {
	const records = pageSize / raw.ChildRecordSize
	return func(yield func(int, Child) bool) {
		k := j.buf.call
		if k == nil {
			return
		}
		page := k.page()
		defer k.returnPage(page)
		for from := 0; ; from += records {
			total := int(raw.JSONEach(j.buf.id(), pointer, word(from), unsafe.Pointer(&page[0]), pageSize))
			for i := 0; i < records && from+i < total; i++ {
				key := Span{u32(page, 4*i), u32(page, 4*i+1)}
				if !yield(from+i, Child{key, Span{u32(page, 4*i+2), u32(page, 4*i+3)}}) {
					return
				}
			}
			if from+records >= total {
				return
			}
		}
	}
}

// Int returns an integer of 64 bits; a bool reads as 0 or 1.
func (j JSON) Int(pointer string) (int64, error) {
	var v int64
	return v, check(raw.JSONI64(j.buf.id(), pointer, unsafe.Pointer(&v)))
}

// Float returns a number; a bool reads as 0 or 1.
func (j JSON) Float(pointer string) (float64, error) {
	var v float64
	return v, check(raw.JSONF64(j.buf.id(), pointer, unsafe.Pointer(&v)))
}

// Pointer returns a JSON pointer of keys and positions: Pointer("a/b", "0") is
// "/a~1b/0".
func Pointer(segments ...string) string {
	if len(segments) == 1 && !needsEscapes(segments[0]) {
		return "/" + segments[0]
	}
	var pointer []byte
	for _, s := range segments {
		pointer = append(pointer, '/')
		for i := range len(s) {
			switch s[i] {
			case '~':
				pointer = append(pointer, "~0"...)
			case '/':
				pointer = append(pointer, "~1"...)
			default:
				pointer = append(pointer, s[i])
			}
		}
	}
	return string(pointer)
}

// needsEscapes reports whether a segment needs escapes in a pointer.
func needsEscapes(segment string) bool {
	for i := range len(segment) {
		if segment[i] == '~' || segment[i] == '/' {
			return true
		}
	}
	return false
}
