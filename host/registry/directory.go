package registry

import (
	"crypto/sha256"
	"encoding/binary"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Watched directories, relative to the home.
const (
	stagesDir = "stages"
	homeDir   = "."
)

// objectDirs are the directories of objects. Changes reports them, including
// changes in their subdirectories.
var objectDirs = []string{"servers", "projects", "proxymodels", "prompts", "promptrequests"}

// homeFiles are the files directly in the home whose changes are reported.
var homeFiles = []string{"config.yaml", "secrets.yaml", "stages.lock"}

// isTemporary reports whether name is a temporary file of an editor, a download or
// an atomic write. Kubernetes' "..data" is not temporary: it changes when a volume
// is updated.
func isTemporary(name string) bool {
	if strings.HasPrefix(name, "..") {
		return false
	}
	for _, prefix := range []string{".", "#", "~"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	for _, suffix := range []string{"~", ".swp", ".swx", ".tmp", ".temp", ".part", ".crdownload", "___jb_tmp___", "___jb_old___"} {
		if strings.HasSuffix(name, suffix) {
			return true
		}
	}
	return name == "4913" // vim's test for a writable directory
}

// maxFingerprinted is how many bytes of a file are hashed. Longer files are
// compared by these bytes, size and modification time.
const maxFingerprinted = 4 << 20

// fingerprint returns a hash of the names and contents of the files in a directory
// and its subdirectories. Unreadable files count by name only.
func (w *watcher[M]) fingerprint(dir string) [32]byte {
	h := sha256.New()
	note := func(s string) {
		_ = binary.Write(h, binary.LittleEndian, uint32(len(s)))
		_, _ = io.WriteString(h, s)
	}
	for _, path := range w.listFiles(dir) {
		note(path)
		sum, err := hashFile(path)
		if err != nil {
			note("unreadable")
			continue
		}
		_, _ = h.Write(sum[:])
	}
	return [32]byte(h.Sum(nil))
}

// listFiles returns the sorted paths of the files that are part of a fingerprint.
func (w *watcher[M]) listFiles(dir string) (paths []string) {
	if dir == homeDir {
		for _, name := range homeFiles {
			if path := filepath.Join(w.home, name); exists(path) {
				paths = append(paths, path)
			}
		}
		return paths
	}
	for _, path := range w.listDirs(dir) {
		entries, _ := os.ReadDir(path)
		for _, e := range entries {
			if !e.IsDir() && !isTemporary(e.Name()) {
				paths = append(paths, filepath.Join(path, e.Name()))
			}
		}
	}
	slices.Sort(paths)
	return paths
}

// listDirs returns the directories to watch: dir itself and, for objects, its
// subdirectories.
func (w *watcher[M]) listDirs(dir string) []string {
	top := filepath.Join(w.home, dir)
	dirs := []string{top}
	if dir == homeDir || dir == stagesDir {
		return dirs
	}
	entries, _ := os.ReadDir(top)
	for _, e := range entries {
		if e.IsDir() && !isTemporary(e.Name()) {
			dirs = append(dirs, filepath.Join(top, e.Name()))
		}
	}
	return dirs
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// hashFile hashes the first maxFingerprinted bytes of a regular file. It opens no
// other kind of file.
func hashFile(path string) (sum [32]byte, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return sum, err
	}
	if !info.Mode().IsRegular() {
		return sum, fs.ErrInvalid
	}
	f, err := os.OpenFile(path, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return sum, err
	}
	defer func() { _ = f.Close() }()
	h := sha256.New()
	n, err := io.Copy(h, io.LimitReader(f, maxFingerprinted))
	if err == nil && n == maxFingerprinted {
		err = binary.Write(h, binary.LittleEndian, [2]int64{info.Size(), info.ModTime().UnixNano()})
	}
	return [32]byte(h.Sum(nil)), err
}
