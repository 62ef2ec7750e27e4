package clientconfig

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/jsonspan"
)

// TOML is the syntax of Codex. An entry is the table [mcp_servers.NAME] with its subtables. Edits
// keep comments and layout outside of the entry.
var TOML Syntax = tomlSyntax{}

type tomlSyntax struct{}

// ErrInline means that an entry is an inline table or uses dotted keys in another table. It can be
// read but not edited.
var ErrInline = fmt.Errorf("%w: the entry is not a table of its own", abi.ErrConfig)

func (tomlSyntax) Entries(text []byte, path []string) ([]Entry, int, error) {
	values, err := parseTOML(text)
	if err != nil {
		return nil, 0, err
	}
	table := any(values)
	for i, name := range path {
		object, ok := table.(map[string]any)
		if !ok {
			return nil, 0, fmt.Errorf("%w: %s is not a table", abi.ErrConfig, pathName(path[:i]))
		}
		if table, ok = object[name]; !ok {
			return nil, i, nil
		}
	}
	object, ok := table.(map[string]any)
	if !ok {
		return nil, 0, fmt.Errorf("%w: %s is not a table", abi.ErrConfig, pathName(path))
	}
	lines := tomlLines(text)
	var list []Entry
	for _, name := range namesInOrder(lines, path, object) {
		raw, err := json.Marshal(object[name])
		if err != nil {
			return nil, 0, fmt.Errorf("%w: %s.%s has a value that JSON cannot represent", abi.ErrConfig, pathName(path), name)
		}
		e := Entry{Name: name, Raw: raw}
		for _, l := range lines {
			if isWithin(l.key, append(slices.Clone(path), name)) {
				if e.Text == "" {
					e.At = l.start
				}
				e.Text += string(text[l.start:l.end])
			}
		}
		list = append(list, e)
	}
	return list, len(path), nil
}

// Shadowed returns nil, because duplicate keys are invalid TOML.
func (tomlSyntax) Shadowed([]byte, []string) ([]Entry, error) { return nil, nil }

// namesInOrder returns the entry names in file order. Entries of an inline table of all servers
// come
// last, sorted.
func namesInOrder(lines []tomlLine, path []string, object map[string]any) []string {
	var names []string
	for _, l := range lines {
		if len(l.key) > len(path) && isWithin(l.key, path) && !slices.Contains(names, l.key[len(path)]) {
			names = append(names, l.key[len(path)])
		}
	}
	var rest []string
	for name := range object {
		if !slices.Contains(names, name) {
			rest = append(rest, name)
		}
	}
	slices.Sort(rest)
	return append(names, rest...)
}

func (tomlSyntax) Render(text []byte, path []string, name string, value json.RawMessage) (string, error) {
	newline := "\n"
	if bytes.Contains(text, []byte("\r\n")) {
		newline = "\r\n"
	}
	var b strings.Builder
	b.WriteString("[")
	for _, key := range path {
		b.WriteString(tomlKey(key) + ".")
	}
	b.WriteString(tomlKey(name) + "]" + newline)
	failed := error(nil)
	jsonspan.Children(value, jsonspan.SkipBlank(value, 0), func(m jsonspan.Member) bool {
		key, err := jsonspan.Unquote(value[m.KeyStart:m.KeyEnd])
		if err != nil {
			failed = err
			return false
		}
		b.WriteString(tomlKey(string(key)) + " = " + tomlValue(value[m.Start:m.End]) + newline)
		return true
	})
	return b.String(), failed
}

// tomlValue formats a JSON value as TOML. Strings, numbers, booleans and lists have the same
// syntax;
// an object becomes an inline table.
func tomlValue(value []byte) string {
	if jsonspan.KindAt(value, 0) != jsonspan.Object {
		return strings.ReplaceAll(string(value), "\x7f", `\u007f`)
	}
	var pairs []string
	jsonspan.Children(value, 0, func(m jsonspan.Member) bool {
		if key, err := jsonspan.Unquote(value[m.KeyStart:m.KeyEnd]); err == nil {
			pairs = append(pairs, tomlKey(string(key))+" = "+tomlValue(value[m.Start:m.End]))
		}
		return true
	})
	return "{ " + strings.Join(pairs, ", ") + " }"
}

var bareKey = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

func tomlKey(name string) string {
	if bareKey.MatchString(name) {
		return name
	}
	return strings.ReplaceAll(string(jsonspan.AppendQuote(nil, []byte(name))), "\x7f", `\u007f`)
}

func (s tomlSyntax) Put(text []byte, path []string, name, entry, after string) ([]byte, error) {
	lines := tomlLines(text)
	own := append(slices.Clone(path), name)
	if !strings.HasPrefix(strings.TrimLeft(entry, " \t"), "[") {
		return nil, ErrInline
	}
	for i, l := range lines {
		if l.isTable && isWithin(l.key, own) { // replace the first of its tables
			rest := cutLines(text, lines[i+1:], own)
			return checkedTOML(splice(rest, l.start, l.end, entry))
		}
	}
	at := len(text)
	for _, l := range lines {
		if after != "" && l.isTable && isWithin(l.key, append(slices.Clone(path), after)) {
			at = l.end
		}
	}
	if at == len(text) {
		at = len(bytes.TrimRight(text, " \t\r\n"))
		at += len(firstLineEnd(text[at:]))
	}
	newline := "\n"
	if bytes.Contains(text, []byte("\r\n")) {
		newline = "\r\n"
	}
	if at > 0 {
		entry = newline + entry
		if text[at-1] != '\n' {
			entry = newline + entry
		}
	}
	return checkedTOML(splice(text, at, at, entry))
}

// firstLineEnd returns the line break at the start of text, if there is one.
func firstLineEnd(text []byte) []byte {
	i := bytes.IndexByte(text, '\n')
	return text[:i+1]
}

func (s tomlSyntax) Remove(text []byte, path []string, name string, _ int) ([]byte, error) {
	own := append(slices.Clone(path), name)
	lines := tomlLines(text)
	for _, l := range lines {
		if isWithin(l.key, own) && !l.isTable {
			return nil, ErrInline
		}
	}
	out := cutLines(text, lines, own)
	list, _, err := s.Entries(out, path)
	if err == nil && indexOf(list, name) >= 0 {
		return nil, ErrInline
	}
	return out, err
}

// cutLines removes the tables of an entry. The blank line before a table is removed too if the next
// line is blank or missing.
func cutLines(text []byte, lines []tomlLine, own []string) []byte {
	for _, l := range slices.Backward(lines) {
		if !l.isTable || !isWithin(l.key, own) {
			continue
		}
		start := l.start
		rest := bytes.TrimLeft(text[l.end:], " \t")
		if len(rest) == 0 || rest[0] == '\n' || rest[0] == '\r' {
			start = blankLineBefore(text, start)
		}
		text = splice(text, start, l.end, "")
	}
	return text
}

// blankLineBefore returns the start of the blank line that ends at at, or at if there is none.
func blankLineBefore(text []byte, at int) int {
	before := text[:at]
	for _, newline := range []string{"\r\n", "\n"} {
		if rest, ok := bytes.CutSuffix(before, []byte(newline)); ok {
			if len(rest) == 0 || rest[len(rest)-1] == '\n' {
				return len(rest)
			}
			return at
		}
	}
	return at
}

// checkedTOML returns text if it is valid, so that an edit never produces a file that the client
// cannot read.
func checkedTOML(text []byte) ([]byte, error) {
	_, err := parseTOML(text)
	return text, err
}

// tomlLine is one expression of a file: a table with its keys, or a key outside of the tables that
// could be entries.
type tomlLine struct {
	key        []string // from the root of the file
	isTable    bool
	start, end int // whole lines
}

// tomlLines returns the tables of a valid file, each up to the end of its last key, and the dotted
// keys before and in them.
func tomlLines(text []byte) []tomlLine {
	view := withoutBOM(text)
	p := unstable.Parser{}
	p.Reset(view)
	var lines []tomlLine
	var table []string
	last := -1 // index of the open table in lines
	for p.NextExpression() {
		e := p.Expression()
		key, at := keyOf(e)
		start := bytes.LastIndexByte(view[:at], '\n') + 1
		if e.Kind != unstable.KeyValue {
			table = key
			last = len(lines)
			lines = append(lines, tomlLine{key, true, start, lineEnd(view, at)})
			continue
		}
		end := lineEnd(view, int(e.Raw.Offset)+int(e.Raw.Length))
		if last >= 0 {
			lines[last].end = end
		}
		if len(table) < 2 { // an entry may be written as keys of the root or of [mcp_servers]
			lines = append(lines, tomlLine{append(slices.Clone(table), key...), false, start, end})
		}
	}
	return lines
}

// keyOf returns the dotted key of an expression and its offset in the file.
func keyOf(e *unstable.Node) (key []string, at int) {
	at = -1
	for it := e.Key(); it.Next(); {
		n := it.Node()
		if at < 0 {
			at = int(n.Raw.Offset)
		}
		key = append(key, string(n.Data))
	}
	return key, max(at, 0)
}

func lineEnd(text []byte, at int) int {
	if i := bytes.IndexByte(text[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(text)
}

// isWithin reports whether a key is path or below it.
func isWithin(key, path []string) bool {
	return len(key) >= len(path) && slices.Equal(key[:len(path)], path)
}

// withoutBOM returns text with a byte order mark replaced by blanks.
func withoutBOM(text []byte) []byte {
	if !bytes.HasPrefix(text, []byte("\xef\xbb\xbf")) {
		return text
	}
	text = bytes.Clone(text)
	blank(text[:3])
	return text
}

// parseTOML parses text.
//
// Errors: *syntaxError.
func parseTOML(text []byte) (map[string]any, error) {
	values := map[string]any{}
	err := toml.Unmarshal(withoutBOM(text), &values)
	var at *toml.DecodeError
	if errors.As(err, &at) {
		row, column := at.Position()
		return nil, &syntaxError{"TOML", fmt.Sprintf("%d:%d", row, column), strings.TrimPrefix(at.Error(), "toml: ")}
	}
	if err != nil {
		return nil, fmt.Errorf("%w: invalid TOML", abi.ErrConfig)
	}
	return values, nil
}
