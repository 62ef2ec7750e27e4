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

// Folders of the home that are watched.
const (
	folderStages = "stages"
	folderHome   = "."
)

// objectFolders are reported by Changes, with the folders in them.
var objectFolders = []string{"servers", "projects", "proxymodels", "prompts", "promptrequests"}

// homeFiles are the files of the home itself whose change is reported.
var homeFiles = []string{"config.yaml", "secrets.yaml", "stages.lock"}

// temporary reports whether a name is one that editors, or our own writes beside
// a file, use for a moment. Kubernetes' "..data" is none: a swap shows in it.
func temporary(name string) bool {
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
	return name == "4913" // vim tries whether it may write
}

// maxFingerprinted bounds what is read of one file; longer ones count by their
// beginning, size and time.
const maxFingerprinted = 4 << 20

// fingerprint is a hash over names and contents of a folder and the folders in
// it. What cannot be read counts as such.
func (w *watcher[M]) fingerprint(folder string) [32]byte {
	h := sha256.New()
	note := func(s string) {
		_ = binary.Write(h, binary.LittleEndian, uint32(len(s)))
		_, _ = io.WriteString(h, s)
	}
	for _, path := range w.filesOf(folder) {
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

// filesOf lists what counts in a folder, sorted.
func (w *watcher[M]) filesOf(folder string) (paths []string) {
	if folder == folderHome {
		for _, name := range homeFiles {
			if path := filepath.Join(w.home, name); exists(path) {
				paths = append(paths, path)
			}
		}
		return paths
	}
	for _, dir := range w.dirsOf(folder) {
		entries, _ := os.ReadDir(dir)
		for _, e := range entries {
			if !e.IsDir() && !temporary(e.Name()) {
				paths = append(paths, filepath.Join(dir, e.Name()))
			}
		}
	}
	slices.Sort(paths)
	return paths
}

// dirsOf are the directories to watch for a folder: itself and those in it.
func (w *watcher[M]) dirsOf(folder string) []string {
	top := filepath.Join(w.home, folder)
	dirs := []string{top}
	if folder == folderHome || folder == folderStages {
		return dirs
	}
	entries, _ := os.ReadDir(top)
	for _, e := range entries {
		if e.IsDir() && !temporary(e.Name()) {
			dirs = append(dirs, filepath.Join(top, e.Name()))
		}
	}
	return dirs
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// hashFile hashes a regular file; nothing else is opened.
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
