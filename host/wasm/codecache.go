package wasm

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// mendCache reports whether compiling failed because of the cache of compiled
// code alone, so that trying again may succeed. wazero gives a damaged file as
// an error instead of compiling anew, and a full disk after it has compiled.
func (r *Runtime) mendCache(err error) bool {
	var path *fs.PathError
	switch {
	case r.opts.CacheDir == "":
		return false
	case strings.Contains(err.Error(), "compilationcache:"):
		r.log.Warn("compiled code is damaged, compiling again", "err", err)
		if err := dropCompiled(r.opts.CacheDir); err != nil {
			r.log.Warn("compiled code cannot be removed", "err", err)
			return false
		}
		return true
	case errors.As(err, &path):
		r.log.Warn("compiled code cannot be kept", "err", err)
		return true
	}
	return false
}

// dropCompiled empties the cache of compiled code: all of it can be made again.
func dropCompiled(dir string) error {
	versions, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, v := range versions {
		if !strings.HasPrefix(v.Name(), "wazero-") {
			continue
		}
		files, err := os.ReadDir(filepath.Join(dir, v.Name()))
		if err != nil {
			return err
		}
		for _, f := range files {
			if err := os.Remove(filepath.Join(dir, v.Name(), f.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}
