package jsonspan

import (
	"strconv"
	"unicode/utf8"
)

// Rules say what Scan demands beyond the grammar. The zero value demands nothing.
type Rules struct {
	MaxDepth   int  // containers open at once; 0: any number
	UniqueKeys bool // refuse an object with two equal keys, at every depth

	// Key is told each key as it is read: its literal, how many containers are
	// open (1: a member of the outermost) and the offset behind its colon.
	Key func(literal []byte, depth, behind int)
}

// Valid checks that b is one JSON value (RFC 8259) in valid UTF-8, with nothing
// but white space round it.
//
// Limits: none; nesting of any depth is read in one loop.
// Errors: *SyntaxError.
func Valid(b []byte) error {
	end, err := ValueEnd(b, 0)
	if err != nil {
		return err
	}
	if end = SkipBlank(b, end); end != len(b) {
		return fault(b, end, "want the end of the text")
	}
	return ValidUTF8(b)
}

// ValidUTF8 is Valid's check of the encoding alone.
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

// ValueEnd returns the offset behind the JSON value that starts at b[at], white
// space before it skipped. What follows the value is not looked at.
//
// It checks the grammar, but not the UTF-8 inside strings (ValidUTF8 does).
// Errors: *SyntaxError.
func ValueEnd(b []byte, at int) (end int, err error) {
	return Scan(b, at, Rules{})
}

// Scan is ValueEnd under rules.
func Scan(b []byte, at int, r Rules) (end int, err error) {
	s := scanner{told: r.Key}
	if r.UniqueKeys {
		s.keys = newKeyStack()
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

// scanner is the state of one Scan: which containers are open and, under
// UniqueKeys, which keys they have had.
type scanner struct {
	open     nesting
	keys     *keyStack
	told     func(literal []byte, depth, behind int)
	maxDepth int
}

// value is the loop over all tokens: a value starts (or opens a container and
// with it the next value), a value ends (and with it perhaps some containers).
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

// start reads a scalar or an empty container whole; of another container it
// reads the bracket and the first key, up to where its first value starts.
func (s *scanner) start(b []byte, i int) (_ int, opened bool, bad *SyntaxError) {
	if i >= len(b) {
		return 0, false, fault(b, i, "want a value")
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

// next reads on from the end of a value: closing brackets, then, if a container
// is still open, the comma and the key of its next value.
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
			return 0, fault(b, i, "want ',' or '"+string(closer(object))+"'")
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
		return 0, fault(b, i, "want a key")
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
		return 0, fault(b, i, "want ':'")
	}
	if s.told != nil {
		s.told(literal, s.open.depth, i+1)
	}
	return i + 1, nil
}

func closer(object bool) byte {
	if object {
		return '}'
	}
	return ']'
}
