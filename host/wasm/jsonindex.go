package wasm

import (
	"bytes"
	"errors"
	"math"

	"github.com/mcpctl/mcpctl/host/jsonspan"
)

// jsonIndex is one JSON text, read once: every value in the order of the text,
// so that a container's children follow it. Looking up and listing children
// afterwards touches nodes, not the text.
//
// Its offsets are below 2^31, as those of all buffers.
type jsonIndex struct {
	text  []byte
	nodes []jsonNode
	spots [8]spot // where in a container the last look-up ended
}

// jsonNode is one value.
type jsonNode struct {
	start, end uint32
	key        uint32 // start of its key, and keyEscaped; 0 in an array and at the top
	next       uint32 // node behind its last descendant
}

const keyEscaped = 1 << 31

// indexNodes bounds the values of one text, and of all indexes of a run before
// others are dropped: 128 MiB of nodes.
const indexNodes = 8 << 20

var errManyValues = errors.New("too many values")

// spot remembers the pos-th child of a container, since guests go through
// arrays by position.
type spot struct {
	container uint32
	pos       uint32
	node      uint32
	count     int32 // of all children; -1: not counted yet
	used      bool
}

// indexJSON reads a text that must be one JSON value in UTF-8.
//
// Errors: *jsonspan.SyntaxError; errManyValues.
func indexJSON(text []byte) (*jsonIndex, error) {
	x := &jsonIndex{text: text, nodes: make([]jsonNode, 0, min(len(text)/12+4, 1<<20))}
	end, err := x.read()
	if err != nil {
		return nil, err
	}
	if end = jsonspan.SkipBlank(text, end); end != len(text) {
		return nil, &jsonspan.SyntaxError{Offset: end, Reason: "want the end of the text"}
	}
	return x, jsonspan.ValidUTF8(text)
}

// read is one loop over all values, whatever their depth.
func (x *jsonIndex) read() (int, error) {
	var open []uint32 // containers, outermost first
	key := uint32(0)
	at := 0
	for {
		at = jsonspan.SkipBlank(x.text, at)
		node := uint32(len(x.nodes))
		if node == indexNodes {
			return 0, errManyValues
		}
		x.nodes = append(x.nodes, jsonNode{start: uint32(at), key: key})
		kind := jsonspan.KindAt(x.text, at)
		var err error
		if kind == jsonspan.Array || kind == jsonspan.Object {
			at = jsonspan.SkipBlank(x.text, at+1)
			if at >= len(x.text) || x.text[at] != closing(kind) {
				open = append(open, node)
				if at, key, err = x.key(kind, at); err != nil {
					return 0, err
				}
				continue
			}
			at++
		} else if at, err = jsonspan.ValueEnd(x.text, at); err != nil {
			return 0, err
		}
		x.close(node, at)
		if at, key, open, err = x.next(at, open); err != nil || len(open) == 0 {
			return at, err
		}
	}
}

// next closes the containers that end behind a value and reads on to where the
// next value starts. No container is left open at the end of the text.
func (x *jsonIndex) next(at int, open []uint32) (int, uint32, []uint32, error) {
	for len(open) > 0 {
		top := open[len(open)-1]
		kind := jsonspan.KindAt(x.text, int(x.nodes[top].start))
		at = jsonspan.SkipBlank(x.text, at)
		switch {
		case at < len(x.text) && x.text[at] == ',':
			at, key, err := x.key(kind, jsonspan.SkipBlank(x.text, at+1))
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

// key reads a key and its colon; an array has none.
func (x *jsonIndex) key(kind jsonspan.Kind, at int) (int, uint32, error) {
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

func (x *jsonIndex) close(node uint32, end int) {
	x.nodes[node].end = uint32(end)
	x.nodes[node].next = uint32(len(x.nodes))
}

func closing(k jsonspan.Kind) byte {
	if k == jsonspan.Array {
		return ']'
	}
	return '}'
}

func (x *jsonIndex) kind(node uint32) jsonspan.Kind {
	return jsonspan.KindAt(x.text, int(x.nodes[node].start))
}

func (x *jsonIndex) value(node uint32) []byte {
	n := x.nodes[node]
	return x.text[n.start:n.end]
}

// keySpan is the literal of a value's key, quotes included; 0,0 without one.
func (x *jsonIndex) keySpan(node uint32) (start, end uint32) {
	key := x.nodes[node].key
	if key == 0 {
		return 0, 0
	}
	start = key &^ keyEscaped
	if key&keyEscaped == 0 {
		return start, start + 2 + uint32(bytes.IndexByte(x.text[start+1:], '"'))
	}
	stop, err := jsonspan.ValueEnd(x.text, int(start))
	if err != nil { // the text was read before
		return 0, 0
	}
	return start, uint32(stop)
}

// errPointer is a JSON pointer that is none.
var errPointer = errors.New(`JSON pointer must be empty or start with "/", with ~0 and ~1 as its escapes`)

// find follows a JSON pointer (RFC 6901). Of duplicate keys it takes the first.
func (x *jsonIndex) find(pointer []byte) (node uint32, ok bool, err error) {
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

func (x *jsonIndex) child(container uint32, segment []byte) (uint32, bool) {
	switch x.kind(container) {
	case jsonspan.Array:
		pos, ok := arrayPosition(segment)
		if !ok {
			return 0, false
		}
		return x.at(container, pos)
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

func (x *jsonIndex) member(object uint32, name []byte) (uint32, bool) {
	stop := x.nodes[object].next
	for n := object + 1; n < stop; n = x.nodes[n].next {
		if x.hasKey(n, name) {
			return n, true
		}
	}
	return 0, false
}

func (x *jsonIndex) hasKey(node uint32, name []byte) bool {
	key := x.nodes[node].key
	if key&keyEscaped == 0 {
		rest := x.text[key+1:]
		return len(rest) > len(name) && rest[len(name)] == '"' && bytes.Equal(rest[:len(name)], name)
	}
	start, end := x.keySpan(node)
	plain, err := jsonspan.Unquote(x.text[start:end])
	return err == nil && bytes.Equal(plain, name)
}

// at gives the child at a position, going on from where the last one was.
func (x *jsonIndex) at(container, pos uint32) (uint32, bool) {
	s := x.spot(container)
	if pos < s.pos {
		s.pos, s.node = 0, container+1
	}
	stop := x.nodes[container].next
	for s.node < stop && s.pos < pos {
		s.node = x.nodes[s.node].next
		s.pos++
	}
	return s.node, s.node < stop
}

// count says how many children a container has.
func (x *jsonIndex) count(container uint32) int32 {
	s := x.spot(container)
	if s.count < 0 {
		s.count = 0
		for n, stop := container+1, x.nodes[container].next; n < stop; n = x.nodes[n].next {
			s.count++
		}
	}
	return s.count
}

func (x *jsonIndex) spot(container uint32) *spot {
	s := &x.spots[container%uint32(len(x.spots))]
	if !s.used || s.container != container {
		*s = spot{container: container, node: container + 1, count: -1, used: true}
	}
	return s
}
