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

// compiledFiles is the pattern of compiled code, of all versions of the compiler.
const compiledFiles = "wazero-*/*"

// codeCacheFiles returns the paths of the files that match a pattern.
func codeCacheFiles(dir, pattern string) ([]string, error) {
	paths, err := fs.Glob(os.DirFS(dir), pattern)
	for i, p := range paths {
		paths[i] = filepath.Join(dir, filepath.FromSlash(p))
	}
	return paths, err
}

func emptyCodeCache(dir string) error {
	paths, err := codeCacheFiles(dir, compiledFiles)
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

// Limits of the cache of compiled code. Each build of an author adds about 8 MB, and each
// build of mcpctl prepares all modules again.
const (
	maxCodeCache    = 1 << 30
	prunedCodeCache = maxCodeCache / 2
)

// pruneCodeCache removes what was prepared and the oldest compiled code, until the cache has
// at most target bytes, if it has more than limit. It is prepared and compiled again when it
// is needed.
func pruneCodeCache(dir string, limit, target int64) error {
	prepared, err := statFiles(dir, preparedDir+"/*")
	if err != nil {
		return err
	}
	compiled, err := statFiles(dir, compiledFiles)
	if err != nil {
		return err
	}
	total := compiled.size()
	if total+prepared.size() <= limit {
		return nil
	}
	if err := os.RemoveAll(filepath.Join(dir, preparedDir)); err != nil {
		return err
	}
	slices.SortFunc(compiled, func(a, b cacheFile) int { return a.info.ModTime().Compare(b.info.ModTime()) })
	for _, f := range compiled {
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

type cacheFile struct {
	path string
	info fs.FileInfo
}

type cacheFiles []cacheFile

func (files cacheFiles) size() (total int64) {
	for _, f := range files {
		total += f.info.Size()
	}
	return total
}

// statFiles returns the regular files that match a pattern.
func statFiles(dir, pattern string) (files cacheFiles, err error) {
	paths, err := codeCacheFiles(dir, pattern)
	for _, p := range paths {
		if info, err := os.Lstat(p); err == nil && info.Mode().IsRegular() {
			files = append(files, cacheFile{p, info})
		}
	}
	return files, err
}
