package object

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/abi"
)

// NamedSecret is one entry of a secrets file.
type NamedSecret struct {
	Name  string
	Value Secret
}

// WithSecrets returns the text of a secrets file in which names have values; comments and
// the other lines stay.
//
// Errors: abi.ErrConfig if a name is not that of a variable, a value is not text, the
// file is invalid or would be, or it cannot be edited line by line. No text of an error
// holds a value.
func WithSecrets(text []byte, set ...NamedSecret) ([]byte, error) {
	want, err := parseSecrets(text)
	if err != nil {
		return nil, err
	}
	var names []string
	lines := make(map[string]string, len(set))
	for _, s := range set {
		if err := s.check(); err != nil {
			return nil, err
		}
		quoted, _ := json.Marshal(s.Value.Reveal()) // a string always encodes; JSON strings are YAML strings
		names, lines[s.Name], want.values[s.Name] = append(names, s.Name), s.Name+": "+string(quoted)+"\n", s.Value
	}
	edited := replaceSecrets(string(text), names, lines)
	return edited, want.checkText(edited)
}

// WithoutSecrets returns the text of a secrets file without some names; comments and the
// other lines stay.
//
// Errors: abi.ErrConfig if the file is invalid or cannot be edited line by line.
func WithoutSecrets(text []byte, names ...string) ([]byte, error) {
	want, err := parseSecrets(text)
	if err != nil {
		return nil, err
	}
	lines := make(map[string]string, len(names))
	for _, name := range names {
		lines[name] = ""
		delete(want.values, name)
	}
	edited := replaceSecrets(string(text), nil, lines)
	return edited, want.checkText(edited)
}

// check reports why the entry cannot be written.
func (s NamedSecret) check() error {
	plain := s.Value.Reveal()
	switch {
	case !isVariable(s.Name):
		return fmt.Errorf("%w: %q is not a variable's name, want letters, digits and _", abi.ErrConfig, clip(s.Name, 80))
	case s.Name == ClientDirVariable:
		return fmt.Errorf("%w: %s is set by clients alone", abi.ErrConfig, s.Name)
	case !utf8.ValidString(plain) || strings.ContainsRune(plain, 0):
		return fmt.Errorf("%w: the value of %s is not text in UTF-8", abi.ErrConfig, s.Name)
	}
	return nil
}

// replaceSecrets replaces the entries that have a line in lines, and appends the lines of
// names that are not in the text. An empty line removes the entry.
func replaceSecrets(text string, names []string, lines map[string]string) []byte {
	written := make(map[string]bool, len(lines))
	var b strings.Builder
	blank, inOld := "", false // the blank lines after a replaced entry, which may be inside of its value
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

// keyOf returns the key of a line that is not indented, or "" if it has none.
func keyOf(line string) string {
	key, _, isKey := strings.Cut(line, ":")
	if !isKey || key == "" || key[0] == ' ' || key[0] == '\t' {
		return ""
	}
	return strings.Trim(strings.TrimSpace(key), `"'`)
}

// checkText reports why a text is not a secrets file that holds exactly s.
func (s Secrets) checkText(text []byte) error {
	if len(text) > maxFileBytes {
		return fmt.Errorf("%w: %s would have more than %d bytes", abi.ErrConfig, SecretsFile, maxFileBytes)
	}
	if why, _ := checkBudget(string(text)); why != "" {
		return fmt.Errorf("%w: %s would have %s", abi.ErrConfig, SecretsFile, why)
	}
	got, err := parseSecrets(text)
	if err != nil || !maps.EqualFunc(got.values, s.values, func(a, b Secret) bool { return a.Reveal() == b.Reveal() }) {
		return fmt.Errorf("%w: %s is not written as one name: \"value\" a line, edit it by hand", abi.ErrConfig, SecretsFile)
	}
	return nil
}

// maxSecret bounds one value, in bytes.
const maxSecret = 64 << 10

// ParseSecretValue takes what was read for a value: one line break at its end is no
// part of it.
func ParseSecretValue(read []byte) (Secret, error) {
	text := strings.TrimSuffix(strings.TrimSuffix(string(read), "\n"), "\r")
	switch {
	case text == "":
		return Secret{}, errors.New("the value is empty")
	case len(text) > maxSecret:
		return Secret{}, fmt.Errorf("the value has more than %d bytes", maxSecret)
	}
	return NewSecret(text), nil
}
