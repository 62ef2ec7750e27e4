package content

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
)

// refLen is the length of a Ref: 80 bits with five bits per character.
const refLen = 16

// refLetters omits i, l, o and u, which are easily misread.
const refLetters = "0123456789abcdefghjkmnpqrstvwxyz"

var refEncoding = base32.NewEncoding(refLetters).WithPadding(base32.NoPadding)

type hash [sha256.Size]byte

func (h hash) name() string { return hex.EncodeToString(h[:]) }

// makeRef returns the Ref of an Original for one project and subject. Without the key,
// the Ref of a known content cannot be guessed, and the owner of a Ref cannot be
// determined.
func makeRef(key []byte, h hash, scope flow.Scope) string {
	mac := hmac.New(sha256.New, key)
	for _, field := range [...]string{"mcpctl ref 1", string(h[:]), scope.Project, scope.Subject} {
		var size [8]byte
		binary.BigEndian.PutUint64(size[:], uint64(len(field)))
		mac.Write(size[:])
		mac.Write([]byte(field))
	}
	return refEncoding.EncodeToString(mac.Sum(nil)[:refLen*5/8])
}

// isRef reports whether s has the form of a Ref: 16 digits and lower-case letters.
func isRef(s string) bool {
	for i := range len(s) {
		if strings.IndexByte(refLetters, s[i]) < 0 {
			return false
		}
	}
	return len(s) == refLen
}

func isHash(name string) bool {
	b, err := hex.DecodeString(name)
	return err == nil && len(b) == sha256.Size && hex.EncodeToString(b) == name
}

func notFound(ref string) error {
	if !isRef(ref) {
		return fmt.Errorf("%w: no such ref", abi.ErrNotFound)
	}
	return fmt.Errorf("%w: nothing stored under ref %s: call the tool again", abi.ErrNotFound, ref)
}
