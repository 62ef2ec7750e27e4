package password

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/abi"
)

const (
	// minChars is the minimum length of a password in characters.
	minChars = 12
	// maxBytes is the maximum length of a password in bytes.
	maxBytes = 1024
)

// Check returns abi.ErrConfig if password is not allowed for the user of that name: it has
// fewer than 12 characters or more than 1024 bytes, is not UTF-8, or is the name.
//
// There are no rules about digits, capitals and the like: they lead to predictable
// passwords. The error does not contain the password.
func Check(user, password string) error {
	if err := checkLength(password); err != nil {
		return err
	}
	if strings.EqualFold(user, password) {
		return fmt.Errorf("%w: the password is the name of the user", abi.ErrConfig)
	}
	return nil
}

// checkLength is the part of Check that depends on no user. Hash performs it too, so that
// no path to a stored hash omits it.
func checkLength(password string) error {
	if len(password) > maxBytes {
		return fmt.Errorf("%w: the password has %d bytes, limit %d", abi.ErrConfig, len(password), maxBytes)
	}
	if !utf8.ValidString(password) {
		return fmt.Errorf("%w: the password is not valid UTF-8", abi.ErrConfig)
	}
	if n := utf8.RuneCountInString(password); n < minChars {
		return fmt.Errorf("%w: the password has %d characters, want at least %d", abi.ErrConfig, n, minChars)
	}
	return nil
}
