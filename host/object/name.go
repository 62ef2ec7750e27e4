package object

import (
	"fmt"

	"github.com/mcpctl/mcpctl/abi"
)

// maxName is the longest Name in bytes.
const maxName = 63

// Name names an Object, a role or a module: [a-z0-9]([a-z0-9._+-]{0,62}).
//
// A valid Name is also a safe file name: it holds no separator, starts with no
// dot and is plain ASCII, so that no two Names look alike.
type Name string

// ParseName checks s.
//
// Errors: abi.ErrConfig, naming the first byte that is not allowed.
func ParseName(s string) (Name, error) {
	if why := nameFault(s); why != "" {
		return "", fmt.Errorf("%w: name %.80q %s", abi.ErrConfig, s, why)
	}
	return Name(s), nil
}

// nameFault says what is wrong with a name, or "".
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
			return fmt.Sprintf("holds %q, want a-z, 0-9 and . _ + - only", r)
		}
	}
	return ""
}

func isNameStart(r rune) bool { return r >= 'a' && r <= 'z' || r >= '0' && r <= '9' }
