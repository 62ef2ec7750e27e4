package team

import (
	"fmt"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/secret"
)

// LoadLogin returns the login in a secrets file, zero if there is none.
func LoadLogin(f secret.File) Login {
	token, hasToken := f.Reserved(secret.TeamToken)
	owner, hasOwner := f.Reserved(secret.TeamLogin)
	user, address, ok := strings.Cut(owner.Reveal(), " ")
	if !hasToken || !hasOwner || !ok {
		return Login{}
	}
	return Login{URL: address, User: user, Token: token}
}

// SaveLogin writes a login to secrets.yaml of a home, in place of the previous one.
//
// Errors: those of secret.Rewrite; abi.ErrConfig for a user or a token that mcpd would not
// create.
func SaveLogin(home string, l Login) error {
	if err := l.check(); err != nil {
		return err
	}
	return secret.Rewrite(home, func(text []byte, _ secret.File) ([]byte, error) {
		return secret.SetReserved(text, secret.Entry{Name: secret.TeamLogin, Value: secret.New(l.User + " " + l.URL)},
			secret.Entry{Name: secret.TeamToken, Value: l.Token})
	})
}

// RemoveLogin removes the login from secrets.yaml of a home.
//
// Errors: those of secret.Rewrite.
func RemoveLogin(home string) error {
	return secret.Rewrite(home, func(text []byte, f secret.File) ([]byte, error) {
		if _, ok := f.Reserved(secret.TeamToken); !ok {
			return text, nil
		}
		return secret.Remove(text, secret.TeamLogin, secret.TeamToken)
	})
}

const (
	maxUser  = 200
	maxToken = 4096
)

// check returns an error if the user or the token cannot be stored or sent in a header.
func (l Login) check() error {
	if l.User == "" || len(l.User) > maxUser || strings.ContainsFunc(l.User, func(r rune) bool { return r <= ' ' || r == 0x7f || r == 0xfffd }) {
		return fmt.Errorf("%w: mcpd sent the user name %.80q", abi.ErrConfig, l.User)
	}
	if why := TokenFault(l.Token); why != "" {
		return fmt.Errorf("%w: the token of mcpd %s", abi.ErrConfig, why)
	}
	return nil
}

// TokenFault returns the reason why a text is not a token, or "". It contains no part of it.
func TokenFault(token secret.Value) string {
	switch text := token.Reveal(); {
	case text == "":
		return "is empty"
	case len(text) > maxToken:
		return fmt.Sprintf("has more than %d bytes", maxToken)
	case strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' }):
		return "contains blanks or characters that no token has"
	}
	return ""
}
