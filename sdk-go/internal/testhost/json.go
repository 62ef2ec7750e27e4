package testhost

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/sdk-go/internal/raw"
)

// node is a value of a JSON text. The children of a container follow it; next is the
// first node after all of them.
type node struct {
	kind             int32
	keyStart, keyEnd int // 0 in an array and for the whole
	start, end       int
	children         int
	next             int
}

// jsonError reports that a text is not one JSON value.
type jsonError struct{ offset int }

func (e *jsonError) Error() string { return "not JSON at byte " + strconv.Itoa(e.offset) }

// parse returns the values of a JSON text in the order of their start. It does not
// recurse, so the depth is not limited.
func parse(b []byte) ([]node, error) {
	s := scanner{b: b}
	var nodes []node
	var open []int // containers, innermost last
	for {
		var n node
		if err := s.member(&n, nodes, open); err != nil {
			return nil, err
		}
		nodes = append(nodes, n)
		if len(open) > 0 {
			nodes[open[len(open)-1]].children++
		}
		me := len(nodes) - 1
		if n.kind >= raw.JSONArray && !s.skipEnd(n.kind) {
			open = append(open, me)
			continue
		}
		if n.kind >= raw.JSONArray {
			nodes[me].end = s.at
		}
		nodes[me].next = len(nodes)
		done, err := s.readSeparator(nodes, &open)
		if err != nil {
			return nil, err
		}
		if done {
			return nodes, nil
		}
	}
}

type scanner struct {
	b  []byte
	at int
}

func (s *scanner) fail() error { return &jsonError{s.at} }

func (s *scanner) skipBlanks() {
	for s.at < len(s.b) && strings.IndexByte(" \t\r\n", s.b[s.at]) >= 0 {
		s.at++
	}
}

// eat skips blanks and c, and reports whether c was next.
func (s *scanner) eat(c byte) bool {
	s.skipBlanks()
	if s.at < len(s.b) && s.b[s.at] == c {
		s.at++
		return true
	}
	return false
}

// skipEnd skips the end of a new container if it is empty, and reports whether it is.
func (s *scanner) skipEnd(kind int32) bool {
	if kind == raw.JSONArray {
		return s.eat(']')
	}
	return s.eat('}')
}

// member reads a key, if the innermost container is an object, and the value, or only the
// start of a container.
func (s *scanner) member(n *node, nodes []node, open []int) error {
	s.skipBlanks()
	if len(open) > 0 && nodes[open[len(open)-1]].kind == raw.JSONObject {
		n.keyStart = s.at
		if err := s.text(); err != nil {
			return err
		}
		n.keyEnd = s.at
		if !s.eat(':') {
			return s.fail()
		}
		s.skipBlanks()
	}
	n.start = s.at
	err := s.value(n)
	n.end = s.at
	return err
}

func (s *scanner) value(n *node) error {
	if s.at == len(s.b) {
		return s.fail()
	}
	switch c := s.b[s.at]; c {
	case '{':
		n.kind = raw.JSONObject
		s.at++
	case '[':
		n.kind = raw.JSONArray
		s.at++
	case '"':
		n.kind = raw.JSONString
		return s.text()
	case 't':
		n.kind = raw.JSONBool
		return s.word("true")
	case 'f':
		n.kind = raw.JSONBool
		return s.word("false")
	case 'n':
		n.kind = raw.JSONNull
		return s.word("null")
	default:
		n.kind = raw.JSONNumber
		return s.number()
	}
	return nil
}

func (s *scanner) word(w string) error {
	if !strings.HasPrefix(string(s.b[s.at:min(len(s.b), s.at+len(w))]), w) {
		return s.fail()
	}
	s.at += len(w)
	return nil
}

// text reads a string literal.
func (s *scanner) text() error {
	if s.at == len(s.b) || s.b[s.at] != '"' {
		return s.fail()
	}
	for s.at++; s.at < len(s.b); {
		switch c := s.b[s.at]; {
		case c == '"':
			s.at++
			return nil
		case c < ' ':
			return s.fail()
		case c == '\\':
			if err := s.escape(); err != nil {
				return err
			}
		default:
			r, n := utf8.DecodeRune(s.b[s.at:])
			if r == utf8.RuneError && n == 1 {
				return s.fail()
			}
			s.at += n
		}
	}
	return s.fail()
}

func (s *scanner) escape() error {
	if s.at++; s.at == len(s.b) || strings.IndexByte(`"\/bfnrtu`, s.b[s.at]) < 0 {
		return s.fail()
	}
	if s.at++; s.b[s.at-1] != 'u' {
		return nil
	}
	for range 4 {
		if s.at == len(s.b) || strings.IndexByte("0123456789abcdefABCDEF", s.b[s.at]) < 0 {
			return s.fail()
		}
		s.at++
	}
	return nil
}

func (s *scanner) number() error {
	if s.at < len(s.b) && s.b[s.at] == '-' {
		s.at++
	}
	zero := s.at < len(s.b) && s.b[s.at] == '0'
	if n := s.digits(); n == 0 || zero && n > 1 {
		return s.fail()
	}
	if s.at < len(s.b) && s.b[s.at] == '.' {
		s.at++
		if s.digits() == 0 {
			return s.fail()
		}
	}
	if s.at < len(s.b) && (s.b[s.at] == 'e' || s.b[s.at] == 'E') {
		if s.at++; s.at < len(s.b) && (s.b[s.at] == '+' || s.b[s.at] == '-') {
			s.at++
		}
		if s.digits() == 0 {
			return s.fail()
		}
	}
	return nil
}

func (s *scanner) digits() int {
	from := s.at
	for s.at < len(s.b) && s.b[s.at] >= '0' && s.b[s.at] <= '9' {
		s.at++
	}
	return s.at - from
}

// readSeparator reads the text after a value: a comma, ends of containers, or the end of the
// text.
func (s *scanner) readSeparator(nodes []node, open *[]int) (done bool, err error) {
	for len(*open) > 0 {
		top := (*open)[len(*open)-1]
		if s.eat(',') {
			return false, nil
		}
		if !s.skipEnd(nodes[top].kind) {
			return false, s.fail()
		}
		nodes[top].end, nodes[top].next = s.at, len(nodes)
		*open = (*open)[:len(*open)-1]
	}
	if s.skipBlanks(); s.at < len(s.b) {
		return false, s.fail()
	}
	return true, nil
}

// lookup follows a JSON pointer. Of duplicate keys the first counts.
func lookup(b []byte, nodes []node, pointer string) (int, bool) {
	if pointer == "" {
		return 0, true
	}
	if pointer[0] != '/' {
		return 0, false
	}
	at := 0
	for _, segment := range strings.Split(pointer[1:], "/") {
		segment = strings.ReplaceAll(strings.ReplaceAll(segment, "~1", "/"), "~0", "~")
		next, ok := child(b, nodes, at, segment)
		if !ok {
			return 0, false
		}
		at = next
	}
	return at, true
}

func child(b []byte, nodes []node, of int, segment string) (int, bool) {
	switch nodes[of].kind {
	case raw.JSONArray:
		want, err := strconv.Atoi(segment)
		if err != nil || want < 0 || strconv.Itoa(want) != segment {
			return 0, false
		}
		for i := of + 1; i < nodes[of].next; i = nodes[i].next {
			if want == 0 {
				return i, true
			}
			want--
		}
	case raw.JSONObject:
		for i := of + 1; i < nodes[of].next; i = nodes[i].next {
			if Unquote(b[nodes[i].keyStart:nodes[i].keyEnd]) == segment {
				return i, true
			}
		}
	}
	return 0, false
}

// Unquote decodes a string literal that parse has accepted.
func Unquote(literal []byte) string {
	var s string
	if err := json.Unmarshal(literal, &s); err != nil {
		return ""
	}
	return s
}
