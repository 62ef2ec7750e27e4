package jsonspan

import (
	"bytes"
	"strconv"
	"strings"
)

// Member is the position of one child of a container: its value and, in an object, its
// key.
//
// All fields are byte offsets into the whole slice; ends are exclusive. The span of the
// key includes its quotes, and is 0,0 for an element of an array.
type Member struct {
	KeyStart, KeyEnd int
	Start, End       int
}

// Children calls yield for each child of the container at b[start], in order and including
// duplicate keys, until yield returns false.
//
// Children does not validate and reports no error: of invalid JSON it may yield only some
// children (see Valid, Scan). A scalar has no children.
func Children(b []byte, start int, yield func(Member) bool) {
	kind := KindAt(b, start)
	if kind != Object && kind != Array {
		return
	}
	i := SkipBlank(b, start+1)
	for i < len(b) && b[i] != closer(kind == Object) {
		var m Member
		if kind == Object {
			end, bad := (&scanner{}).key(b, i)
			if bad != nil {
				return
			}
			m.KeyStart, m.KeyEnd = i, keyEnd(b, end-1)
			i = SkipBlank(b, end)
		}
		end, err := ValueEnd(b, i)
		if err != nil {
			return
		}
		m.Start, m.End = i, end
		if !yield(m) {
			return
		}
		if i = SkipBlank(b, end); i < len(b) && b[i] == ',' {
			i = SkipBlank(b, i+1)
		}
	}
}

// keyEnd returns the end of a key, after its closing quote, from the offset of the colon
// that follows it.
func keyEnd(b []byte, colon int) int {
	for b[colon-1] != '"' {
		colon--
	}
	return colon
}

// KeyIs reports whether the string literal lit, quotes included, decodes to name.
func KeyIs(lit []byte, name string) bool {
	if len(lit) < 2 {
		return false
	}
	if bytes.IndexByte(lit, '\\') < 0 {
		return string(lit[1:len(lit)-1]) == name
	}
	text, err := Unquote(lit)
	return err == nil && string(text) == name
}

// Lookup finds the value at a JSON pointer (RFC 6901) in the valid JSON text b. The empty
// pointer selects the top-level value. If a key occurs more than once, the first one is
// used. The key span of the Member is that of the last step, 0,0 for the empty pointer.
func Lookup(b []byte, pointer string) (Member, bool) {
	start := SkipBlank(b, 0)
	end, err := ValueEnd(b, start)
	if err != nil {
		return Member{}, false
	}
	m := Member{Start: start, End: end}
	for pointer != "" {
		if pointer[0] != '/' {
			return Member{}, false
		}
		var step string
		step, pointer = cutStep(pointer[1:])
		var ok bool
		if m, ok = child(b, m.Start, step); !ok {
			return Member{}, false
		}
	}
	return m, true
}

// cutStep splits off the first reference token and decodes its escapes: ~1 is a slash, ~0
// a tilde.
func cutStep(pointer string) (step, rest string) {
	step = pointer
	if i := strings.IndexByte(pointer, '/'); i >= 0 {
		step, rest = pointer[:i], pointer[i:]
	}
	if strings.IndexByte(step, '~') >= 0 {
		step = strings.ReplaceAll(strings.ReplaceAll(step, "~1", "/"), "~0", "~")
	}
	return step, rest
}

// child returns the child of the container at b[start] that step selects.
func child(b []byte, start int, step string) (found Member, ok bool) {
	at, array := 0, KindAt(b, start) == Array
	want, err := strconv.Atoi(step)
	if array && (err != nil || step != strconv.Itoa(want) || want < 0) {
		return Member{}, false
	}
	Children(b, start, func(m Member) bool {
		if array {
			ok = at == want
			at++
		} else {
			ok = KeyIs(b[m.KeyStart:m.KeyEnd], step)
		}
		found = m
		return !ok
	})
	return found, ok
}
