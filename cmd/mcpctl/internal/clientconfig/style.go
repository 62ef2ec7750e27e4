package clientconfig

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/mcpctl/mcpctl/host/jsonspan"
)

// style is the formatting of a JSON file.
type style struct {
	indent  string // "" for a file on one line
	newline string
}

// styleOf detects the style from the first indented line. A file without line breaks stays on one
// line; an empty object is indented by two spaces.
func styleOf(text []byte) style {
	s := style{newline: "\n"}
	if bytes.Contains(text, []byte("\r\n")) {
		s.newline = "\r\n"
	}
	view := strictJSON(text)
	for _, line := range bytes.Split(view, []byte("\n"))[1:] {
		if rest := bytes.TrimLeft(line, " \t"); len(rest) < len(line) && len(bytes.TrimSpace(rest)) > 0 {
			s.indent = string(line[:len(line)-len(rest)])
			return s
		}
	}
	if len(bytes.TrimSpace(view)) <= len("{}") {
		s.indent = "  "
	}
	return s
}

// format formats a value for a nesting depth.
func (s style) format(value json.RawMessage, depth int) []byte {
	if s.indent == "" {
		return value
	}
	var b bytes.Buffer
	if err := json.Indent(&b, value, strings.Repeat(s.indent, depth), s.indent); err != nil {
		return value // invalid JSON; Render is never called with it
	}
	if s.newline == "\n" {
		return b.Bytes()
	}
	return bytes.ReplaceAll(b.Bytes(), []byte("\n"), []byte(s.newline))
}

// member formats a name and its value, which is already formatted.
func (s style) member(name, value string) string {
	key := string(jsonspan.AppendQuote(nil, []byte(name))) + ":"
	if s.indent != "" {
		key += " "
	}
	return key + value
}

// before returns the line break and indentation before a member or a closing brace.
func (s style) before(depth int) string {
	if s.indent == "" {
		return ""
	}
	return s.newline + strings.Repeat(s.indent, depth)
}
