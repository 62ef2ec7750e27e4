package team

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/homedir"
	"github.com/mcpctl/mcpctl/internal/atomicfile"
)

// cacheFormat is the version of the file format.
const cacheFormat = 1

// cached is the content of the file with the last good snapshot. It belongs to one user of
// one mcpd.
type cached struct {
	Format int       `json:"format"`
	URL    string    `json:"url"`
	User   string    `json:"user"`
	Saved  time.Time `json:"saved"`
	wireSnapshot
}

// readCache returns the last good snapshot of a login, or nil if there is none of this mcpd
// and user.
//
// It returns abi.ErrDenied for a file that other users can read or write.
func readCache(path string, login Login) (*cached, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, homedir.DiskError("snapshot of mcpd", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if err := homedir.CheckPrivateFile(path, info); err != nil {
		return nil, err
	}
	b, err := homedir.ReadAtMost(f, 2*maxSnapshot)
	if err != nil {
		return nil, err
	}
	var c cached
	if err := decodeStrict(b, &c); err != nil {
		return nil, fmt.Errorf("%w: the snapshot of mcpd on disk is not valid: %v", abi.ErrConfig, err)
	}
	if c.Format != cacheFormat || c.URL != login.URL || c.User != login.User {
		return nil, nil
	}
	return &c, nil
}

// writeCache writes the last good snapshot, readable by its owner only.
func writeCache(path string, c cached) error {
	c.Format = cacheFormat
	b, err := json.Marshal(c)
	if err != nil {
		return err
	}
	return atomicfile.Write(path, append(b, '\n'), homedir.FileMode)
}

// removeCache removes the snapshot of a login that has ended.
func removeCache(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
