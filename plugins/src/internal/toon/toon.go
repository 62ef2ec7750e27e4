// Package toon encodes JSON tables as TOON, which names the fields of records only once.
//
// It encodes an array of objects with the same scalar fields, or an object of scalars and
// such arrays. Other JSON would not get shorter. The result decodes to the same values, and
// numbers keep their text.
package toon

import (
	"bytes"
	"strconv"

	"github.com/mcpctl/mcpctl/plugins/src/scan/json"
)

// minRecords is the number of records from which a table gets shorter.
const minRecords = 3

// Encode encodes JSON, which must be valid, as TOON. ok is false if it is not a table or
// contains a character that TOON cannot represent.
func Encode(text []byte) (out []byte, ok bool) {
	e := &encoder{text: text, out: make([]byte, 0, len(text)), ok: true}
	start := json.SkipSpace(text, 0)
	root := json.Node{Start: int32(start), End: int32(len(bytes.TrimRight(text, " \t\r\n")))}
	switch {
	case start < len(text) && text[start] == '[':
		root.Kind = json.Array
		e.writeTable(root)
	case start < len(text) && text[start] == '{':
		root.Kind = json.Object
		e.writeObject(root)
	default:
		return nil, false
	}
	return e.out, e.ok && e.tables > 0
}

// encoder writes TOON to out. It stops when ok becomes false.
type encoder struct {
	text   []byte
	out    []byte
	tables int
	ok     bool
	omit   func(field int) bool // of EncodeRecords
}

// isOmitted reports whether a field is left out.
func (e *encoder) isOmitted(field int) bool { return e.omit != nil && e.omit(field) }

// writeObject writes members, one per line.
func (e *encoder) writeObject(n json.Node) {
	seen := map[string]bool{}
	for _, m := range json.AppendMembers(nil, e.text, n) {
		key := e.decode(m.KeyStart, m.KeyEnd)
		if e.ok = e.ok && !seen[string(key)] && m.Kind != json.Object; !e.ok {
			return
		}
		seen[string(key)] = true
		e.writeKey(key)
		if m.Kind == json.Array {
			e.writeTable(json.Node{Start: m.Start, End: m.End, Kind: json.Array})
			continue
		}
		e.out = append(e.out, ": "...)
		e.writeScalar(m)
		e.out = append(e.out, '\n')
	}
}

// EncodeRecords encodes objects in the text, which must be valid JSON. Members at the positions for
// which omit returns true are left out. ok is false as for Encode.
func EncodeRecords(text []byte, records []json.Node, omit func(field int) bool) (out []byte, ok bool) {
	e := &encoder{text: text, out: make([]byte, 0, len(text)/2), ok: true, omit: omit}
	e.writeRecords(len(records), func(i int) json.Node { return records[i] })
	return e.out, e.ok
}

// writeTable writes an array of records.
func (e *encoder) writeTable(n json.Node) {
	rows := json.AppendMembers(nil, e.text, n)
	e.writeRecords(len(rows), func(i int) json.Node { return node(rows[i]) })
	if e.ok {
		e.tables++
	}
}

// writeRecords writes n records, which must have the same fields.
func (e *encoder) writeRecords(n int, record func(i int) json.Node) {
	if n < minRecords || record(0).Kind != json.Object {
		e.ok = false
		return
	}
	fields := json.AppendMembers(nil, e.text, record(0))
	if e.writeHeader(n, fields); !e.ok {
		return
	}
	var values []json.Member
	for i := range n {
		row := record(i)
		if e.ok = e.ok && row.Kind == json.Object; !e.ok {
			return
		}
		values = json.AppendMembers(values[:0], e.text, row)
		if e.writeRow(fields, values); !e.ok {
			return
		}
	}
}

func node(m json.Member) json.Node {
	return json.Node{Start: m.Start, End: m.End, Kind: m.Kind}
}

// writeHeader writes the number of records and the names of their fields.
func (e *encoder) writeHeader(n int, fields []json.Member) {
	seen := map[string]bool{}
	e.out = append(e.out, '[')
	e.out = strconv.AppendInt(e.out, int64(n), 10)
	e.out = append(e.out, "]{"...)
	shown := 0
	for i, f := range fields {
		key := e.decode(f.KeyStart, f.KeyEnd)
		e.ok = e.ok && !seen[string(key)]
		if seen[string(key)] = true; e.isOmitted(i) {
			continue
		}
		if shown++; shown > 1 {
			e.out = append(e.out, ',')
		}
		e.writeKey(key)
	}
	e.ok = e.ok && shown > 0
	e.out = append(e.out, "}:\n"...)
}

// writeRow writes one record, which must have the fields in their order.
func (e *encoder) writeRow(fields, values []json.Member) {
	if e.ok = len(values) == len(fields); !e.ok {
		return
	}
	e.out = append(e.out, "  "...)
	shown := 0
	for i, v := range values {
		f := fields[i]
		if e.ok = bytes.Equal(e.text[f.KeyStart:f.KeyEnd], e.text[v.KeyStart:v.KeyEnd]); e.ok && e.isOmitted(i) {
			continue
		}
		if e.ok = e.ok && v.Kind != json.Object && v.Kind != json.Array; !e.ok {
			return
		}
		if shown++; shown > 1 {
			e.out = append(e.out, ',')
		}
		if e.writeScalar(v); !e.ok {
			return
		}
	}
	e.out = append(e.out, '\n')
}

// writeScalar writes a value. Only strings change.
func (e *encoder) writeScalar(m json.Member) {
	if m.Kind != json.Text {
		e.out = append(e.out, e.text[m.Start:m.End]...)
		return
	}
	if s := e.decode(m.Start, m.End); isPlainString(s) {
		e.out = append(e.out, s...)
	} else {
		e.writeQuoted(s)
	}
}

// decode decodes a string literal. A lone surrogate cannot be represented.
func (e *encoder) decode(start, end int32) []byte {
	literal := e.text[start:end]
	s := json.Unquote(nil, literal, len(literal))
	if bytes.Contains(s, []byte("\uFFFD")) {
		e.ok = false
	}
	return s
}

// writeKey writes a key, in quotes if necessary.
func (e *encoder) writeKey(key []byte) {
	if isPlainKey(key) {
		e.out = append(e.out, key...)
	} else {
		e.writeQuoted(key)
	}
}

// isPlainKey reports whether a key needs no quotes.
func isPlainKey(key []byte) bool {
	for i, c := range key {
		letter := c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (i == 0 || c != '.' && (c < '0' || c > '9')) {
			return false
		}
	}
	return len(key) > 0
}

// writeQuoted writes a string in quotes. TOON has five escapes and cannot represent other
// control characters.
func (e *encoder) writeQuoted(s []byte) {
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

// isPlainString reports whether a string needs no quotes.
func isPlainString(s []byte) bool {
	if len(s) == 0 || s[0] == '-' || s[0] == '#' || looksNumeric(s) {
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

// looksNumeric reports whether a string could be read as a number.
func looksNumeric(s []byte) bool {
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
