package object

import (
	"fmt"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/jsonschema"
	"github.com/mcpctl/mcpctl/host/strictyaml"
)

// maxName is the maximum length of a Name in bytes.
const maxName = 63

// patternName is the pattern of a Name without its maximum length.
const patternName = `^[a-z0-9][a-z0-9._+-]*$`

// Name is the name of an Object, a role or a module: [a-z0-9]([a-z0-9._+-]{0,62}).
//
// A valid Name is a safe file name: it contains no separator, does not start with a dot
// and is plain ASCII, so that no two Names look alike.
type Name string

// ParseName returns s as a Name.
//
// It returns abi.ErrConfig with the first byte that is not allowed.
func ParseName(s string) (Name, error) {
	if why := nameFault(s); why != "" {
		return "", fmt.Errorf("%w: name %.80q %s", abi.ErrConfig, s, why)
	}
	return Name(s), nil
}

// ReadName reads a value as a Name. It returns "" if the value is invalid. path is
// relative to m.
func ReadName(m *strictyaml.Mapping, v strictyaml.Value, path string) Name {
	if !m.HasType(v, path, strictyaml.String) {
		return ""
	}
	if why := nameFault(v.Text); why != "" {
		m.Fail(v.At, m.Path(path), "%q %s", strictyaml.Clip(v.Text, 80), why)
		return ""
	}
	return Name(v.Text)
}

// NameSchema returns the schema of a Name.
func NameSchema() *jsonschema.Schema {
	s := jsonschema.Matching(patternName)
	s.MaxLength = maxName
	return s
}

// nameFault returns the reason why s is not a Name, or "".
func nameFault(s string) string {
	if s == "" {
		return "is empty"
	}
	if len(s) > maxName {
		return fmt.Sprintf("has %d bytes, limit %d", len(s), maxName)
	}
	for i, r := range s {
		if i == 0 && !isNameStart(r) {
			return fmt.Sprintf("starts with %q, want a letter a-z or a digit", r)
		}
		if !isNameStart(r) && r != '.' && r != '_' && r != '+' && r != '-' {
			return fmt.Sprintf("contains %q, want only a-z, 0-9 and . _ + -", r)
		}
	}
	return ""
}

// globFault returns the reason why s is not a glob that can match a Name, or "".
func globFault(s string) string {
	if s == "" {
		return "is empty"
	}
	if len(s) > maxName {
		return fmt.Sprintf("has %d bytes, limit %d", len(s), maxName)
	}
	for _, r := range s {
		if !isNameStart(r) && !strings.ContainsRune("._+-*?", r) {
			return fmt.Sprintf("contains %q, which no name contains; wildcards are * and ?", r)
		}
	}
	return ""
}

func isNameStart(r rune) bool { return r >= 'a' && r <= 'z' || r >= '0' && r <= '9' }
