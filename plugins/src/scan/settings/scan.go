// Package settings finds the tables and keys of TOML, INI and Java properties as byte
// spans.
//
// A table is its header with the lines up to the next one, and the comment above it; a key
// is its line with the lines of a long value. Values are not decoded.
package settings

import (
	"bytes"

	"github.com/mcpctl/mcpctl/plugins/src/internal/caption"
	"github.com/mcpctl/mcpctl/plugins/src/internal/lines"
	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
)

// Extensions and media types of the types.
const (
	TOMLHints       = "toml lock application/toml"
	INIHints        = "ini cfg editorconfig gitconfig service desktop"
	PropertiesHints = "properties env text/x-java-properties"
)

// ScanTOML is the part.Scan of TOML.
func ScanTOML(b []byte, c part.Clues) (*part.Doc, bool) {
	return scan(b, c, grammar{toml: true, headers: true})
}

// ScanINI is the part.Scan of INI files.
func ScanINI(b []byte, c part.Clues) (*part.Doc, bool) {
	return scan(b, c, grammar{headers: true, colons: true})
}

// ScanProperties is the part.Scan of Java properties and files of environment variables.
func ScanProperties(b []byte, c part.Clues) (*part.Doc, bool) {
	return scan(b, c, grammar{colons: true})
}

// grammar describes how the types differ.
type grammar struct {
	toml    bool // strings and arrays of several lines; values have a type
	headers bool // there are tables
	colons  bool // a colon may follow a key
}

// item is a table or a key.
type item struct {
	start, end int32
	name       span // without brackets and quotes, and without the name of the parent
	full       span // of a table: its whole name
	value      span // of a key: the rest of its line
	parent     int32
	list       bool // a table of an array [[name]]
}

type span struct{ start, end int32 }

// scanner holds the items found so far.
type scanner struct {
	grammar
	b       []byte
	items   []item
	table   int32 // the open table, -1 before the first
	tables  int
	lead    int // start of the comment before the next item, -1 if there is none
	quotes  string
	depth   int // open brackets of an array
	invalid int // lines that are neither
	lines   int
}

// minItems is the least number of keys and tables.
const minItems = 3

// scan refuses a text with a line that is neither a header, a key nor a comment, and a text
// without tables or without keys. A file with an extension of the type may have no tables, and one invalid
// line in 50.
func scan(b []byte, c part.Clues, g grammar) (*part.Doc, bool) {
	s := &scanner{grammar: g, b: b, table: -1, lead: -1}
	for at := lines.Start(b); at < len(b); {
		end := lines.End(b, at)
		s.addLine(at, end)
		at = end
		if s.invalid > 8 && s.invalid*20 > s.lines && !c.Forced {
			return nil, false
		}
	}
	for s.table >= 0 {
		s.closeTable(len(b))
	}
	named := isNamed(c.File, g)
	switch {
	case c.Forced:
		return s.document(), len(s.items) > 0
	case s.quotes != "", s.depth > 0, len(s.items) < minItems:
		return nil, false
	case !named && (s.invalid > 0 || s.tables == 0 || s.tables == len(s.items)), s.invalid*50 > s.lines:
		return nil, false
	}
	return s.document(), true
}

// isNamed reports whether a file name has an extension of the type.
func isNamed(file string, g grammar) bool {
	hints := PropertiesHints
	switch {
	case g.toml:
		hints = TOMLHints
	case g.headers:
		hints = INIHints
	}
	return part.HasExtension(file, hints)
}

// addLine adds the line b[start:end].
func (s *scanner) addLine(start, end int) {
	text := bytes.TrimRight(s.b[start:end], " \t\r\n")
	indent := len(text) - len(bytes.TrimLeft(text, " \t"))
	text = text[indent:]
	if s.continueValue(text, indent, start, end) {
		return
	}
	if len(text) == 0 {
		s.lead = -1 // a comment before a blank line belongs to the item before it
		return
	}
	s.lines++
	switch c := text[0]; {
	case c == '#' || c == ';' && !s.toml || c == '!' && !s.headers:
		if s.lead < 0 {
			s.lead = start
		}
	case c == '[' && s.headers && s.addHeader(text, start, start+indent):
	case s.addKey(text, start, start+indent, end):
	default:
		s.invalid++
		s.lead = -1
	}
}

// continueValue reports whether the line b[start:end] belongs to the value before it.
func (s *scanner) continueValue(text []byte, indent, start, end int) bool {
	last := len(s.items) - 1
	switch {
	case s.quotes != "":
		if bytes.Count(text, []byte(s.quotes))%2 == 1 {
			s.quotes = ""
		}
	case s.depth > 0:
		s.depth += countBrackets(text)
	case s.toml || last < 0 || len(text) == 0 || s.items[last].value.end == 0 || int(s.items[last].end) < start:
		return false
	case s.endsWithBackslash(last): // the next line of a value
	case s.headers && indent > 0 && !isPair(text):
	default:
		return false
	}
	s.items[last].end = int32(end)
	return true
}

// endsWithBackslash reports whether the last line of an item is continued.
func (s *scanner) endsWithBackslash(i int) bool {
	text := bytes.TrimRight(s.b[s.items[i].start:s.items[i].end], "\r\n")
	n := len(text) - len(bytes.TrimRight(text, `\`))
	return n%2 == 1
}

// addHeader adds the table that a line [name] or [[name]] begins. at is the offset of its
// first bracket.
func (s *scanner) addHeader(text []byte, start, at int) bool {
	open := 1
	if s.toml && bytes.HasPrefix(text, []byte("[[")) {
		open = 2
	}
	end := bytes.IndexByte(text, ']')
	if end <= open || len(text) < end+open || text[end+open-1] != ']' {
		return false
	}
	if rest := bytes.TrimLeft(text[end+open:], " \t"); len(rest) > 0 && rest[0] != '#' && rest[0] != ';' {
		return false
	}
	name := bytes.TrimSpace(text[open:end])
	if len(name) == 0 {
		return false
	}
	from := int32(at + open + bytes.Index(text[open:], name))
	it := item{start: int32(s.startOf(start)), full: span{from, from + int32(len(name))}, list: open == 2}
	for s.table >= 0 && !s.isBelow(name, s.items[s.table].full) {
		s.closeTable(int(it.start))
	}
	it.parent, it.name = s.table, it.full
	if s.table >= 0 {
		it.name.start += int32(len(s.text(s.items[s.table].full)) + len("."))
	}
	s.items = append(s.items, it)
	s.table = int32(len(s.items) - 1)
	s.tables++
	s.lead = -1
	return true
}

// isBelow reports whether a table with this name is in an open table.
func (s *scanner) isBelow(name []byte, open span) bool {
	up, ok := bytes.CutPrefix(name, s.text(open))
	return ok && s.toml && len(up) > 1 && up[0] == '.'
}

// startOf returns the start of the item whose line begins at start. The comment directly
// above the line is part of the item.
func (s *scanner) startOf(start int) int {
	if s.lead >= 0 {
		return s.lead
	}
	return start
}

// closeTable ends the innermost open table.
func (s *scanner) closeTable(at int) {
	s.items[s.table].end = int32(at)
	s.table = s.items[s.table].parent
}

// addKey adds the key that a line begins with. at is the offset of its text.
func (s *scanner) addKey(text []byte, start, at, end int) bool {
	sign := s.separator(text)
	if sign < 0 {
		return false
	}
	name, value := bytes.TrimSpace(text[:sign]), bytes.TrimSpace(text[sign+1:])
	if len(name) == 0 || s.toml && (len(value) == 0 || !isTOMLValue(value)) {
		return false
	}
	name = bytes.Trim(name, `"'`)
	from := int32(at + bytes.Index(text, name))
	rest := int32(at + sign + 1 + bytes.Index(text[sign+1:], value))
	s.items = append(s.items, item{
		start: int32(s.startOf(start)), end: int32(end), parent: s.table,
		name: span{from, from + int32(len(name))}, value: span{rest, rest + int32(len(value))},
	})
	s.lead = -1
	if s.toml {
		for _, q := range []string{`"""`, `'''`} {
			if bytes.Count(value, []byte(q))%2 == 1 {
				s.quotes = q
			}
		}
		if s.quotes == "" && (value[0] == '[' || value[0] == '{') {
			s.depth = max(0, countBrackets(value))
		}
	}
	return true
}

// separator returns the offset of the sign after the key, or -1.
func (s *scanner) separator(text []byte) int {
	if !isKey(text) {
		return -1
	}
	signs := "="
	if s.colons {
		signs = "=:"
	}
	at := 0
	if q := text[0]; s.toml && (q == '"' || q == '\'') {
		at = bytes.IndexByte(text[1:], q) + 2
	}
	if i := bytes.IndexAny(text[at:], signs); i >= 0 {
		return at + i
	}
	return -1
}

// isKey reports whether text may begin with a key: a word, not code.
func isKey(text []byte) bool {
	end := bytes.IndexAny(text, "=:")
	if end < 0 {
		return false
	}
	return bytes.IndexAny(text[:end], "(){}<>;$\\") < 0 && len(bytes.Fields(text[:end])) <= 3
}

func isPair(text []byte) bool { return bytes.IndexByte(text, '=') > 0 && isKey(text) }

// isTOMLValue reports whether a value begins like one of TOML.
func isTOMLValue(value []byte) bool {
	switch c := value[0]; {
	case c == '"', c == '\'', c == '[', c == '{', c-'0' <= 9, c == '-', c == '+':
		return true
	}
	word, _, _ := bytes.Cut(value, []byte("#"))
	switch string(bytes.TrimSpace(word)) {
	case "true", "false", "inf", "nan":
		return true
	}
	return false
}

// countBrackets returns the number of brackets that a text opens, less those it closes,
// outside of strings and comments.
func countBrackets(text []byte) (n int) {
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '[', '{':
			n++
		case ']', '}':
			n--
		case '#':
			return n
		case '"', '\'':
			for i++; i < len(text) && text[i] != c; i++ {
				if c == '"' && text[i] == '\\' {
					i++
				}
			}
		}
	}
	return n
}

// document returns the tables and keys as parts.
func (s *scanner) document() *part.Doc {
	noun := "key"
	n := len(s.items) - s.tables
	if s.tables > 0 {
		noun, n = "section", s.tables
		if s.toml {
			noun = "table"
		}
	}
	d := &part.Doc{Count: caption.Count(n, noun), Parts: make([]part.Part, len(s.items))}
	for i := range s.items {
		it := &s.items[i]
		kind := part.Plain
		if it.list {
			kind = part.Record
		}
		d.Parts[i] = part.Part{Start: it.start, End: it.end, Parent: it.parent, Kind: kind}
	}
	d.Name = s.name
	return d
}

// nameKeys are the keys that identify a table in an array of tables, in order of
// preference.
var nameKeys = []string{"name", "id", "key", "title"}

// name is the part.Doc.Name of a text.
func (s *scanner) name(i int, n *part.Name) {
	it := &s.items[i]
	n.ID = append(n.ID, s.text(it.name)...)
	if it.value.end > 0 {
		if len(n.ID) <= longName || len(n.ID)+len(": ")+len(s.text(it.value)) <= maxTitle || len(s.text(it.value)) == 0 {
			n.Title = append(caption.Append(n.Title, n.ID, maxTitle), ": "...)
		}
		n.Title = caption.Append(n.Title, s.text(it.value), maxTitle)
		n.Title = caption.Cut(n.Title, 0, maxTitle)
		return
	}
	naming := -1
	if it.list {
		if naming = s.naming(i); naming >= 0 {
			n.ID = append(append(n.ID, '='), s.plainValue(naming)...)
		}
	}
	name := n.ID
	if naming >= 0 {
		name = s.plainValue(naming)
	}
	if rest := s.sizeOfKeys(i, naming); len(name) <= longName || len(name)+len(": ")+rest <= maxTitle || rest == 0 {
		n.Title = append(caption.Append(n.Title, name, maxTitle), ": "...)
	}
	n.Title = s.appendKeys(n.Title, i, naming)
}

const (
	// maxTitle is the size in bytes of a title that the host shows.
	maxTitle = 80
	// longName is the size of a name from which on a title is without it if it would be cut.
	// The id is in the same line.
	longName = 20
)

func (s *scanner) text(x span) []byte { return s.b[x.start:x.end] }

// plainValue returns the value of a key without quotes.
func (s *scanner) plainValue(i int) []byte { return bytes.Trim(s.text(s.items[i].value), `"'`) }

// nextIn returns the position of the item of table i after item j, or -1.
func (s *scanner) nextIn(i, j int) int {
	for j++; j < len(s.items) && s.items[j].start < s.items[i].end; j++ {
		if s.items[j].parent == int32(i) {
			return j
		}
	}
	return -1
}

// naming returns the position of the key that names table i, or -1.
func (s *scanner) naming(i int) int {
	for _, name := range nameKeys {
		for j := s.nextIn(i, i); j >= 0; j = s.nextIn(i, j) {
			if v := s.plainValue(j); string(s.text(s.items[j].name)) == name && len(v) > 0 && len(v) <= maxTitle/2 {
				return j
			}
		}
	}
	return -1
}

// appendKeys appends the keys of table i with their values, without the one that names it.
// A long value is cut to the room that the keys after it leave, but to no less than a third.
func (s *scanner) appendKeys(dst []byte, i, naming int) []byte {
	start := len(dst)
	rest := s.sizeOfKeys(i, naming)
	for j := s.nextIn(i, i); j >= 0 && len(dst) < maxTitle; j = s.nextIn(i, j) {
		if j == naming {
			continue
		}
		if len(dst) > start {
			dst = append(dst, ", "...)
		}
		dst = caption.Append(dst, s.text(s.items[j].name), maxTitle)
		if value := s.items[j].value; value.end > 0 { // not a table
			rest -= s.sizeOfKey(j)
			dst = caption.Append(append(dst, '='), s.text(value), max(maxTitle/3, maxTitle-len(dst)-len("=")-rest))
		}
	}
	return caption.Cut(dst, 0, maxTitle)
}

// sizeOfKey returns the size of a key with its value in a title.
func (s *scanner) sizeOfKey(j int) int {
	it := &s.items[j]
	return len(", =") + len(s.text(it.name)) + len(s.text(it.value))
}

// sizeOfKeys returns the size of the keys of table i in a title, or of as many as fill it.
func (s *scanner) sizeOfKeys(i, naming int) (size int) {
	for j := s.nextIn(i, i); j >= 0 && size <= 2*maxTitle; j = s.nextIn(i, j) {
		if j != naming {
			size += s.sizeOfKey(j)
		}
	}
	return size
}
