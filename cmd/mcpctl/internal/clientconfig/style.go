package clientconfig

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/mcpctl/mcpctl/host/jsonspan"
)

// style is how a person's file is written.
type style struct {
	indent  string // "" for a file on one line
	newline string
}

// styleOf reads the style from the first line that is indented; a file without
// any line break stays on one line, an empty object gets two blanks.
func styleOf(text []byte) style {
	s := style{newline: "\n"}
	if bytes.Contains(text, []byte("\r\n")) {
		s.newline = "\r\n"
	}
	for _, line := range bytes.Split(text, []byte("\n"))[1:] {
		if rest := bytes.TrimLeft(line, " \t"); len(rest) < len(line) && len(bytes.TrimSpace(rest)) > 0 {
			s.indent = string(line[:len(line)-len(rest)])
			return s
		}
	}
	if len(children(text, jsonspan.SkipBlank(text, 0))) == 0 {
		s.indent = "  "
	}
	return s
}

// format writes a value as it stands at a depth of the file.
func (s style) format(value json.RawMessage, depth int) []byte {
	if s.indent == "" {
		return value
	}
	var b bytes.Buffer
	if err := json.Indent(&b, value, strings.Repeat(s.indent, depth), s.indent); err != nil {
		return value // no JSON; cannot come from Set
	}
	if s.newline == "\n" {
		return b.Bytes()
	}
	return bytes.ReplaceAll(b.Bytes(), []byte("\n"), []byte(s.newline))
}

// insert adds a member at the end of an object.
func (s style) insert(text []byte, at place, name string, value json.RawMessage) []byte {
	entry := append(jsonspan.AppendQuote(nil, []byte(name)), ':')
	if s.indent != "" {
		entry = append(entry, ' ')
	}
	entry = append(entry, s.format(value, at.depth+1)...)
	members := children(text, at.start)
	if len(members) > 0 {
		last := members[len(members)-1]
		return splice(text, last.End, last.End, append([]byte(","+s.before(at.depth+1)), entry...))
	}
	open := append([]byte("{"+s.before(at.depth+1)), entry...)
	return splice(text, at.start, at.end, append(open, []byte(s.before(at.depth)+"}")...))
}

// before is what stands before a member or a closing brace at a depth.
func (s style) before(depth int) string {
	if s.indent == "" {
		return ""
	}
	return s.newline + strings.Repeat(s.indent, depth)
}
