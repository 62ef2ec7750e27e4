// Package clientconfig reads and edits the configuration files of MCP clients.
//
// An edit touches the bytes of one entry and nothing else: unknown keys, order,
// indentation and line ends of a person's file stay as they are.
package clientconfig

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/host/jsonspan"
)

// Entry is one MCP server of a client's file.
type Entry struct {
	Name string
	Raw  json.RawMessage
	At   int // byte of the file at which Raw begins
}

// FieldAt is where in Raw the value of a field begins; 0 if there is none.
func (e Entry) FieldAt(name string) int {
	m, ok := jsonspan.Lookup(e.Raw, "/"+name)
	if !ok {
		return 0
	}
	return m.Start
}

// Entries lists the servers below path ("mcpServers", or "projects", DIR,
// "mcpServers"), in the order of the file; none if there is no such object.
//
// Errors: abi.ErrConfig if text is no JSON object.
func Entries(text []byte, path ...string) ([]Entry, error) {
	at, err := find(text, path)
	if err != nil || at.depth < len(path) {
		return nil, err
	}
	var list []Entry
	for _, m := range children(text, at.start) {
		name, err := jsonspan.Unquote(text[m.KeyStart:m.KeyEnd])
		if err != nil {
			return nil, fmt.Errorf("%w: %v", abi.ErrConfig, err)
		}
		list = append(list, Entry{string(name), json.RawMessage(text[m.Start:m.End]), m.Start})
	}
	return list, nil
}

// Set returns text with the server called name set to value (compact JSON),
// making the objects on the way that are missing. An empty text becomes a file.
func Set(text []byte, name string, value json.RawMessage, path ...string) ([]byte, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		text = []byte("{}\n")
	}
	at, err := find(text, path)
	if err != nil {
		return nil, err
	}
	for i := len(path) - 1; i >= at.depth; i-- { // wrap in what is missing, innermost first
		value, name = object(name, value), path[i]
	}
	style := styleOf(text)
	for _, m := range children(text, at.start) {
		if jsonspan.KeyIs(text[m.KeyStart:m.KeyEnd], name) {
			return splice(text, m.Start, m.End, style.format(value, at.depth+1)), nil
		}
	}
	return style.insert(text, at, name, value), nil
}

// Remove returns text without the server called name, and whether it was there.
func Remove(text []byte, name string, path ...string) ([]byte, bool, error) {
	at, err := find(text, path)
	if err != nil || at.depth < len(path) {
		return text, false, err
	}
	members := children(text, at.start)
	for i, m := range members {
		if !jsonspan.KeyIs(text[m.KeyStart:m.KeyEnd], name) {
			continue
		}
		switch {
		case i+1 < len(members): // up to the next key
			return splice(text, m.KeyStart, members[i+1].KeyStart, nil), true, nil
		case i > 0: // from the value before, comma included
			return splice(text, members[i-1].End, m.End, nil), true, nil
		}
		return splice(text, at.start, at.end, []byte("{}")), true, nil
	}
	return text, false, nil
}

// place is the innermost object of a path that exists.
type place struct {
	start, end int // of the object
	depth      int // how many names of the path lead to it
}

func find(text []byte, path []string) (place, error) {
	if err := valid(text); err != nil {
		return place{}, err
	}
	start := jsonspan.SkipBlank(text, 0)
	at := place{start: start, end: len(bytes.TrimRight(text, " \t\r\n"))}
	for {
		if kind := jsonspan.KindAt(text, at.start); kind != jsonspan.Object {
			return place{}, fmt.Errorf("%w: %s is %v, want an object", abi.ErrConfig, pathName(path[:at.depth]), kind)
		}
		if at.depth == len(path) {
			return at, nil
		}
		next, ok := member(text, at.start, path[at.depth])
		if !ok {
			return at, nil
		}
		at = place{next.Start, next.End, at.depth + 1}
	}
}

// notJSON is a mistake of grammar, with the line and column an editor shows.
type notJSON struct{ at, reason string }

func (e *notJSON) Error() string { return "no valid JSON at " + e.at + ": " + e.reason }
func (e *notJSON) Unwrap() error { return abi.ErrConfig }

func valid(text []byte) error {
	err := jsonspan.Valid(text)
	var at *jsonspan.SyntaxError
	if errors.As(err, &at) {
		return &notJSON{Position(text, at.Offset), at.Reason}
	}
	return err
}

// InFile names the file that an error of this package is about, and the place in it.
func InFile(file string, err error) *problem.Problem {
	var grammar *notJSON
	if errors.As(err, &grammar) {
		p := problem.New(abi.ErrConfig, "no valid JSON: %s", grammar.reason)
		p.At = file + ":" + grammar.at
		return p
	}
	p := *problem.From(err)
	p.At = file
	return &p
}

// Position is the line and column of a byte of text, both from 1; a column is a
// character.
func Position(text []byte, offset int) string {
	before := text[:min(offset, len(text))]
	line := bytes.LastIndexByte(before, '\n') + 1
	return fmt.Sprintf("%d:%d", bytes.Count(before, []byte("\n"))+1, utf8.RuneCount(before[line:])+1)
}

func pathName(path []string) string {
	if len(path) == 0 {
		return "the file"
	}
	return strings.Join(path, ".")
}

func member(text []byte, start int, name string) (jsonspan.Member, bool) {
	for _, m := range children(text, start) {
		if jsonspan.KeyIs(text[m.KeyStart:m.KeyEnd], name) {
			return m, true
		}
	}
	return jsonspan.Member{}, false
}

func children(text []byte, start int) []jsonspan.Member {
	var list []jsonspan.Member
	jsonspan.Children(text, start, func(m jsonspan.Member) bool {
		list = append(list, m)
		return true
	})
	return list
}

func object(name string, value json.RawMessage) json.RawMessage {
	b := jsonspan.AppendQuote([]byte{'{'}, []byte(name))
	return append(append(append(b, ':'), value...), '}')
}

func splice(text []byte, start, end int, with []byte) []byte {
	return bytes.Join([][]byte{text[:start], with, text[end:]}, nil)
}
