package compress

import (
	"bytes"
	"math"

	"github.com/mcpctl/mcpctl/plugins/src/internal/lines"
	"github.com/mcpctl/mcpctl/plugins/src/internal/toon"
	"github.com/mcpctl/mcpctl/plugins/src/scan/csv"
	"github.com/mcpctl/mcpctl/plugins/src/scan/json"
)

// maxRecords bounds the memory for the positions of records.
const maxRecords = 1 << 19

// compactRecords returns NDJSON without white space. Members that are equal in all records are
// stated once, in a line above them. Records with the same fields are written as a table in TOON.
// ok is false if b is no NDJSON.
func compactRecords(b []byte) (out []byte, ok bool) {
	s := json.New(b, json.Options{Top: math.MaxInt, Nodes: maxRecords})
	if !s.Records(lines.Start(b)) || s.Len() == 0 {
		return nil, false
	}
	w := recordWriter{b: b, out: make([]byte, 0, len(b)/2)}
	all := true // there is no other text between the records
	for i := range int32(s.Len()) {
		n := *s.Node(i)
		w.records = append(w.records, n)
		all = all && n.Kind == json.Object
	}
	w.findConstants()
	w.stateConstants()
	if table, ok := w.table(); all && ok {
		return append(w.out, table...), true
	}
	for _, n := range w.records {
		w.writeRecord(n)
	}
	return w.out, true
}

// recordWriter writes the records of NDJSON.
type recordWriter struct {
	b, out    []byte
	records   []json.Node
	members   []json.Member // of the last record
	constants []constant
	position  map[string]int // of a constant, by its key with quotes
}

// constant is a member of the first record, and of all others as long as records is that of all.
type constant struct {
	json.Member
	field   int // position in the first record
	records int
	last    int // the last record that has it
}

func (w *recordWriter) membersOf(n json.Node) []json.Member {
	w.members = json.AppendMembers(w.members[:0], w.b, n)
	return w.members
}

func (w *recordWriter) key(m json.Member) []byte { return w.b[m.KeyStart:m.KeyEnd] }

// findConstants finds the members that each object has exactly once and with the same value.
func (w *recordWriter) findConstants() {
	objects := 0
	for _, n := range w.records {
		if n.Kind != json.Object {
			continue
		}
		objects++
		for field, m := range w.membersOf(n) {
			i, ok := w.position[string(w.key(m))]
			if objects == 1 && !ok {
				w.addConstant(m, field)
				continue
			}
			if !ok {
				continue
			}
			switch c := &w.constants[i]; {
			case c.last == objects:
				c.records = -len(w.records) // it is there twice
			case bytes.Equal(w.b[c.Start:c.End], w.b[m.Start:m.End]):
				c.records++
				c.last = objects
			}
		}
	}
	kept := w.constants[:0]
	clear(w.position)
	for _, c := range w.constants {
		if c.records == objects && objects >= minConstantRows {
			w.position[string(w.key(c.Member))] = len(kept)
			kept = append(kept, c)
		}
	}
	w.constants = kept
}

func (w *recordWriter) addConstant(m json.Member, field int) {
	if w.position == nil {
		w.position = make(map[string]int)
	}
	w.position[string(w.key(m))] = len(w.constants)
	w.constants = append(w.constants, constant{m, field, 1, 1})
}

// stateConstants writes a line with the members of all records.
func (w *recordWriter) stateConstants() {
	if len(w.constants) == 0 {
		return
	}
	w.out = append(w.out, csv.Shared+"{"...)
	for i, c := range w.constants {
		w.writeMember(c.Member, i == 0)
	}
	w.out = append(w.out, "}\n"...)
}

func (w *recordWriter) writeMember(m json.Member, first bool) {
	if !first {
		w.out = append(w.out, ',')
	}
	w.out = append(append(w.out, w.key(m)...), ':')
	w.out = appendCompact(w.out, w.b[m.Start:m.End])
}

// table returns the records as a table, if they have the same fields in the same order.
func (w *recordWriter) table() (table []byte, ok bool) {
	var omitted []bool
	for _, c := range w.constants { // ascending fields
		omitted = append(omitted, make([]bool, c.field-len(omitted))...)
		omitted = append(omitted, true)
	}
	return toon.EncodeRecords(w.b, w.records, func(i int) bool { return i < len(omitted) && omitted[i] })
}

// writeRecord writes one record on a line, without the members of all records.
func (w *recordWriter) writeRecord(n json.Node) {
	switch n.Kind {
	case json.Object:
		w.out = append(w.out, '{')
		first := true
		for _, m := range w.membersOf(n) {
			if _, ok := w.position[string(w.key(m))]; !ok {
				w.writeMember(m, first)
				first = false
			}
		}
		w.out = append(w.out, '}')
	case json.Broken: // text between records
		w.out = append(w.out, bytes.TrimRight(w.b[n.Start:n.End], "\r\n")...)
	default:
		w.out = appendCompact(w.out, w.b[n.Start:n.End])
	}
	w.out = append(w.out, '\n')
}
