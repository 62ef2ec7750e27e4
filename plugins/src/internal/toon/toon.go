// Package toon writes JSON tables in TOON, which names the fields of records once and
// not in each of them.
//
// It writes what is a table: an array of objects with the same fields, all scalars, or
// an object of scalars and such arrays. What it writes reads back as the same values;
// numbers stay as they are written. Anything else has no tables to gain from.
package toon

import (
	"bytes"

	"github.com/mcpctl/mcpctl/plugins/src/scan/json"
)

// least is how many records a table has: with fewer nothing is gained.
const least = 3

// Encode gives JSON text, which must be valid, in TOON. ok is false if it is no table,
// or holds a character that TOON cannot write.
func Encode(text []byte) (out []byte, ok bool) {
	e := &encoder{text: text, out: make([]byte, 0, len(text)), ok: true}
	start := json.Space(text, 0)
	root := json.Node{Start: int32(start), End: int32(len(bytes.TrimRight(text, " \t\r\n")))}
	switch {
	case start < len(text) && text[start] == '[':
		root.Kind = json.Array
		e.table(root)
	case start < len(text) && text[start] == '{':
		root.Kind = json.Object
		e.object(root)
	default:
		return nil, false
	}
	return e.out, e.ok && e.tables > 0
}

type encoder struct {
	text   []byte
	out    []byte
	tables int
	ok     bool
}

// object writes members, one a line.
func (e *encoder) object(n json.Node) {
	seen := map[string]bool{}
	for _, m := range json.Each(nil, e.text, n) {
		key := e.decode(m.KeyStart, m.KeyEnd)
		if e.ok = e.ok && !seen[string(key)] && m.Kind != json.Object; !e.ok {
			return
		}
		seen[string(key)] = true
		e.key(key)
		if m.Kind == json.Array {
			e.table(json.Node{Start: m.Start, End: m.End, Kind: json.Array})
			continue
		}
		e.out = append(e.out, ": "...)
		e.scalar(m)
		e.out = append(e.out, '\n')
	}
}

// table writes an array of records behind its key.
func (e *encoder) table(n json.Node) {
	rows := json.Each(nil, e.text, n)
	if len(rows) < least || rows[0].Kind != json.Object {
		e.ok = false
		return
	}
	fields := json.Each(nil, e.text, node(rows[0]))
	if e.header(len(rows), fields); !e.ok {
		return
	}
	e.tables++
	var values []json.Member
	for _, row := range rows {
		if e.ok = e.ok && row.Kind == json.Object; !e.ok {
			return
		}
		values = json.Each(values[:0], e.text, node(row))
		if e.row(fields, values); !e.ok {
			return
		}
	}
}

func node(m json.Member) json.Node {
	return json.Node{Start: m.Start, End: m.End, Kind: m.Kind}
}

// header writes how many records there are and the names of their fields.
func (e *encoder) header(n int, fields []json.Member) {
	seen := map[string]bool{}
	e.out = append(e.out, '[')
	e.out = appendInt(e.out, n)
	e.out = append(e.out, "]{"...)
	for i, f := range fields {
		if i > 0 {
			e.out = append(e.out, ',')
		}
		key := e.decode(f.KeyStart, f.KeyEnd)
		e.ok = e.ok && !seen[string(key)]
		seen[string(key)] = true
		e.key(key)
	}
	e.ok = e.ok && len(fields) > 0
	e.out = append(e.out, "}:\n"...)
}

func appendInt(dst []byte, n int) []byte {
	if n > 9 {
		dst = appendInt(dst, n/10)
	}
	return append(dst, byte('0'+n%10))
}

// row writes one record, which must have the fields in their order.
func (e *encoder) row(fields, values []json.Member) {
	if e.ok = len(values) == len(fields); !e.ok {
		return
	}
	e.out = append(e.out, "  "...)
	for i, v := range values {
		f := fields[i]
		same := bytes.Equal(e.text[f.KeyStart:f.KeyEnd], e.text[v.KeyStart:v.KeyEnd])
		if e.ok = same && v.Kind != json.Object && v.Kind != json.Array; !e.ok {
			return
		}
		if i > 0 {
			e.out = append(e.out, ',')
		}
		if e.scalar(v); !e.ok {
			return
		}
	}
	e.out = append(e.out, '\n')
}

// scalar writes a value: what is no string as it stands.
func (e *encoder) scalar(m json.Member) {
	if m.Kind != json.Text {
		e.out = append(e.out, e.text[m.Start:m.End]...)
		return
	}
	if s := e.decode(m.Start, m.End); bare(s) {
		e.out = append(e.out, s...)
	} else {
		e.quoted(s)
	}
}

// decode gives what a string literal says. A lone surrogate says nothing that could be
// written.
func (e *encoder) decode(start, end int32) []byte {
	literal := e.text[start:end]
	s := json.Unquote(nil, literal, len(literal))
	if bytes.Contains(s, []byte("\uFFFD")) {
		e.ok = false
	}
	return s
}

func (e *encoder) key(key []byte) {
	if plainKey(key) {
		e.out = append(e.out, key...)
	} else {
		e.quoted(key)
	}
}

func plainKey(key []byte) bool {
	for i, c := range key {
		letter := c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (i == 0 || c != '.' && (c < '0' || c > '9')) {
			return false
		}
	}
	return len(key) > 0
}

// quoted writes a string in quotes. TOON has five escapes; other control characters it
// cannot write.
func (e *encoder) quoted(s []byte) {
	e.out = append(e.out, '"')
	for _, c := range s {
		switch c {
		case '"', '\\':
			e.out = append(e.out, '\\', c)
		case '\n':
			e.out = append(e.out, '\\', 'n')
		case '\r':
			e.out = append(e.out, '\\', 'r')
		case '\t':
			e.out = append(e.out, '\\', 't')
		default:
			e.ok = e.ok && c >= ' '
			e.out = append(e.out, c)
		}
	}
	e.out = append(e.out, '"')
}

// bare reports whether a string reads as one without quotes.
func bare(s []byte) bool {
	if len(s) == 0 || s[0] == '-' || s[0] == '#' || numeric(s) {
		return false
	}
	switch string(s) {
	case "true", "false", "null":
		return false
	}
	for _, c := range s {
		switch c {
		case ',', ':', '"', '\\', '[', ']', '{', '}', 0x7f:
			return false
		}
		if c < ' ' {
			return false
		}
	}
	trimmed := bytes.TrimSpace(s)
	return len(trimmed) == len(s)
}

// numeric reports whether a string could be taken for a number: it begins as one.
func numeric(s []byte) bool {
	if s[0] == '+' || s[0] == '.' {
		return true
	}
	if s[0] < '0' || s[0] > '9' {
		return false
	}
	for _, c := range s {
		if (c < '0' || c > '9') && c != '.' && c != 'e' && c != 'E' && c != '+' && c != '-' {
			return false
		}
	}
	return true
}
