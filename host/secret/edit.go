package secret

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/strictyaml"
)

// Entry is one entry of a secrets file.
type Entry struct {
	Name  string
	Value Value
}

// Set returns the text of a secrets file with entries added or replaced. It keeps
// comments and all other lines.
//
// It returns abi.ErrConfig if a name is not the name of a variable, a value is not
// text, the file is or would be invalid, or it cannot be edited line by line. Errors
// never contain a value.
func Set(text []byte, entries ...Entry) ([]byte, error) { return set(text, IsVariable, entries) }

// SetReserved is Set for the entries TeamLogin and TeamToken.
func SetReserved(text []byte, entries ...Entry) ([]byte, error) {
	return set(text, isReserved, entries)
}

func set(text []byte, hasName func(string) bool, entries []Entry) ([]byte, error) {
	want, err := parse(text)
	if err != nil {
		return nil, err
	}
	var names []string
	lines := make(map[string]string, len(entries))
	for _, s := range entries {
		if err := s.check(hasName); err != nil {
			return nil, err
		}
		quoted, _ := json.Marshal(s.Value.Reveal()) // a string always encodes; JSON strings are YAML strings
		names, lines[s.Name], want.values[s.Name] = append(names, s.Name), s.Name+": "+string(quoted)+"\n", s.Value
	}
	edited := replaceEntries(string(text), names, lines)
	return edited, want.checkText(edited)
}

// Remove returns the text of a secrets file without the entries of names. It keeps
// comments and all other lines.
//
// It returns abi.ErrConfig if the file is invalid or cannot be edited line by line.
func Remove(text []byte, names ...string) ([]byte, error) {
	want, err := parse(text)
	if err != nil {
		return nil, err
	}
	lines := make(map[string]string, len(names))
	for _, name := range names {
		lines[name] = ""
		delete(want.values, name)
	}
	edited := replaceEntries(string(text), nil, lines)
	return edited, want.checkText(edited)
}

// check returns an error if the entry cannot be written.
func (e Entry) check(hasName func(string) bool) error {
	plain := e.Value.Reveal()
	switch {
	case !hasName(e.Name):
		return fmt.Errorf("%w: %q %s", abi.ErrConfig, strictyaml.Clip(e.Name, 80), NotVariable)
	case e.Name == ClientDirVariable:
		return fmt.Errorf("%w: %s is set only by clients", abi.ErrConfig, e.Name)
	case !utf8.ValidString(plain) || strings.ContainsRune(plain, 0):
		return fmt.Errorf("%w: the value of %s is not text in UTF-8", abi.ErrConfig, e.Name)
	}
	return nil
}

// replaceEntries replaces the entries that have a line in lines, and appends the lines of
// names that are not in the text. An empty line removes the entry.
func replaceEntries(text string, names []string, lines map[string]string) []byte {
	written := make(map[string]bool, len(lines))
	var b strings.Builder
	blank, inOld := "", false // blank holds the blank lines after a replaced entry, which may be part of its value
	for old := range strings.Lines(text) {
		name := keyOf(old)
		line, replaced := lines[name]
		switch isBlank := strings.TrimSpace(old) == ""; {
		case inOld && isBlank:
			blank += old
			continue
		case inOld && (old[0] == ' ' || old[0] == '\t'): // the rest of the old value
			blank = ""
			continue
		}
		b.WriteString(blank)
		blank, inOld = "", replaced
		switch {
		case !replaced:
			b.WriteString(strings.TrimSuffix(old, "\n") + "\n")
		case !written[name]:
			b.WriteString(line)
			written[name] = true
		}
	}
	b.WriteString(blank)
	for _, name := range names {
		if !written[name] {
			b.WriteString(lines[name])
			written[name] = true
		}
	}
	return []byte(b.String())
}

// keyOf returns the key of a line that is not indented, or "" if it has no key.
func keyOf(line string) string {
	key, _, isKey := strings.Cut(line, ":")
	if !isKey || key == "" || key[0] == ' ' || key[0] == '\t' {
		return ""
	}
	return strings.Trim(strings.TrimSpace(key), `"'`)
}

// checkText returns an error if text is not a secrets file with exactly the entries of f.
func (f File) checkText(text []byte) error {
	if len(text) > strictyaml.MaxFileBytes {
		return fmt.Errorf("%w: %s would have more than %d bytes", abi.ErrConfig, FileName, strictyaml.MaxFileBytes)
	}
	if why, _ := strictyaml.CheckSize(string(text)); why != "" {
		return fmt.Errorf("%w: %s would have %s", abi.ErrConfig, FileName, why)
	}
	got, err := parse(text)
	if err != nil || !maps.EqualFunc(got.values, f.values, func(a, b Value) bool { return a.Reveal() == b.Reveal() }) {
		return fmt.Errorf("%w: %s is not written as one name: \"value\" a line, edit it by hand", abi.ErrConfig, FileName)
	}
	return nil
}

// maxValue is the maximum size of one value in bytes.
const maxValue = 64 << 10

// ParseValue returns the value in an input, without the line break at its end.
func ParseValue(read []byte) (Value, error) {
	text := strings.TrimSuffix(strings.TrimSuffix(string(read), "\n"), "\r")
	switch {
	case text == "":
		return Value{}, errors.New("the value is empty")
	case len(text) > maxValue:
		return Value{}, fmt.Errorf("the value has more than %d bytes", maxValue)
	}
	return New(text), nil
}
