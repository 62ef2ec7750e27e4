package object

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/abi"
)

// WithSecret returns the text of a secrets file in which a name has a value; comments
// and the other lines stay.
//
// Errors: abi.ErrConfig if the name is no variable's, the value is no text, or the
// file is invalid or written in a form that cannot be edited line by line. No text of
// an error holds a value.
func WithSecret(text []byte, name string, value Secret) ([]byte, error) {
	plain := value.Reveal()
	switch {
	case !isVariable(name):
		return nil, fmt.Errorf("%w: %q is not a variable's name, want letters, digits and _", abi.ErrConfig, clip(name, 80))
	case name == ClientDirVariable:
		return nil, fmt.Errorf("%w: %s is set by clients alone", abi.ErrConfig, name)
	case !utf8.ValidString(plain) || strings.ContainsRune(plain, 0):
		return nil, fmt.Errorf("%w: the value of %s is not text in UTF-8", abi.ErrConfig, name)
	}
	before, err := parseSecrets(text)
	if err != nil {
		return nil, err
	}
	edited := replaceSecret(string(text), name, plain)
	after, err := parseSecrets(edited)
	if err != nil || !before.differsOnlyIn(after, name, plain) {
		return nil, fmt.Errorf("%w: %s is not written as one name: \"value\" a line, edit it by hand", abi.ErrConfig, SecretsFile)
	}
	return edited, nil
}

// replaceSecret puts the line of a name in the place of those it has now, or at the end.
func replaceSecret(text, name, value string) []byte {
	quoted, _ := json.Marshal(value) // a string always encodes; JSON strings are YAML strings
	line := name + ": " + string(quoted) + "\n"
	var b strings.Builder
	inOld := false
	for old := range strings.Lines(text) {
		key, _, isKey := strings.Cut(old, ":")
		switch {
		case isKey && strings.Trim(strings.TrimSpace(key), `"'`) == name && old[0] != ' ' && old[0] != '\t':
			b.WriteString(line)
			line, inOld = "", true
		case inOld && (old[0] == ' ' || old[0] == '\t'): // the rest of the old value
		default:
			inOld = false
			b.WriteString(strings.TrimSuffix(old, "\n") + "\n")
		}
	}
	return []byte(b.String() + line)
}

// differsOnlyIn reports whether after is s but for one name, which has a value.
func (s Secrets) differsOnlyIn(after Secrets, name, value string) bool {
	if set, ok := after.values[name]; !ok || set.Reveal() != value {
		return false
	}
	others := len(s.values)
	if _, ok := s.values[name]; ok {
		others--
	}
	if len(after.values) != others+1 {
		return false
	}
	for key, old := range s.values {
		if kept, ok := after.values[key]; key != name && (!ok || kept.Reveal() != old.Reveal()) {
			return false
		}
	}
	return true
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
