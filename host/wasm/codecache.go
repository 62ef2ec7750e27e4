package wasm

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

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

// emptyCodeCache removes the compiled code and the prepared modules. The description of a prepared
// module says that its code was compiled, so it must not remain without the code. Files that other
// processes are writing stay, and so does the directory of the prepared modules, because their
// writers would fail.
func emptyCodeCache(dir string) error {
	for _, pattern := range []string{preparedDir + "/*", compiledFiles} {
		paths, err := codeCacheFiles(dir, pattern)
		if err != nil {
			return err
		}
		for _, p := range paths {
			if isBeingWritten(p) {
				continue
			}
			if err := os.RemoveAll(p); err != nil { // nil if another process has removed it
				return err
			}
		}
	}
	return nil
}

// isBeingWritten reports whether a file will be renamed when it is complete.
func isBeingWritten(path string) bool {
	return strings.HasSuffix(path, ".tmp") || strings.HasPrefix(filepath.Base(path), ".new-")
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
		if err := os.Remove(f.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
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
