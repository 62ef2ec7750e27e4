// Package keyring encrypts credentials for the database of mcpd, with AES-256-GCM and keys
// from a file that only the owner can read. The newest key encrypts; older ones still
// decrypt, so that keys can be rotated.
package keyring

import (
	"bufio"
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/internal/atomicfile"
)

// keyBytes is the size of a key: AES-256.
const keyBytes = 32

// maxFile is the size limit of a file of keys.
const maxFile = 64 << 10

// Ring is a set of keys. It is immutable and safe for concurrent use. It never prints a key.
type Ring struct {
	current string
	keys    map[string]cipher.AEAD
	newest  []byte // the key that encrypts, from which others are derived
}

// String returns the number of keys.
func (r *Ring) String() string { return fmt.Sprintf("keyring with %d keys", len(r.keys)) }

// GoString returns the number of keys.
func (r *Ring) GoString() string { return r.String() }

// Open reads a file of keys, or creates it with one key. Each line of the file is an id
// and a key in base64; the last line is the newest key.
//
// It returns abi.ErrDenied if others may access the file, and abi.ErrConfig with the number
// of the invalid line.
func Open(file string) (*Ring, error) {
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		if text, err = addKey(nil); err == nil {
			err = atomicfile.Write(file, text, 0o600)
		}
	}
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(file)
	if err != nil {
		return nil, err
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 {
		return nil, fmt.Errorf("%w: %s has mode %#o, other users can access the keys\nhint: chmod 600 %s", abi.ErrDenied, file, mode, file)
	}
	return parse(file, text)
}

// PrepareRotation returns the keys of a file and a new key, which encrypts. save writes them
// to the file; until then the file is unchanged.
func PrepareRotation(file string) (r *Ring, save func() error, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, nil, err
	}
	if _, err := parse(file, text); err != nil {
		return nil, nil, err
	}
	if text, err = addKey(text); err != nil {
		return nil, nil, err
	}
	r, err = parse(file, text)
	return r, func() error { return atomicfile.Write(file, text, 0o600) }, err
}

// Add adds the keys of another file that a file lacks, and returns their ids. The key that
// encrypts stays the same. A file that does not exist is created.
//
// It returns abi.ErrConflict if the files have different keys with the same id.
func Add(file, other string) (added []string, err error) {
	more, err := readKeys(other)
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var present []namedKey
	if err == nil {
		if present, err = parseKeys(file, text); err != nil {
			return nil, err
		}
	}
	var lines []byte
	for _, k := range more {
		i := slices.IndexFunc(present, func(p namedKey) bool { return p.id == k.id })
		if i < 0 {
			lines = k.appendTo(lines)
			added = append(added, k.id)
		} else if !bytes.Equal(present[i].key, k.key) {
			return nil, fmt.Errorf("%w: %s and %s have different keys with the id %s", abi.ErrConflict, file, other, k.id)
		}
	}
	if len(added) == 0 {
		return nil, nil
	}
	text = append(lines, text...)
	if _, err := parse(file, text); err != nil {
		return nil, err
	}
	return added, atomicfile.Write(file, text, 0o600)
}

// namedKey is one line of a file of keys.
type namedKey struct {
	id  string
	key []byte
}

func (k namedKey) appendTo(text []byte) []byte {
	return fmt.Appendf(text, "%s %s\n", k.id, base64.StdEncoding.EncodeToString(k.key))
}

func readKeys(file string) ([]namedKey, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return parseKeys(file, text)
}

func addKey(text []byte) ([]byte, error) {
	key := make([]byte, keyBytes)
	if _, err := rand.Read(key); err != nil {
		return nil, err
	}
	if len(text) > 0 && !bytes.HasSuffix(text, []byte("\n")) {
		text = append(text, '\n')
	}
	return namedKey{rand.Text()[:12], key}.appendTo(text), nil
}

func parse(file string, text []byte) (*Ring, error) {
	all, err := parseKeys(file, text)
	if err != nil {
		return nil, err
	}
	r := &Ring{keys: make(map[string]cipher.AEAD)}
	for _, k := range all {
		block, err := aes.NewCipher(k.key)
		if err != nil {
			return nil, err
		}
		if r.keys[k.id], err = cipher.NewGCMWithRandomNonce(block); err != nil {
			return nil, err
		}
		r.current, r.newest = k.id, k.key
	}
	return r, nil
}

// parseKeys returns the keys of a file, one at least.
func parseKeys(file string, text []byte) (all []namedKey, err error) {
	if len(text) > maxFile {
		return nil, fmt.Errorf("%w: %s is over %d KiB", abi.ErrLimit, file, maxFile>>10)
	}
	lines := bufio.NewScanner(bytes.NewReader(text))
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		id, encoded, _ := strings.Cut(line, " ")
		key, err := base64.StdEncoding.DecodeString(strings.TrimSpace(encoded))
		if err != nil || len(key) != keyBytes {
			return nil, fmt.Errorf("%w: %s:%d: want an id and %d bytes in base64", abi.ErrConfig, file, n, keyBytes)
		}
		if slices.ContainsFunc(all, func(k namedKey) bool { return k.id == id }) {
			return nil, fmt.Errorf("%w: %s:%d: the id %s is used twice", abi.ErrConfig, file, n, id)
		}
		all = append(all, namedKey{id, key})
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%w: %s contains no key", abi.ErrConfig, file)
	}
	return all, nil
}

// Seal encrypts a text with the newest key and returns its id. bound is authenticated: Open
// needs the same bound, so that a ciphertext cannot be moved to another row.
func (r *Ring) Seal(text []byte, bound string) (id string, ciphertext []byte) {
	return r.current, r.keys[r.current].Seal(nil, nil, text, []byte(bound))
}

// Open decrypts a text.
//
// It returns abi.ErrUnavailable if the key is missing, and abi.ErrConfig if the ciphertext
// was changed or belongs to another row.
func (r *Ring) Open(id string, ciphertext []byte, bound string) ([]byte, error) {
	key := r.keys[id]
	if key == nil {
		return nil, fmt.Errorf("%w: the key %q, which has encrypted a credential, is not in the file of keys", abi.ErrUnavailable, id)
	}
	text, err := key.Open(nil, nil, ciphertext, []byte(bound))
	if err != nil {
		return nil, fmt.Errorf("%w: an encrypted credential is damaged or belongs to another object", abi.ErrConfig)
	}
	return text, nil
}

// Has reports whether a key is in the file.
func (r *Ring) Has(id string) bool { return r.keys[id] != nil }

// Current returns the id of the newest key.
func (r *Ring) Current() string { return r.current }

// Derive returns a key of 32 bytes for another purpose than encryption. It changes when the
// keys are rotated.
func (r *Ring) Derive(purpose string) []byte {
	key, err := hkdf.Expand(sha256.New, r.newest, purpose, keyBytes)
	if err != nil { // only for a size that the hash cannot give
		panic(err)
	}
	return key
}
