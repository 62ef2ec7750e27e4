package content

import (
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/abi"
)

// OpenVolatile opens a Store in memory, up to Options.MaxBytes. It is meant for trials
// that must not leave any files.
//
// It returns abi.ErrConfig for a key shorter than 16 bytes.
func OpenVolatile(key []byte, opt Options) (*Store, error) {
	if len(key) < minKeyBytes {
		return nil, fmt.Errorf("%w: key of refs has %d bytes, want at least %d", abi.ErrConfig, len(key), minKeyBytes)
	}
	return open(&volatile{files: make(map[string]volatileFile)}, key, opt)
}

// volatile is a disk in memory. It shares data with the Store, which never modifies it.
type volatile struct {
	mu    sync.Mutex
	files map[string]volatileFile
}

type volatileFile struct {
	data []byte
	used time.Time
}

func (v *volatile) list() ([]stat, error) { return nil, nil } // always empty at start

func (v *volatile) read(name string) ([]byte, time.Time, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	f, ok := v.files[name]
	if !ok {
		return nil, time.Time{}, fs.ErrNotExist
	}
	return f.data, f.used, nil
}

func (v *volatile) head(string, int64) ([]byte, error) { return nil, fs.ErrNotExist } // used at start only

func (v *volatile) write(name string, data []byte, used time.Time) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.files == nil {
		return errors.New("the store is closed")
	}
	v.files[name] = volatileFile{data, used}
	return nil
}

func (v *volatile) touch(name string, at time.Time) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	f, ok := v.files[name]
	if !ok {
		return fs.ErrNotExist
	}
	f.used = at
	v.files[name] = f
	return nil
}

func (v *volatile) remove(name string) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	delete(v.files, name)
	return nil
}

func (v *volatile) close() error {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.files = nil
	return nil
}
