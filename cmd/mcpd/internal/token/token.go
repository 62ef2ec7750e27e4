// Package token creates and reads the API tokens of mcpd.
//
// A Token is mcpd_ followed by 43 characters for 32 random bytes and 6 characters for
// their checksum, both in base62. The prefix lets scanners of files and repositories find
// tokens; the checksum separates mistyped tokens from revoked ones without a look at the
// database. Of a Token only its Hash is stored. Whom a token belongs to and when it
// expires is not in it: the database decides that.
package token

import (
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"hash/crc32"
	"io"
	"log/slog"
	"math/big"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
)

// Prefix begins every token.
const Prefix = "mcpd_"

const (
	secretBytes = 32
	secretChars = 43 // 62^42 < 2^256 < 62^43
	sumChars    = 6  // 62^5 < 2^32 < 62^6

	// length is the length of every token.
	length = len(Prefix) + secretChars + sumChars
)

// digits are those of base62 in the order of their values.
const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// Token is one API token. Every formatter prints only its prefix: fmt with any verb,
// encoding/json and slog. Only Reveal returns the text.
//
// The text is stored by reference, so that fmt prints only an address for a Token in an
// unexported field, where it cannot call methods. The zero Token is no token.
type Token struct{ text *string }

// New returns a token with 32 bytes of the operating system's random source.
func New() (Token, error) { return read(rand.Reader) }

// read returns a token with 32 bytes of r.
func read(r io.Reader) (Token, error) {
	var secret [secretBytes]byte
	if _, err := io.ReadFull(r, secret[:]); err != nil {
		return Token{}, fmt.Errorf("random bytes of a token: %w", err)
	}
	text := Prefix + encode(new(big.Int).SetBytes(secret[:]), secretChars)
	text += checksum(text)
	return Token{&text}, nil
}

// Parse returns the token that s is.
//
// It returns abi.ErrConfig if s was damaged on its way: it lacks the prefix or characters,
// or its checksum differs. The error does not contain s. A token that Parse accepts can
// still be unknown, revoked or expired.
func Parse(s string) (Token, error) {
	if !strings.HasPrefix(s, Prefix) {
		return Token{}, fmt.Errorf("%w: the token does not begin with %s", abi.ErrConfig, Prefix)
	}
	if len(s) != length || checksum(s[:length-sumChars]) != s[length-sumChars:] || !isSecret(s[len(Prefix):length-sumChars]) {
		return Token{}, fmt.Errorf("%w: the token is incomplete or mistyped", abi.ErrConfig)
	}
	text := strings.Clone(s)
	return Token{&text}, nil
}

// Reveal returns the text. Call it only where the token is given to its owner.
func (t Token) Reveal() string {
	if t.text == nil {
		return ""
	}
	return *t.text
}

// Hash returns the SHA-256 of the text, under which a token is stored and found.
//
// A token has 256 random bits, so that its hash needs neither a salt nor a slow function.
func (t Token) Hash() [sha256.Size]byte { return sha256.Sum256([]byte(t.Reveal())) }

// masked replaces a token wherever it would be printed.
const masked = Prefix + "…"

// String returns the prefix and an ellipsis.
func (t Token) String() string { return masked }

// Format prints the prefix and an ellipsis for every verb and flag.
func (t Token) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(masked)) }

// MarshalText returns the prefix and an ellipsis. encoding/json uses it for values and map
// keys.
func (t Token) MarshalText() ([]byte, error) { return []byte(masked), nil }

// LogValue returns the prefix and an ellipsis.
func (t Token) LogValue() slog.Value { return slog.StringValue(masked) }

// checksum returns the CRC-32 of text in base62. It finds every change of one character
// and every exchange of two adjacent ones.
func checksum(text string) string {
	return encode(big.NewInt(int64(crc32.ChecksumIEEE([]byte(text)))), sumChars)
}

// isSecret reports whether s is the only form of 32 bytes in base62: it has no other
// characters, and its value is less than 2^256.
func isSecret(s string) bool {
	n, base := new(big.Int), big.NewInt(int64(len(digits)))
	for i := range len(s) {
		d := strings.IndexByte(digits, s[i])
		if d < 0 {
			return false
		}
		n.Add(n.Mul(n, base), big.NewInt(int64(d)))
	}
	return n.BitLen() <= 8*secretBytes
}

// encode returns n in base62 with width digits, the most significant first.
func encode(n *big.Int, width int) string {
	text := make([]byte, width)
	rest, base, d := new(big.Int).Set(n), big.NewInt(int64(len(digits))), new(big.Int)
	for i := width - 1; i >= 0; i-- {
		rest.DivMod(rest, base, d)
		text[i] = digits[d.Int64()]
	}
	return string(text)
}
