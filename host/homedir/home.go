package homedir

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
)

// Dir is the directory that contains all state: $MCPCTL_HOME.
type Dir string

// Paths in the home directory.
func (h Dir) Socket() string            { return filepath.Join(string(h), "run", "mcplocal.sock") }
func (h Dir) lock() string              { return filepath.Join(string(h), "run", "lock") }
func (h Dir) ServerMark() string        { return filepath.Join(string(h), "run", "servers") }
func (h Dir) LastValid() string         { return filepath.Join(string(h), "run", "last-valid.json") }
func (h Dir) LLMLedger() string         { return filepath.Join(string(h), "run", "llm-spent.json") }
func (h Dir) token() string             { return filepath.Join(string(h), "token") }
func (h Dir) refKey() string            { return filepath.Join(string(h), "ref.key") }
func (h Dir) Originals() string         { return filepath.Join(string(h), "originals") }
func (h Dir) Corrections() string       { return filepath.Join(string(h), "corrections") }
func (h Dir) Recordings() string        { return filepath.Join(string(h), "recordings") }
func (h Dir) Stages() string            { return filepath.Join(string(h), "stages") }
func (h Dir) Work(server string) string { return filepath.Join(string(h), "work", server) } // the working directory of a server without cwd
func (h Dir) CacheDB() string           { return filepath.Join(string(h), "cache", "proxymodel", "cache.db") }
func (h Dir) Lists() string             { return filepath.Join(string(h), "cache", "lists") }
func (h Dir) Team() string              { return filepath.Join(string(h), "cache", "team.json") }
func (h Dir) WasmCache() string         { return filepath.Join(string(h), "cache", "wasm") }
func (h Dir) ModuleIndex() string       { return filepath.Join(string(h), "cache", "modules.json") }
func (h Dir) StagesLock() string        { return filepath.Join(string(h), "stages.lock") }
func (h Dir) ToolsLock() string         { return filepath.Join(string(h), "tools.lock") }
func (h Dir) ToolsMutex() string        { return filepath.Join(string(h), "run", "tools.lock") } // locked while tools.lock is changed
func (h Dir) TrustLog() string          { return filepath.Join(string(h), "logs", "trust.jsonl") }

// LoadMarks contains a file for each module that is being loaded.
func (h Dir) LoadMarks() string { return filepath.Join(string(h), "cache", "loading") }

// maxSocket is the maximum length of a unix socket's path on all supported systems.
const maxSocket = 104

// Create creates the directories of the home, accessible to their owner only.
func (h Dir) Create() error {
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

// Token returns the bearer token for TCP. It is created on first use.
func (h Dir) Token() (string, error) {
	b, err := h.secret(h.token())
	return strings.TrimSpace(string(b)), err
}

// RefKey returns the HMAC key of refs. It is created on first use.
func (h Dir) RefKey() ([]byte, error) { return h.secret(h.refKey()) }

// secret reads a file of random text that only its owner may read. It creates the file
// if there is none.
func (h Dir) secret(path string) ([]byte, error) {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return newSecret(path)
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular() || IsReadableByOthers(info.Mode().Perm()):
		return nil, fmt.Errorf("%w: %s has mode %v, want a file of mode 0600: chmod 600 %s", abi.ErrDenied, path, info.Mode(), path)
	}
	b, err := os.ReadFile(path)
	if err == nil && len(strings.TrimSpace(string(b))) < 32 {
		return nil, fmt.Errorf("%w: %s is too short to be a key: remove it, then a new one is created", abi.ErrConfig, path)
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
	// Link, not rename: if two processes start at once, the first one's key is used.
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
