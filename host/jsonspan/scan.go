package jsonspan

import (
	"strconv"
	"unicode/utf8"
)

// Rules are the checks of Scan beyond the grammar. The zero value adds none.
type Rules struct {
	MaxDepth   int  // maximum number of open containers; 0 means no limit
	UniqueKeys bool // refuse objects with duplicate keys, at any depth

	// Key is called for each key with its literal, the number of open containers (1
	// for a member of the outermost) and the offset after its colon.
	Key func(literal []byte, depth, after int)
}

// Valid checks that b is a single JSON value (RFC 8259) in valid UTF-8, with optional
// white space around it.
//
// Limits: none, also for the depth of nesting.
// Errors: *SyntaxError.
func Valid(b []byte) error {
	end, err := ValueEnd(b, 0)
	if err != nil {
		return err
	}
	if end = SkipBlank(b, end); end != len(b) {
		return newSyntaxError(b, end, "want the end of the text")
	}
	return ValidUTF8(b)
}

// ValidUTF8 checks only that b is valid UTF-8.
func ValidUTF8(b []byte) error {
	if utf8.Valid(b) {
		return nil
	}
	at := 0
	for at < len(b) {
		r, n := utf8.DecodeRune(b[at:])
		if r == utf8.RuneError && n == 1 {
			break
		}
		at += n
	}
	return &SyntaxError{at, "invalid UTF-8"}
}

// ValueEnd returns the offset after the JSON value at b[at], which may begin with white
// space. It ignores the bytes after the value.
//
// It checks the grammar, but not the UTF-8 of strings (see ValidUTF8).
// Errors: *SyntaxError.
func ValueEnd(b []byte, at int) (end int, err error) {
	return Scan(b, at, Rules{})
}

// Scan is ValueEnd with additional rules.
func Scan(b []byte, at int, r Rules) (end int, err error) {
	s := scanner{onKey: r.Key}
	if r.UniqueKeys {
		s.keys = newKeyStack()
		defer s.keys.release()
	}
	if s.maxDepth = r.MaxDepth; s.maxDepth <= 0 {
		s.maxDepth = int(^uint(0) >> 1)
	}
	end, bad := s.value(b, max(at, 0))
	if bad != nil {
		return 0, bad
	}
	return end, nil
}

// scanner is the state of one Scan: the open containers and, with UniqueKeys, their keys.
type scanner struct {
	open     nesting
	keys     *keyStack
	onKey    func(literal []byte, depth, after int) // Rules.Key
	maxDepth int
}

// value scans a value in a loop over its tokens: start scans the start of each inner
// value, next its end and the ends of its containers.
func (s *scanner) value(b []byte, i int) (int, *SyntaxError) {
	for {
		var opened bool
		var bad *SyntaxError
		if i, opened, bad = s.start(b, SkipBlank(b, i)); bad != nil {
			return 0, bad
		}
		if opened {
			continue
		}
		if i, bad = s.next(b, i); bad != nil {
			return 0, bad
		}
		if s.open.depth == 0 {
			return i, nil
		}
	}
}

// start scans a scalar or an empty container. Of another container it scans the bracket
// and the first key, up to the start of the first value.
func (s *scanner) start(b []byte, i int) (_ int, opened bool, bad *SyntaxError) {
	if i >= len(b) {
		return 0, false, newSyntaxError(b, i, "want a value")
	}
	switch c := b[i]; c {
	case '"':
		i, bad = stringEnd(b, i)
	case '{', '[':
		return s.container(b, i, c == '{')
	case 't':
		i, bad = literalEnd(b, i, "true")
	case 'f':
		i, bad = literalEnd(b, i, "false")
	case 'n':
		i, bad = literalEnd(b, i, "null")
	default:
		i, bad = numberEnd(b, i)
	}
	return i, false, bad
}

func (s *scanner) container(b []byte, i int, object bool) (_ int, opened bool, bad *SyntaxError) {
	if s.open.depth >= s.maxDepth {
		return 0, false, &SyntaxError{i, "nested too deeply (limit " + strconv.Itoa(s.maxDepth) + ")"}
	}
	i = SkipBlank(b, i+1)
	if i < len(b) && b[i] == closer(object) {
		return i + 1, false, nil
	}
	s.open.push(object)
	if !object {
		return i, true, nil
	}
	if s.keys != nil {
		s.keys.open()
	}
	i, bad = s.key(b, i)
	return i, true, bad
}

// next scans the tokens after a value: closing brackets and, if a container is still open,
// the comma and the key of its next value.
func (s *scanner) next(b []byte, i int) (int, *SyntaxError) {
	for s.open.depth > 0 {
		object := s.open.object()
		i = SkipBlank(b, i)
		if i < len(b) && b[i] == ',' {
			if !object {
				return i + 1, nil
			}
			return s.key(b, SkipBlank(b, i+1))
		}
		if i >= len(b) || b[i] != closer(object) {
			return 0, newSyntaxError(b, i, "want ',' or '"+string(closer(object))+"'")
		}
		if object && s.keys != nil {
			if bad := s.keys.close(); bad != nil {
				return 0, bad
			}
		}
		s.open.pop()
		i++
	}
	return i, nil
}

func (s *scanner) key(b []byte, i int) (int, *SyntaxError) {
	if i >= len(b) || b[i] != '"' {
		return 0, newSyntaxError(b, i, "want a key")
	}
	end, bad := stringEnd(b, i)
	if bad != nil {
		return 0, bad
	}
	if s.keys != nil {
		if bad := s.keys.add(b, i, end); bad != nil {
			return 0, bad
		}
	}
	literal := b[i:end]
	if i = SkipBlank(b, end); i >= len(b) || b[i] != ':' {
		return 0, newSyntaxError(b, i, "want ':'")
	}
	if s.onKey != nil {
		s.onKey(literal, s.open.depth, i+1)
	}
	return i + 1, nil
}

func closer(object bool) byte {
	if object {
		return '}'
	}
	return ']'
}
