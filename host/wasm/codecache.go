package wasm

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
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

// Bounds of the cache of compiled code: an author's builds leave some 8 MB each.
const (
	codeBytes     = 1 << 30
	codeBytesLeft = codeBytes / 2
)

// pruneCompiled removes the oldest files until so many bytes are left, if there
// are more than most. What is removed is compiled again when it is wanted.
func pruneCompiled(dir string, most, left int64) error {
	paths, err := filepath.Glob(filepath.Join(dir, "wazero-*", "*"))
	if err != nil {
		return err
	}
	type kept struct {
		path string
		info fs.FileInfo
	}
	var files []kept
	total := int64(0)
	for _, p := range paths {
		if info, err := os.Lstat(p); err == nil && info.Mode().IsRegular() {
			files = append(files, kept{p, info})
			total += info.Size()
		}
	}
	if total <= most {
		return nil
	}
	slices.SortFunc(files, func(a, b kept) int { return a.info.ModTime().Compare(b.info.ModTime()) })
	for _, f := range files {
		if total <= left {
			return nil
		}
		if err := os.Remove(f.path); err != nil {
			return err
		}
		total -= f.info.Size()
	}
	return nil
}
