// Package clientconfig reads and edits the configuration files of MCP clients.
//
// An edit changes the bytes of one entry only: unknown keys, order, indentation, comments and line
// ends stay unchanged.
package clientconfig

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/host/jsonspan"
)

// Entry is one MCP server in a client's file.
type Entry struct {
	Name string
	Raw  json.RawMessage // as JSON, whatever the syntax of the file
	Text string          // as written in the file
	At   int             // offset of Text in the file, in bytes
}

// FieldAt returns the offset in Text of a field's value, or 0 if the field does not exist.
func (e Entry) FieldAt(name string) int {
	if len(e.Raw) != len(e.Text) { // not written as JSON
		return 0
	}
	m, ok := jsonspan.Lookup(e.Raw, "/"+name)
	if !ok {
		return 0
	}
	return m.Start
}

// Syntax reads and edits one file format.
type Syntax interface {
	// Entries returns the servers below path ("mcpServers", or "projects", DIR, "mcpServers") in
	// file
	// order, and the number of names of path that exist. If keys are duplicated, the last one
	// counts, as
	// in the clients.
	//
	// Errors: abi.ErrConfig if the text is invalid.
	Entries(text []byte, path []string) (list []Entry, depth int, err error)

	// Shadowed returns the entries below path that clients ignore, because a later duplicate of the
	// entry's key, or of the key of a parent object, overrides them.
	//
	// Errors: those of Entries.
	Shadowed(text []byte, path []string) ([]Entry, error)

	// Render formats value (compact JSON) as a new entry of the file.
	Render(text []byte, path []string, name string, value json.RawMessage) (string, error)

	// Put writes entry verbatim. It replaces the entry called name, or else inserts the entry after
	// the
	// one called after. It creates missing parent objects.
	Put(text []byte, path []string, name, entry, after string) ([]byte, error)

	// Remove removes an entry and its shadowed duplicates. Parent objects that become empty are
	// removed
	// too if they are deeper than depth.
	Remove(text []byte, path []string, name string, depth int) ([]byte, error)
}

// JSON is the syntax of clients that write JSON, optionally with comments and trailing commas.
var JSON Syntax = jsonSyntax{}

type jsonSyntax struct{}

func (jsonSyntax) Entries(text []byte, path []string) ([]Entry, int, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, 0, nil
	}
	d, err := parseJSON(text)
	if err != nil {
		return nil, 0, err
	}
	at, err := d.find(path)
	if err != nil || at.depth < len(path) {
		return nil, at.depth, err
	}
	list, _, err := d.entries(at.start)
	return list, at.depth, err
}

func (jsonSyntax) Shadowed(text []byte, path []string) ([]Entry, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, nil
	}
	d, err := parseJSON(text)
	if err != nil {
		return nil, err
	}
	return d.shadowed(d.topStart, path, false)
}

func (jsonSyntax) Render(text []byte, path []string, _ string, value json.RawMessage) (string, error) {
	return string(styleOf(text).format(value, len(path)+1)), nil
}

func (jsonSyntax) Put(text []byte, path []string, name, entry, after string) ([]byte, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		text = []byte("{}\n")
	}
	d, err := parseJSON(text)
	if err != nil {
		return nil, err
	}
	at, err := d.find(path)
	if err != nil {
		return nil, err
	}
	if at.depth < len(path) { // the missing objects, innermost first
		for i := len(path) - 1; i >= at.depth; i-- {
			entry = "{" + d.style.before(i+2) + d.style.member(name, entry) + d.style.before(i+1) + "}"
			name = path[i]
		}
		after = d.lastKey(at)
	}
	if m, ok := d.member(at.start, name); ok {
		return splice(text, m.Start, m.End, entry), nil
	}
	return d.insert(at, d.style.member(name, entry), after), nil
}

func (s jsonSyntax) Remove(text []byte, path []string, name string, depth int) ([]byte, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		return text, nil
	}
	for {
		d, err := parseJSON(text)
		if err != nil {
			return nil, err
		}
		at, err := d.find(path)
		if err != nil || at.depth < len(path) {
			return text, err
		}
		if _, ok := d.member(at.start, name); !ok {
			break
		}
		text = d.remove(at, name)
	}
	if len(path) == 0 || len(path) <= depth {
		return text, nil
	}
	if rest, _, err := s.Entries(text, path); err != nil || len(rest) > 0 {
		return text, err
	}
	return s.Remove(text, path[:len(path)-1], path[len(path)-1], depth)
}

// document is a valid JSON text.
type document struct {
	text     []byte
	view     []byte // strict JSON of the same length
	commas   []byte // like view, with trailing commas kept
	style    style
	topStart int
	topEnd   int
}

func parseJSON(text []byte) (*document, error) {
	d := &document{text: text, view: strictJSON(text), commas: withoutComments(text)}
	if err := valid(d.view); err != nil {
		return nil, err
	}
	d.style = styleOf(text)
	d.topStart = jsonspan.SkipBlank(d.view, 0)
	d.topEnd = len(bytes.TrimRight(d.view, " \t\r\n"))
	return d, nil
}

// place is the innermost existing object of a path.
type place struct {
	start, end int // of the object
	depth      int // number of names of the path that lead to it
}

func (d *document) find(path []string) (place, error) {
	at := place{start: d.topStart, end: d.topEnd}
	for {
		if kind := jsonspan.KindAt(d.view, at.start); kind != jsonspan.Object {
			return place{}, fmt.Errorf("%w: %s is %v, want an object", abi.ErrConfig, pathName(path[:at.depth]), kind)
		}
		if at.depth == len(path) {
			return at, nil
		}
		next, ok := d.member(at.start, path[at.depth])
		if !ok {
			return at, nil
		}
		at = place{next.Start, next.End, at.depth + 1}
	}
}

// member returns the member of an object with a key; of duplicate keys, the last one.
func (d *document) member(start int, name string) (jsonspan.Member, bool) {
	all := d.members(start, name)
	if len(all) == 0 {
		return jsonspan.Member{}, false
	}
	return all[len(all)-1], true
}

// members returns the members of an object with a key.
func (d *document) members(start int, name string) []jsonspan.Member {
	return slices.DeleteFunc(d.children(start), func(m jsonspan.Member) bool {
		return !jsonspan.KeyIs(d.view[m.KeyStart:m.KeyEnd], name)
	})
}

// entries returns the members of an object, split into the effective ones and those shadowed by a
// later duplicate key.
func (d *document) entries(start int) (list, shadowed []Entry, err error) {
	members := d.children(start)
	names := make([]string, len(members))
	last := make(map[string]int, len(members))
	for i, m := range members {
		name, err := jsonspan.Unquote(d.view[m.KeyStart:m.KeyEnd])
		if err != nil {
			return nil, nil, fmt.Errorf("%w: %v", abi.ErrConfig, err)
		}
		names[i], last[string(name)] = string(name), i
	}
	for i, m := range members {
		e := Entry{names[i], json.RawMessage(d.view[m.Start:m.End]), string(d.text[m.Start:m.End]), m.Start}
		if last[e.Name] == i {
			list = append(list, e)
		} else {
			shadowed = append(shadowed, e)
		}
	}
	return list, shadowed, nil
}

// shadowed returns the shadowed entries below path. all means that the value at start is shadowed
// itself.
func (d *document) shadowed(start int, path []string, all bool) (found []Entry, err error) {
	if jsonspan.KindAt(d.view, start) != jsonspan.Object {
		return nil, nil
	}
	if len(path) == 0 {
		list, found, err := d.entries(start)
		if all {
			found = append(found, list...)
		}
		return found, err
	}
	same := d.members(start, path[0])
	for i, m := range same {
		below, err := d.shadowed(m.Start, path[1:], all || i < len(same)-1)
		if err != nil {
			return nil, err
		}
		found = append(found, below...)
	}
	return found, nil
}

func (d *document) children(start int) []jsonspan.Member {
	var list []jsonspan.Member
	jsonspan.Children(d.view, start, func(m jsonspan.Member) bool {
		list = append(list, m)
		return true
	})
	return list
}

// syntaxError is a syntax error with its line and column.
type syntaxError struct{ language, at, reason string }

func (e *syntaxError) Error() string {
	return "invalid " + e.language + " at " + e.at + ": " + e.reason
}
func (e *syntaxError) Unwrap() error { return abi.ErrConfig }

func valid(text []byte) error {
	err := jsonspan.Valid(text)
	var at *jsonspan.SyntaxError
	if errors.As(err, &at) {
		return &syntaxError{"JSON", NewLocator(text).Position(at.Offset), at.Reason}
	}
	return err
}

// InFile adds the file name, and the position in it, to an error of this package.
func InFile(file string, err error) *problem.Problem {
	var grammar *syntaxError
	if errors.As(err, &grammar) {
		p := problem.New(abi.ErrConfig, "invalid %s: %s", grammar.language, grammar.reason)
		p.At = file + ":" + grammar.at
		return p
	}
	p := *problem.From(err)
	p.At = file
	return &p
}

func pathName(path []string) string {
	if len(path) == 0 {
		return "the file"
	}
	return strings.Join(path, ".")
}

func splice(text []byte, start, end int, with string) []byte {
	return bytes.Join([][]byte{text[:start], []byte(with), text[end:]}, nil)
}
