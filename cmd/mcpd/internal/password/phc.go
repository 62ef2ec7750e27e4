package password

import (
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/crypto/argon2"

	"github.com/mcpctl/mcpctl/abi"
)

// cost is what one hash takes.
type cost struct {
	memory  uint32 // KiB
	passes  uint32 // over the memory
	threads uint8
}

// recommended is the second recommended option of RFC 9106, section 4, for servers that
// cannot spend 2 GiB on a login.
var recommended = cost{memory: 64 << 10, passes: 3, threads: 4}

// most is the largest cost that a stored hash may require. It leaves room for rows that a
// later version has written, and keeps a damaged row from taking the memory of the server.
var most = cost{memory: 256 << 10, passes: 10, threads: 16}

// Sizes in bytes. The first two are those of RFC 9106, the others bound stored hashes.
const (
	saltBytes = 16
	keyBytes  = 32

	minSalt, maxSalt = 8, 64
	minKey, maxKey   = 16, 64

	// maxText is more than the longest text with these limits.
	maxText = 256
)

// record is a stored hash: a cost, a salt and the derived key.
type record struct {
	cost
	salt, key []byte
}

// parse reads the PHC string of a record:
//
//	$argon2id$v=19$m=65536,t=3,p=4$salt$key
//
// It accepts only the form that String returns, so that a record has one text. It returns
// abi.ErrConfig with the part that is wrong, without the salt and the key.
func parse(text string) (record, error) {
	if len(text) > maxText {
		return record{}, damaged("it has %d bytes, limit %d", len(text), maxText)
	}
	parts := strings.Split(text, "$")
	if len(parts) != 6 || parts[0] != "" {
		return record{}, damaged("it is no PHC string of 5 parts")
	}
	if parts[1] != "argon2id" {
		return record{}, damaged("its algorithm is %.20q, want argon2id", parts[1])
	}
	if want := "v=" + strconv.Itoa(argon2.Version); parts[2] != want {
		return record{}, damaged("its version is %.20q, want %s", parts[2], want)
	}
	c, err := parseCost(parts[3])
	if err != nil {
		return record{}, err
	}
	salt, err := parseBytes("salt", parts[4], minSalt, maxSalt)
	if err != nil {
		return record{}, err
	}
	key, err := parseBytes("key", parts[5], minKey, maxKey)
	if err != nil {
		return record{}, err
	}
	return record{c, salt, key}, nil
}

// CheckHash returns abi.ErrConfig if text is not a hash that Verify accepts.
func CheckHash(text string) error {
	_, err := parse(text)
	return err
}

// parseCost reads m=65536,t=3,p=4.
func parseCost(text string) (cost, error) {
	params := strings.Split(text, ",")
	if len(params) != 3 {
		return cost{}, damaged("its parameters are %.40q, want m, t and p", text)
	}
	memory, err := parseParam(params[0], "m", uint64(most.memory))
	if err != nil {
		return cost{}, err
	}
	passes, err := parseParam(params[1], "t", uint64(most.passes))
	if err != nil {
		return cost{}, err
	}
	threads, err := parseParam(params[2], "p", uint64(most.threads))
	if err != nil {
		return cost{}, err
	}
	if memory < 8*threads {
		return cost{}, damaged("m=%d is less than 8 KiB for each of p=%d threads", memory, threads)
	}
	return cost{uint32(memory), uint32(passes), uint8(threads)}, nil
}

// parseParam reads name=number with a number of 1 to limit.
func parseParam(text, name string, limit uint64) (uint64, error) {
	digits, ok := strings.CutPrefix(text, name+"=")
	n, err := strconv.ParseUint(digits, 10, 32)
	if !ok || err != nil || strconv.FormatUint(n, 10) != digits {
		return 0, damaged("%.20q is not %s= with a number", text, name)
	}
	if n < 1 || n > limit {
		return 0, damaged("%s is %d, want 1 to %d", name, n, limit)
	}
	return n, nil
}

// parseBytes reads base64 without padding.
func parseBytes(what, text string, least, limit int) ([]byte, error) {
	b, err := encoding.DecodeString(text)
	if err != nil || encoding.EncodeToString(b) != text { // the decoder skips line breaks
		return nil, damaged("its %s is not base64 without padding", what)
	}
	if len(b) < least || len(b) > limit {
		return nil, damaged("its %s has %d bytes, want %d to %d", what, len(b), least, limit)
	}
	return b, nil
}

var encoding = base64.RawStdEncoding.Strict()

// damaged returns the error of a stored hash that cannot be read.
func damaged(format string, args ...any) error {
	return fmt.Errorf("%w: the stored hash of the password is damaged: "+format, append([]any{abi.ErrConfig}, args...)...)
}

// String returns the PHC string.
func (r record) String() string {
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, r.memory, r.passes, r.threads,
		encoding.EncodeToString(r.salt), encoding.EncodeToString(r.key))
}
