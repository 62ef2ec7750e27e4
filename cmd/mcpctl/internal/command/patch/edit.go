package patch

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/host/object"
	"github.com/mcpctl/mcpctl/host/strictyaml"
)

// edited returns the YAML of an object with changes applied. It edits the text of the file, which
// keeps
// comments and order, if this gives the same object as changing the values. Otherwise it encodes
// the
// object again.
func edited(home string, o api.Object, changes []change) (string, error) {
	v, err := strictyaml.ParseJSON(o.Manifest)
	if err != nil {
		return "", err
	}
	for _, c := range changes {
		if v, err = c.apply(v, 0); err != nil {
			return "", err
		}
	}
	manifest, err := v.MarshalJSON()
	if err != nil {
		return "", err
	}
	if text, ok := inPlace(filepath.Join(home, o.File), changes); ok && same(text, manifest) {
		return text, nil
	}
	return string(manifest), nil
}

// same reports whether a text and a manifest describe the same object.
func same(text string, manifest []byte) bool {
	a, okA := canonical([]byte(text))
	b, okB := canonical(manifest)
	return okA && okB && bytes.Equal(a, b)
}

func canonical(text []byte) ([]byte, bool) {
	objects, _, err := object.Decode("", text)
	if err != nil || len(objects) != 1 {
		return nil, false
	}
	b, err := object.EncodeJSON(objects[0])
	return b, err == nil
}

// inPlace edits the lines of a file in block style. It does not parse YAML, so callers must verify
// the
// result.
func inPlace(file string, changes []change) (string, bool) {
	b, err := os.ReadFile(file)
	if ext := filepath.Ext(file); err != nil || ext != ".yaml" && ext != ".yml" {
		return "", false
	}
	lines := strings.Split(strings.TrimRight(string(b), "\n"), "\n")
	for _, c := range changes {
		var ok bool
		if lines, ok = c.edit(lines); !ok {
			return "", false
		}
	}
	return strings.Join(lines, "\n") + "\n", true
}

// edit changes the line of the field, or adds one at the end of the enclosing mapping.
func (c change) edit(lines []string) ([]string, bool) {
	block := span{0, len(lines)}
	for depth, key := range c.path {
		at, ok := block.find(lines, key)
		last := depth == len(c.path)-1
		switch {
		case ok && last:
			return c.replace(lines, at)
		case ok:
			block = at.below(lines)
		case c.remove:
			return lines, true
		default:
			return c.insert(lines, block, depth)
		}
	}
	return nil, false
}

// replace replaces the value of a field and keeps the comment on its line.
func (c change) replace(lines []string, at span) ([]string, bool) {
	if inner := at.below(lines); inner.from < inner.to {
		if c.remove {
			return slices.Delete(slices.Clone(lines), at.from, inner.lastLine(lines)+1), true
		}
		return c.editList(lines, at)
	}
	if c.remove {
		return append(lines[:at.from:at.from], lines[at.from+1:]...), true
	}
	line := lines[at.from]
	colon := keyEnd(line)
	comment := commentOf(line[colon:])
	value, err := c.value.MarshalJSON() // JSON is valid YAML
	if err != nil {
		return nil, false
	}
	lines[at.from] = line[:colon] + " " + plain(c.value, value) + comment
	return lines, true
}

// commentOf returns the comment after a value, including the preceding blank. A "#" inside quotes
// does
// not begin a comment.
func commentOf(text string) string {
	quote := byte(0)
	for i := 0; i < len(text); i++ {
		switch b := text[i]; {
		case quote == '"' && b == '\\':
			i++
		case quote != 0:
			if b == quote {
				quote = 0
			}
		case (b == '"' || b == '\'') && strings.ContainsRune(" [{,:", rune(text[max(0, i-1)])):
			quote = b
		case b == '#' && i > 0 && text[i-1] == ' ':
			return text[i-1:]
		}
	}
	return ""
}

func (c change) insert(lines []string, block span, depth int) ([]string, bool) {
	indent, ok := block.indent(lines)
	if !ok || depth == 0 {
		return nil, false
	}
	v := c.value
	for i := len(c.path) - 1; i > depth; i-- {
		v = strictyaml.Value{Type: strictyaml.Map, Fields: []strictyaml.Field{{Name: c.path[i], Value: v}}}
	}
	value, err := v.MarshalJSON()
	if err != nil {
		return nil, false
	}
	key := strictyaml.Value{Type: strictyaml.String, Text: c.path[depth]}
	quoted, err := key.MarshalJSON()
	if err != nil {
		return nil, false
	}
	line := indent + plain(key, quoted) + ": " + plain(v, value)
	at := block.lastLine(lines) + 1
	return append(lines[:at:at], append([]string{line}, lines[at:]...)...), true
}

// plain returns the unquoted form of simple words.
func plain(v strictyaml.Value, quoted []byte) string {
	if v.Type != strictyaml.String || v.Text == "" || strings.Trim(v.Text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-") != "" {
		return string(quoted)
	}
	switch strings.ToLower(v.Text) {
	case "true", "false", "null", "yes", "no", "on", "off", "y", "n":
		return string(quoted)
	}
	if strings.HasPrefix(v.Text, "-") {
		return string(quoted)
	}
	return v.Text
}
