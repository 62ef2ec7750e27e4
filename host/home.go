package host

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/homedir"
)

// Home is the folder that holds all state: $MCPCTL_HOME.
type Home string

// Paths below the home.
func (h Home) Socket() string            { return filepath.Join(string(h), "run", "mcplocal.sock") }
func (h Home) lock() string              { return filepath.Join(string(h), "run", "lock") }
func (h Home) serverMark() string        { return filepath.Join(string(h), "run", "servers") }
func (h Home) lastValid() string         { return filepath.Join(string(h), "run", "last-valid.json") }
func (h Home) llmLedger() string         { return filepath.Join(string(h), "run", "llm-spent.json") }
func (h Home) token() string             { return filepath.Join(string(h), "token") }
func (h Home) refKey() string            { return filepath.Join(string(h), "ref.key") }
func (h Home) originals() string         { return filepath.Join(string(h), "originals") }
func (h Home) stages() string            { return filepath.Join(string(h), "stages") }
func (h Home) work(server string) string { return filepath.Join(string(h), "work", server) } // of one without cwd
func (h Home) cacheDB() string           { return filepath.Join(string(h), "cache", "proxymodel", "cache.db") }
func (h Home) lists() string             { return filepath.Join(string(h), "cache", "lists") }
func (h Home) wasmCache() string         { return filepath.Join(string(h), "cache", "wasm") }

// maxSocket is what fits into a unix socket's address on every system we run on.
const maxSocket = 104

// create makes the folders of the home, for their owner alone.
func (h Home) create() error {
	if n := len(h.Socket()); n > maxSocket {
		return fmt.Errorf("%w: home %s: the path of its socket has %d bytes, limit %d: choose a shorter MCPCTL_HOME", abi.ErrConfig, h, n, maxSocket)
	}
	for _, dir := range []string{"", "run", "servers", "projects", "proxymodels", "prompts", "promptrequests", "stages",
		"originals", filepath.Join("cache", "proxymodel"), filepath.Join("cache", "wasm"), filepath.Join("cache", "lists"), "sdk", "logs"} {
		if err := os.MkdirAll(filepath.Join(string(h), dir), 0o700); err != nil {
			return err
		}
	}
	return nil
}

// Token is the bearer token for TCP; made on first use.
func (h Home) Token() (string, error) {
	b, err := h.secret(h.token())
	return strings.TrimSpace(string(b)), err
}

// RefKey is the key of the HMAC behind refs; made on first use.
func (h Home) RefKey() ([]byte, error) { return h.secret(h.refKey()) }

// secret reads a file of random text that only its owner may read, or makes it.
func (h Home) secret(path string) ([]byte, error) {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return newSecret(path)
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular() || homedir.IsReadableByOthers(info.Mode().Perm()):
		return nil, fmt.Errorf("%w: %s has mode %v, want a file of mode 0600: chmod 600 %s", abi.ErrDenied, path, info.Mode(), path)
	}
	b, err := os.ReadFile(path)
	if err == nil && len(strings.TrimSpace(string(b))) < 32 {
		return nil, fmt.Errorf("%w: %s is too short to be a key: remove it, a new one is made", abi.ErrConfig, path)
	}
	return b, err
}

func newSecret(path string) ([]byte, error) {
	text := []byte(hex.EncodeToString(randomBytes(32)) + "\n")
	tmp, err := os.CreateTemp(filepath.Dir(path), ".new-*") // mode 0600
	if err != nil {
		return nil, err
	}
	defer os.Remove(tmp.Name())
	if _, err := tmp.Write(text); err != nil {
		tmp.Close()
		return nil, err
	}
	if err := tmp.Close(); err != nil {
		return nil, err
	}
	// Link, not rename: of two that start at once the first one's key holds.
	if err := os.Link(tmp.Name(), path); errors.Is(err, fs.ErrExist) {
		return os.ReadFile(path)
	} else if err != nil {
		return nil, err
	}
	return text, nil
}

func randomBytes(n int) []byte {
	b := make([]byte, n)
	rand.Read(b) // never fails
	return b
}
