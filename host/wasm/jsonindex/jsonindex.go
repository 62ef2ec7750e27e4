// Package jsonindex indexes JSON texts for repeated lookups by pointer and position.
package jsonindex

import (
	"bytes"
	"errors"
	"math"

	"github.com/mcpctl/mcpctl/host/jsonspan"
)

// Index holds every value of one JSON text in the order of the text, so that the
// children of a container follow it. Lookups read nodes, not the text. A value is
// identified by its node number; the root is 0.
//
// Offsets are below 2^31, as in all buffers. An Index is not safe for concurrent use:
// lookups update its cursors.
type Index struct {
	text    []byte
	nodes   []node
	cursors [8]cursor // by container
}

// node is one value.
type node struct {
	start, end uint32
	key        uint32 // offset of its key, and keyEscaped; 0 in an array and at the root
	next       uint32 // the node after its last descendant
}

const keyEscaped = 1 << 31

// MaxValues limits the values of one text: 128 MiB of nodes.
const MaxValues = 8 << 20

// ErrTooManyValues is returned for a text with more than MaxValues values.
var ErrTooManyValues = errors.New("too many values")

// cursor is the position of the last lookup in a container: guests read arrays by
// increasing position.
type cursor struct {
	container uint32
	pos       uint32
	node      uint32 // the child at pos
	count     int32  // of all children; -1: not counted yet
	used      bool
}

// New indexes a text that must be one JSON value in UTF-8.
//
// Errors: *jsonspan.SyntaxError; ErrTooManyValues.
func New(text []byte) (*Index, error) {
	x := &Index{text: text, nodes: make([]node, 0, min(len(text)/12+4, 1<<20))}
	end, err := x.read()
	if err != nil {
		return nil, err
	}
	if end = jsonspan.SkipBlank(text, end); end != len(text) {
		return nil, &jsonspan.SyntaxError{Offset: end, Reason: "want the end of the text"}
	}
	return x, jsonspan.ValidUTF8(text)
}

// read indexes all values in one loop, without recursion.
func (x *Index) read() (int, error) {
	var open []uint32 // containers, outermost first
	key := uint32(0)
	at := 0
	for {
		at = jsonspan.SkipBlank(x.text, at)
		n := uint32(len(x.nodes))
		if n == MaxValues {
			return 0, ErrTooManyValues
		}
		x.nodes = append(x.nodes, node{start: uint32(at), key: key})
		kind := jsonspan.KindAt(x.text, at)
		var err error
		if kind == jsonspan.Array || kind == jsonspan.Object {
			at = jsonspan.SkipBlank(x.text, at+1)
			if at >= len(x.text) || x.text[at] != closing(kind) {
				open = append(open, n)
				if at, key, err = x.readKey(kind, at); err != nil {
					return 0, err
				}
				continue
			}
			at++
		} else if at, err = jsonspan.ValueEnd(x.text, at); err != nil {
			return 0, err
		}
		x.close(n, at)
		if at, key, open, err = x.closeEnded(at, open); err != nil || len(open) == 0 {
			return at, err
		}
	}
}

// closeEnded closes the containers that end after a value and returns the start of the
// next value. No container remains open at the end of the text.
func (x *Index) closeEnded(at int, open []uint32) (int, uint32, []uint32, error) {
	for len(open) > 0 {
		top := open[len(open)-1]
		kind := jsonspan.KindAt(x.text, int(x.nodes[top].start))
		at = jsonspan.SkipBlank(x.text, at)
		switch {
		case at < len(x.text) && x.text[at] == ',':
			at, key, err := x.readKey(kind, jsonspan.SkipBlank(x.text, at+1))
			return at, key, open, err
		case at < len(x.text) && x.text[at] == closing(kind):
			at++
			x.close(top, at)
			open = open[:len(open)-1]
		default:
			return 0, 0, nil, &jsonspan.SyntaxError{Offset: at, Reason: "want ',' or '" + string(closing(kind)) + "'"}
		}
	}
	return at, 0, nil, nil
}

// readKey reads a key and its colon; an array has none.
func (x *Index) readKey(kind jsonspan.Kind, at int) (int, uint32, error) {
	if kind == jsonspan.Array {
		return at, 0, nil
	}
	if jsonspan.KindAt(x.text, at) != jsonspan.String {
		return 0, 0, &jsonspan.SyntaxError{Offset: at, Reason: "want a key"}
	}
	end, err := jsonspan.ValueEnd(x.text, at)
	if err != nil {
		return 0, 0, err
	}
	key := uint32(at)
	if bytes.IndexByte(x.text[at:end], '\\') >= 0 {
		key |= keyEscaped
	}
	if end = jsonspan.SkipBlank(x.text, end); end >= len(x.text) || x.text[end] != ':' {
		return 0, 0, &jsonspan.SyntaxError{Offset: end, Reason: "want ':'"}
	}
	return end + 1, key, nil
}

func (x *Index) close(node uint32, end int) {
	x.nodes[node].end = uint32(end)
	x.nodes[node].next = uint32(len(x.nodes))
}

func closing(k jsonspan.Kind) byte {
	if k == jsonspan.Array {
		return ']'
	}
	return '}'
}

// Len returns the number of values.
func (x *Index) Len() int { return len(x.nodes) }

// Kind returns the kind of a value.
func (x *Index) Kind(node uint32) jsonspan.Kind {
	return jsonspan.KindAt(x.text, int(x.nodes[node].start))
}

// Span returns the start and end of a value in the text.
func (x *Index) Span(node uint32) (start, end uint32) {
	return x.nodes[node].start, x.nodes[node].end
}

// KeySpan returns the span of a value's key, including quotes; 0, 0 if it has none.
func (x *Index) KeySpan(node uint32) (start, end uint32) {
	key := x.nodes[node].key
	if key == 0 {
		return 0, 0
	}
	start = key &^ keyEscaped
	if key&keyEscaped == 0 {
		return start, start + 2 + uint32(bytes.IndexByte(x.text[start+1:], '"'))
	}
	stop, err := jsonspan.ValueEnd(x.text, int(start))
	if err != nil { // cannot happen: New has read the text
		return 0, 0
	}
	return start, uint32(stop)
}

var errPointer = errors.New(`JSON pointer must be empty or start with "/", with ~0 and ~1 as its escapes`)

// Find follows a JSON pointer (RFC 6901). Of duplicate keys it uses the first.
func (x *Index) Find(pointer []byte) (node uint32, ok bool, err error) {
	if len(pointer) > 0 && pointer[0] != '/' {
		return 0, false, errPointer
	}
	if _, err := unescapePointer(pointer); err != nil {
		return 0, false, err
	}
	for len(pointer) > 0 {
		segment := pointer[1:]
		if end := bytes.IndexByte(segment, '/'); end >= 0 {
			segment = segment[:end]
		}
		pointer = pointer[1+len(segment):]
		if segment, err = unescapePointer(segment); err != nil {
			return 0, false, err
		}
		if node, ok = x.child(node, segment); !ok {
			return 0, false, nil
		}
	}
	return node, true, nil
}

func unescapePointer(segment []byte) ([]byte, error) {
	if bytes.IndexByte(segment, '~') < 0 {
		return segment, nil
	}
	out := make([]byte, 0, len(segment))
	for i := 0; i < len(segment); i++ {
		c := segment[i]
		if c == '~' {
			if i++; i == len(segment) || segment[i]&^1 != '0' {
				return nil, errPointer
			}
			c = "~/"[segment[i]-'0']
		}
		out = append(out, c)
	}
	return out, nil
}

func (x *Index) child(container uint32, segment []byte) (uint32, bool) {
	switch x.Kind(container) {
	case jsonspan.Array:
		pos, ok := arrayPosition(segment)
		if !ok {
			return 0, false
		}
		return x.Child(container, pos)
	case jsonspan.Object:
		return x.member(container, segment)
	}
	return 0, false
}

func arrayPosition(segment []byte) (uint32, bool) {
	if len(segment) == 0 || len(segment) > 10 || segment[0] == '0' && len(segment) > 1 {
		return 0, false
	}
	n := 0
	for _, c := range segment {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int(c-'0')
	}
	return uint32(n), n <= math.MaxInt32
}

func (x *Index) member(object uint32, name []byte) (uint32, bool) {
	stop := x.nodes[object].next
	for n := object + 1; n < stop; n = x.nodes[n].next {
		if x.hasKey(n, name) {
			return n, true
		}
	}
	return 0, false
}

func (x *Index) hasKey(node uint32, name []byte) bool {
	key := x.nodes[node].key
	if key&keyEscaped == 0 {
		rest := x.text[key+1:]
		return len(rest) > len(name) && rest[len(name)] == '"' && bytes.Equal(rest[:len(name)], name)
	}
	start, end := x.KeySpan(node)
	plain, err := jsonspan.Unquote(x.text[start:end])
	return err == nil && bytes.Equal(plain, name)
}

// Child returns the child at a position of a container.
func (x *Index) Child(container, pos uint32) (uint32, bool) {
	c := x.cursor(container)
	if pos < c.pos {
		c.pos, c.node = 0, container+1
	}
	stop := x.nodes[container].next
	for c.node < stop && c.pos < pos {
		c.node = x.nodes[c.node].next
		c.pos++
	}
	return c.node, c.node < stop
}

// Count returns the number of children of a container.
func (x *Index) Count(container uint32) int32 {
	c := x.cursor(container)
	if c.count < 0 {
		c.count = 0
		for n, stop := container+1, x.nodes[container].next; n < stop; n = x.nodes[n].next {
			c.count++
		}
	}
	return c.count
}

func (x *Index) cursor(container uint32) *cursor {
	c := &x.cursors[container%uint32(len(x.cursors))]
	if !c.used || c.container != container {
		*c = cursor{container: container, node: container + 1, count: -1, used: true}
	}
	return c
}
