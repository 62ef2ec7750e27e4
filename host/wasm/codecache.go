package wasm

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// repairCodeCache reports whether compiling failed only because of the cache of compiled
// code, so that a second attempt may succeed. wazero returns an error for a damaged file
// instead of compiling again, and for a full disk after compiling.
func (r *Runtime) repairCodeCache(err error) bool {
	var path *fs.PathError
	switch {
	case r.opts.CacheDir == "":
		return false
	case strings.Contains(err.Error(), "compilationcache:"):
		r.log.Warn("compiled code is damaged, compiling again", "err", err)
		if err := emptyCodeCache(r.opts.CacheDir); err != nil {
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

// codeCacheFiles returns the paths of compiled code of all versions of the compiler.
func codeCacheFiles(dir string) ([]string, error) {
	paths, err := fs.Glob(os.DirFS(dir), "wazero-*/*")
	for i, p := range paths {
		paths[i] = filepath.Join(dir, filepath.FromSlash(p))
	}
	return paths, err
}

func emptyCodeCache(dir string) error {
	paths, err := codeCacheFiles(dir)
	if err == nil {
		err = os.RemoveAll(filepath.Join(dir, preparedDir))
	}
	if err != nil {
		return err
	}
	for _, p := range paths {
		if err := os.Remove(p); err != nil {
			return err
		}
	}
	return nil
}

// Limits of the cache of compiled code. Each build of an author adds about 8 MB.
const (
	maxCodeCache    = 1 << 30
	prunedCodeCache = maxCodeCache / 2
)

// pruneCodeCache removes the oldest files until the cache has at most target bytes, if
// it has more than limit. Removed code is compiled again when it is needed.
func pruneCodeCache(dir string, limit, target int64) error {
	paths, err := codeCacheFiles(dir)
	if err != nil {
		return err
	}
	type file struct {
		path string
		info fs.FileInfo
	}
	var files []file
	total := int64(0)
	for _, p := range paths {
		if info, err := os.Lstat(p); err == nil && info.Mode().IsRegular() {
			files = append(files, file{p, info})
			total += info.Size()
		}
	}
	if total <= limit {
		return nil
	}
	if err := os.RemoveAll(filepath.Join(dir, preparedDir)); err != nil {
		return err
	}
	slices.SortFunc(files, func(a, b file) int { return a.info.ModTime().Compare(b.info.ModTime()) })
	for _, f := range files {
		if total <= target {
			return nil
		}
		if err := os.Remove(f.path); err != nil {
			return err
		}
		total -= f.info.Size()
	}
	return nil
}
