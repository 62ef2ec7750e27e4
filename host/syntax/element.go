package syntax

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
)

// delimiters are the texts around tags, as a stage declares them.
type delimiters struct {
	Open   string      `json:"open"`   // before the name in the tag that opens an element
	Close  string      `json:"close"`  // before the name in the tag that closes it
	End    string      `json:"end"`    // of a tag
	Empty  string      `json:"empty"`  // end of the tag of an element without content, or ""
	Quotes string      `json:"quotes"` // quote characters of values in a tag, ASCII only
	Opaque [][2]string `json:"opaque"` // the beginning and the end of text without tags, such as comments
}

// IsTag reports whether tag, the name in a tag, is name, or name after a prefix and a
// colon.
func IsTag(tag, name string) bool { return isTag([]byte(tag), []byte(name)) }

func isTag(tag, name []byte) bool {
	return bytes.Equal(tag, name) || bytes.Equal(tag[bytes.LastIndexByte(tag, ':')+1:], name)
}

// Tag returns the name in the tag at the beginning of text, or "".
func (s *Syntax) Tag(text []byte) string {
	if s.elements == nil {
		return ""
	}
	return string(s.elements.openName(text))
}

// HasTag reports whether text begins with an element with this tag.
func (s *Syntax) HasTag(text []byte, name string) bool {
	if s.elements == nil {
		return false
	}
	tag := s.elements.openName(text)
	return tag != nil && isTag(tag, []byte(name))
}

// Attribute returns the value of the attribute with this name in the tag at the beginning of
// text: the text in quotes after the name and one character, such as name="value".
func (s *Syntax) Attribute(text []byte, name string) (value []byte, ok bool) {
	tag := s.Tag(text)
	if tag == "" || name == "" || s.elements.Quotes == "" {
		return nil, false
	}
	length, kind := s.elements.endOf(text)
	if kind == noTag {
		return nil, false
	}
	rest := text[len(s.elements.Open)+len(tag) : length]
	for len(rest) > 0 {
		start := bytes.IndexAny(rest, s.elements.Quotes)
		if start < 0 {
			return nil, false
		}
		end := bytes.IndexByte(rest[start+1:], rest[start])
		if end < 0 {
			return nil, false
		}
		before := bytes.TrimRight(rest[:start], blanks)
		if len(before) > 0 {
			before = bytes.TrimSpace(before[:len(before)-1]) // without the character between name and value
		}
		if string(before) == name {
			return rest[start+1 : start+1+end], true
		}
		rest = rest[start+end+2:]
	}
	return nil, false
}

// Content returns the text of the element at the beginning of text. It reports false if the
// element contains other elements or text without tags, such as comments.
func (s *Syntax) Content(text []byte) (content []byte, ok bool) {
	if s.Tag(text) == "" {
		return nil, false
	}
	length, kind := s.elements.endOf(text)
	if kind != openTag {
		return nil, kind == emptyTag
	}
	rest := text[length:]
	end := bytes.IndexByte(rest, s.elements.Open[0])
	if end < 0 || !bytes.HasPrefix(rest[end:], []byte(s.elements.Close)) {
		return nil, false
	}
	return rest[:end], true
}

// CanName reports whether no character of name would end the name of a tag. It does
// not check the first character.
func (s *Syntax) CanName(name string) bool {
	return s.elements != nil && len(name) <= maxName && len(s.elements.name([]byte(name))) == len(name)
}

// openName returns the name in the opening tag at the beginning of text, or nil.
func (d *delimiters) openName(text []byte) []byte {
	rest, ok := bytes.CutPrefix(text, []byte(d.Open))
	if !ok || len(rest) == 0 || !isNameStart(rest[0]) {
		return nil
	}
	name := d.name(rest[:min(len(rest), maxName+1)])
	if len(name) > maxName {
		return nil
	}
	return name
}

// name returns the name at the beginning of text.
func (d *delimiters) name(text []byte) []byte {
	for i, c := range text {
		if strings.IndexByte(blanks, c) >= 0 || c == d.End[0] || d.Empty != "" && c == d.Empty[0] {
			return text[:i]
		}
	}
	return text
}

// isNameStart reports whether the name of a tag may begin with c.
func isNameStart(c byte) bool { return c|0x20-'a' < 26 || c == '_' || c == ':' || c >= 0x80 }

// Children returns the spans of the elements with this tag that are directly inside the
// first element of text, at most limit, which must be positive.
func (s *Syntax) Children(text []byte, tag string, limit int) (found [][2]int) {
	name := []byte(tag)
	if s.elements == nil || !bytes.Contains(text, name) {
		return nil
	}
	s.elements.visit(text, func(tag []byte, depth, start, end int) bool {
		if depth == 1 && isTag(tag, name) {
			found = append(found, [2]int{start, end})
		}
		return len(found) < limit
	})
	return found
}

// Inside returns the spans of the elements with this tag inside the first element of
// text, at most limit, which must be positive. A span inside another one is left out,
// unless the limit ended the walk before the outer element.
func (s *Syntax) Inside(text []byte, tag string, limit int) (found [][2]int) {
	name := []byte(tag)
	if s.elements == nil || !bytes.Contains(text, name) {
		return nil
	}
	s.elements.visit(text, func(tag []byte, depth, start, end int) bool {
		if depth == 0 || !isTag(tag, name) {
			return true
		}
		for n := len(found); n > 0 && found[n-1][0] > start; n-- { // an inner element ends before the outer one
			found = found[:n-1]
		}
		found = append(found, [2]int{start, end})
		return len(found) < limit
	})
	return found
}

// visit calls yield for the first element of text and all elements in it, each at its
// end, while yield returns true. depth is the number of enclosing elements. The walk
// stops at a tag without an end, at one that does not close the last open element, and
// where elements are nested too deep.
func (d *delimiters) visit(text []byte, yield func(tag []byte, depth, start, end int) bool) {
	const maxOpen = 1 << 20
	var open []int // starts of the open elements
	for at := 0; len(open) < maxOpen; {
		length, kind := d.next(text, &at)
		if kind == noTag {
			return
		}
		start, last := at, len(open)-1
		at += length
		switch {
		case kind == openTag:
			open = append(open, start)
			continue
		case kind == closeTag && (last < 0 || !bytes.Equal(d.openName(text[open[last]:]), d.name(text[start+len(d.Close):at]))):
			return
		case kind == closeTag:
			start, open = open[last], open[:last]
		}
		if !yield(d.openName(text[start:]), len(open), start, at) || len(open) == 0 {
			return
		}
	}
}

type tagKind uint8

const (
	noTag tagKind = iota
	openTag
	closeTag
	emptyTag
)

// next moves at to the next tag and returns its length and kind, or noTag. Only a
// search that fails reads to the end of text, and it ends the walk, so a walk takes
// linear time.
func (d *delimiters) next(text []byte, at *int) (length int, kind tagKind) {
	for {
		next := bytes.IndexByte(text[*at:], d.Open[0])
		if next < 0 {
			return 0, noTag
		}
		*at += next
		rest := text[*at:]
		switch skipped, isOpaque := d.skipOpaque(rest); {
		case isOpaque && skipped < 0:
			return 0, noTag
		case isOpaque:
			*at += skipped
		case bytes.HasPrefix(rest, []byte(d.Close)):
			end := bytes.Index(rest[len(d.Close):], []byte(d.End))
			if end < 0 {
				return 0, noTag
			}
			return len(d.Close) + end + len(d.End), closeTag
		case d.openName(rest) != nil:
			return d.endOf(rest)
		default:
			*at++
		}
	}
}

// skipOpaque returns the length of the text without tags at the beginning of text, or
// -1 if it does not end.
func (d *delimiters) skipOpaque(text []byte) (length int, isOpaque bool) {
	for _, o := range d.Opaque {
		rest, ok := bytes.CutPrefix(text, []byte(o[0]))
		if !ok {
			continue
		}
		end := bytes.Index(rest, []byte(o[1]))
		if end < 0 {
			return -1, true
		}
		return len(o[0]) + end + len(o[1]), true
	}
	return 0, false
}

// endOf returns the length and kind of the opening tag at the beginning of text, or
// noTag if it does not end.
func (d *delimiters) endOf(text []byte) (length int, kind tagKind) {
	for i := len(d.Open); i < len(text); i++ {
		switch c := text[i]; {
		case strings.IndexByte(d.Quotes, c) >= 0:
			n := bytes.IndexByte(text[i+1:], c)
			if n < 0 {
				return 0, noTag
			}
			i += n + 1
		case d.Empty != "" && c == d.Empty[0] && bytes.HasPrefix(text[i:], []byte(d.Empty)):
			return i + len(d.Empty), emptyTag
		case c == d.End[0] && bytes.HasPrefix(text[i:], []byte(d.End)):
			return i + len(d.End), openTag
		case c == d.Open[0] && bytes.HasPrefix(text[i:], []byte(d.Open)):
			return 0, noTag
		}
	}
	return 0, noTag
}

// check returns an error for delimiters that do not work. Their number and length are
// limited, because each is compared at each tag.
func (d *delimiters) check() error {
	const maxLength, maxOpaque = 16, 8
	for _, required := range [...]struct{ key, value string }{{"open", d.Open}, {"close", d.Close}, {"end", d.End}} {
		if required.value == "" {
			return fmt.Errorf("elements: %s is required", required.key)
		}
	}
	if d.Close == d.Open {
		return errors.New("elements: open and close are equal")
	}
	if len(d.Opaque) > maxOpaque {
		return fmt.Errorf("elements: opaque has %d entries, limit %d", len(d.Opaque), maxOpaque)
	}
	all := []string{d.Open, d.Close, d.End, d.Empty, d.Quotes}
	if d.Close[0] != d.Open[0] {
		return fmt.Errorf("elements: close %q does not begin with the same byte as open %q", d.Close, d.Open)
	}
	for i, o := range d.Opaque {
		if o[0] == "" || o[1] == "" || o[0][0] != d.Open[0] {
			return fmt.Errorf("elements: opaque, entry %d: want a beginning with the same first byte as open %q, and an end", i, d.Open)
		}
		all = append(all, o[0], o[1])
	}
	for _, s := range all {
		if len(s) > maxLength {
			return fmt.Errorf("elements: %.16q... has %d bytes, limit %d", s, len(s), maxLength)
		}
	}
	return nil
}
