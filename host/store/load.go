package store

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/homedir"
	"github.com/mcpctl/mcpctl/host/object"
	"github.com/mcpctl/mcpctl/host/strictyaml"
)

// fileExtensions are the extensions of files of Objects; .md is for prompts only.
var fileExtensions = []string{".yaml", ".md"}

// loader collects one Snapshot.
type loader struct {
	prev     *Snapshot
	objects  map[object.Key]object.Object
	hashes   map[string][32]byte    // see Snapshot.hashes
	read     map[string][32]byte    // see Snapshot.read
	stats    map[string]fs.FileInfo // see Snapshot.stats
	broken   map[string]bool
	problems []Problem
}

func newLoader(prev *Snapshot) *loader {
	return &loader{prev: prev, objects: make(map[object.Key]object.Object), hashes: make(map[string][32]byte),
		read: make(map[string][32]byte), broken: make(map[string]bool), stats: make(map[string]fs.FileInfo)}
}

// loadKind reads the directory of one Kind. A missing directory is empty.
func (l *loader) loadKind(home *os.Root, kind object.Kind) {
	dir, entries, err := openDir(home, kind.Dir())
	if err != nil {
		l.keepDir(kind.Dir(), err)
		return
	}
	if dir == nil {
		return
	}
	defer dir.Close()
	for _, e := range entries {
		switch {
		case !kind.IsScoped():
			l.loadFile(dir, kind, "", kind.Dir(), e)
		case e.IsDir(), e.Type() == fs.ModeSymlink && path.Ext(e.Name()) == "":
			l.loadProject(dir, kind, e.Name())
		case !isIgnored(e.Name()):
			l.report(Problem{File: path.Join(kind.Dir(), e.Name()), Err: fmt.Errorf(
				"%w: %s is not in the directory of a project, want %s/PROJECT/%s",
				abi.ErrConfig, e.Name(), kind.Dir(), e.Name())})
		}
	}
}

// loadProject reads the prompts of one project.
func (l *loader) loadProject(parent *os.Root, kind object.Kind, name string) {
	where := path.Join(kind.Dir(), name)
	project, err := object.ParseName(name)
	if isHidden(name) {
		return
	}
	if err != nil {
		l.report(Problem{File: where, Err: err})
		return
	}
	dir, entries, err := openDir(parent, name)
	if err != nil {
		l.keepDir(where, err)
		return
	}
	if dir == nil {
		if _, err := parent.Lstat(name); err == nil { // otherwise it was deleted just now
			l.report(Problem{File: where, Err: fmt.Errorf("%w: %s is a link whose target does not exist", abi.ErrNotFound, where)})
		}
		return
	}
	defer dir.Close()
	for _, e := range entries {
		l.loadFile(dir, kind, project, where, e)
	}
}

// openDir opens a directory as an os.Root. It returns nil if the directory does not exist.
func openDir(parent *os.Root, name string) (*os.Root, []fs.DirEntry, error) {
	dir, err := parent.OpenRoot(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	entries, err := fs.ReadDir(dir.FS(), ".")
	if err != nil {
		dir.Close()
		return nil, nil, err
	}
	return dir, entries, nil
}

// isHidden reports whether a file belongs to an editor or is being written.
func isHidden(name string) bool {
	return name[0] == '.' || name[0] == '#' || strings.HasSuffix(name, "~")
}

// isIgnored reports whether a file is hidden or has the extension of no Object.
func isIgnored(name string) bool {
	ext := path.Ext(name)
	return isHidden(name) || ext != ".yml" && !slices.Contains(fileExtensions, ext)
}

func (l *loader) report(p Problem) { l.problems = append(l.problems, p) }

// keepDir keeps the Objects of a directory that cannot be read now.
func (l *loader) keepDir(where string, err error) {
	kept := false
	for key, o := range l.prev.objects {
		if strings.HasPrefix(o.File(), where+"/") {
			l.objects[key], l.hashes[o.File()] = o, l.prev.hashes[o.File()]
			kept = true
		}
	}
	l.report(Problem{File: where, Err: homedir.DiskError("directory "+where, err), Kept: kept})
}

// loadFile reads one file of a directory.
func (l *loader) loadFile(dir *os.Root, kind object.Kind, project object.Name, where string, e fs.DirEntry) {
	base := e.Name()
	if isIgnored(base) || e.IsDir() {
		return
	}
	file := path.Join(where, base)
	ext := path.Ext(base)
	stem := strings.TrimSuffix(base, ext)
	name, err := object.ParseName(stem)
	switch {
	case ext == ".yml":
		err = fmt.Errorf("%w: %s is not read, name it %s.yaml", abi.ErrConfig, base, stem)
	case ext == ".md" && !kind.IsScoped():
		return
	}
	key := object.Key{Kind: kind, Project: project, Name: name}
	if err != nil {
		l.report(Problem{File: file, Err: err})
		return
	}
	if l.isUnchanged(e, file, key) {
		l.stats[file] = l.prev.stats[file]
		l.add(file, key, l.prev.objects[key], l.prev.hashes[file])
		return
	}
	data, err := readRegular(dir, base)
	if _, gone := dir.Lstat(base); err != nil && errors.Is(gone, fs.ErrNotExist) {
		l.keep(file, key) // it was deleted just now or is being replaced; another load follows
		return
	}
	if err != nil {
		l.fail(file, key, err)
		return
	}
	l.decode(file, key, data)
}

// timestampStep is longer than the resolution of modification times in common file
// systems. A file that was modified within it may change again without a new time.
const timestampStep = 20 * time.Millisecond

// isUnchanged reports whether a file is the one that the previous Snapshot read: it has
// the same inode, size and modification time. Otherwise the caller reads the file, and
// l.stats gets its current state for the next load.
func (l *loader) isUnchanged(e fs.DirEntry, file string, key object.Key) bool {
	now := time.Now()
	info, err := e.Info()
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	o, known := l.prev.objects[key]
	if known && o.File() == file && l.prev.hashes[file] == l.prev.read[file] && isSameFile(l.prev.stats[file], info) {
		return true
	}
	step := timestampStep
	if info.ModTime().Nanosecond() == 0 { // a file system with a resolution of seconds; FAT has two
		step = 3 * time.Second
	}
	if now.Sub(info.ModTime()) > step {
		l.stats[file] = info
	}
	return false
}

func isSameFile(before, now fs.FileInfo) bool {
	return before != nil && os.SameFile(before, now) && before.Mode() == now.Mode() &&
		before.Size() == now.Size() && before.ModTime().Equal(now.ModTime())
}

// decode decodes the Object of a file, unless the content is unchanged.
func (l *loader) decode(file string, key object.Key, data []byte) {
	sum := sha256.Sum256(data)
	l.read[file] = sum
	o, same := l.prev.objects[key]
	if !same || o.File() != file || l.prev.hashes[file] != sum {
		var err error
		if o, err = object.DecodeFile(file, key, data); err != nil {
			l.fail(file, key, err)
			return
		}
	}
	l.add(file, key, o, sum)
}

// add makes the Object of a file active, unless another file contains it too.
func (l *loader) add(file string, key object.Key, o object.Object, sum [32]byte) {
	l.read[file] = sum
	if other, dup := l.objects[key]; dup {
		l.fail(file, key, fmt.Errorf("%w: %s is also in %s, remove one of the two", abi.ErrConflict, key, other.File()))
		return
	}
	l.objects[key], l.hashes[file] = o, sum
	if warnings := o.Warnings(); len(warnings) > 0 {
		l.report(Problem{File: file, Key: key, Err: warnings, Warning: true})
	}
}

// fail reports a broken file and keeps the Object that was loaded from it before.
func (l *loader) fail(file string, key object.Key, err error) {
	l.broken[file] = true
	l.report(Problem{File: file, Key: key, Err: err, Kept: l.keep(file, key)})
}

// keep keeps the Object that was loaded from a file before, if there is one.
func (l *loader) keep(file string, key object.Key) bool {
	o, ok := l.prev.objects[key]
	if !ok || o.File() != file {
		return false
	}
	l.objects[key], l.hashes[file] = o, l.prev.hashes[file]
	return true
}

func (l *loader) snapshot() *Snapshot {
	h := sha256.New()
	for _, file := range slices.Sorted(maps.Keys(l.read)) {
		sum := l.read[file]
		fmt.Fprintf(h, "%d:%s%x", len(file), file, sum)
	}
	return &Snapshot{revision: hex.EncodeToString(h.Sum(nil)[:16]), objects: l.objects, hashes: l.hashes, read: l.read, stats: l.stats}
}

// readRegular reads a regular file in the root of its directory. A link may lead to
// another file in the directory, but not out of it.
func readRegular(dir *os.Root, name string) ([]byte, error) {
	info, err := dir.Stat(name)
	if entry, _ := dir.Lstat(name); err != nil && entry != nil && entry.Mode().Type() == fs.ModeSymlink {
		return nil, fmt.Errorf("%w: %s is a symbolic link to a file outside its directory, or to no file", abi.ErrDenied, name)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %v", abi.ErrDenied, err)
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%w: %s is not a regular file", abi.ErrDenied, name)
	}
	f, err := dir.Open(name)
	if err != nil {
		return nil, homedir.DiskError("file", err)
	}
	defer f.Close()
	return homedir.ReadAtMost(f, strictyaml.MaxFileBytes)
}
