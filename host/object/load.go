package object

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
)

// fileExtensions are those of the files of the home; .md for prompts only.
var fileExtensions = []string{".yaml", ".md"}

// loader collects one Snapshot.
type loader struct {
	prev     *Snapshot
	objects  map[Key]Object
	hashes   map[string][32]byte // of the content an active Object came from
	seen     map[string][32]byte // of everything that was read
	broken   map[string]bool
	stats    map[string]fs.FileInfo // of the files that isUnchanged may compare
	problems []Problem
}

func newLoader(prev *Snapshot) *loader {
	return &loader{prev: prev, objects: make(map[Key]Object), hashes: make(map[string][32]byte),
		seen: make(map[string][32]byte), broken: make(map[string]bool), stats: make(map[string]fs.FileInfo)}
}

// folder reads the folder of one Kind; one that is not there is empty.
func (l *loader) folder(home *os.Root, kind Kind) {
	dir, entries, err := openFolder(home, kind.Folder())
	if err != nil {
		l.lostFolder(kind.Folder(), err)
		return
	}
	if dir == nil {
		return
	}
	defer dir.Close()
	for _, e := range entries {
		switch {
		case !kind.Scoped():
			l.file(dir, kind, "", kind.Folder(), e)
		case e.IsDir(), e.Type() == fs.ModeSymlink && path.Ext(e.Name()) == "":
			l.project(dir, kind, e.Name())
		case !ignored(e.Name()):
			l.problem(Problem{File: path.Join(kind.Folder(), e.Name()), Err: fmt.Errorf(
				"%w: %s stands beside the folders of the projects, want %s/PROJECT/%s",
				abi.ErrConfig, e.Name(), kind.Folder(), e.Name())})
		}
	}
}

// project reads the folder of one project's prompts.
func (l *loader) project(parent *os.Root, kind Kind, name string) {
	where := path.Join(kind.Folder(), name)
	project, err := ParseName(name)
	if hidden(name) {
		return
	}
	if err != nil {
		l.problem(Problem{File: where, Err: err})
		return
	}
	dir, entries, err := openFolder(parent, name)
	if err != nil {
		l.lostFolder(where, err)
		return
	}
	if dir == nil {
		if _, err := parent.Lstat(name); err == nil { // else it went just now
			l.problem(Problem{File: where, Err: fmt.Errorf("%w: %s is a link that leads nowhere", abi.ErrNotFound, where)})
		}
		return
	}
	defer dir.Close()
	for _, e := range entries {
		l.file(dir, kind, project, where, e)
	}
}

// openFolder opens a folder as a root of its own; nil if it does not exist.
func openFolder(parent *os.Root, name string) (*os.Root, []fs.DirEntry, error) {
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

// hidden reports whether a name is an editor's or of a file being written.
func hidden(name string) bool {
	return name[0] == '.' || name[0] == '#' || strings.HasSuffix(name, "~")
}

// ignored reports whether a file is hidden or no Object's at all.
func ignored(name string) bool {
	ext := path.Ext(name)
	return hidden(name) || ext != ".yml" && !slices.Contains(fileExtensions, ext)
}

func (l *loader) problem(p Problem) { l.problems = append(l.problems, p) }

// lostFolder keeps what a folder held that cannot be read now.
func (l *loader) lostFolder(where string, err error) {
	kept := false
	for key, o := range l.prev.objects {
		if strings.HasPrefix(o.File(), where+"/") {
			l.objects[key], l.hashes[o.File()] = o, l.prev.hashes[o.File()]
			kept = true
		}
	}
	l.problem(Problem{File: where, Err: diskError("folder "+where, err), Kept: kept})
}

// file reads one file of a folder.
func (l *loader) file(dir *os.Root, kind Kind, project Name, where string, e fs.DirEntry) {
	base := e.Name()
	if ignored(base) || e.IsDir() {
		return
	}
	file := path.Join(where, base)
	ext := path.Ext(base)
	stem := strings.TrimSuffix(base, ext)
	name, err := ParseName(stem)
	switch {
	case ext == ".yml":
		err = fmt.Errorf("%w: %s is not read, name it %s.yaml", abi.ErrConfig, base, stem)
	case ext == ".md" && !kind.Scoped():
		return
	}
	key := Key{kind, project, name}
	if err != nil {
		l.problem(Problem{File: file, Err: err})
		return
	}
	if l.isUnchanged(e, file, key) {
		l.stats[file] = l.prev.stats[file]
		l.add(file, key, l.prev.objects[key], l.prev.hashes[file])
		return
	}
	data, err := readRegular(dir, base)
	if _, gone := dir.Lstat(base); err != nil && errors.Is(gone, fs.ErrNotExist) {
		l.keep(file, key) // it went just now, or is being replaced: there will be another look
		return
	}
	if err != nil {
		l.fail(file, key, err)
		return
	}
	l.content(file, key, data)
}

// timestampStep is more than the step in which common file systems set the modification
// time. A file that was modified within it may change again without another time.
const timestampStep = 20 * time.Millisecond

// isUnchanged reports whether a file is the one that the previous Snapshot read: the
// same inode, size and modification time. If it cannot tell, the file's time goes into
// l.stats for the next load, and the caller reads the file.
func (l *loader) isUnchanged(e fs.DirEntry, file string, key Key) bool {
	now := time.Now()
	info, err := e.Info()
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	o, known := l.prev.objects[key]
	before := l.prev.stats[file]
	if before != nil && known && o.File() == file && l.prev.hashes[file] == l.prev.read[file] &&
		os.SameFile(before, info) && before.Mode() == info.Mode() && before.Size() == info.Size() && before.ModTime().Equal(info.ModTime()) {
		return true
	}
	step := timestampStep
	if info.ModTime().Nanosecond() == 0 { // a file system that counts seconds, FAT in steps of two
		step = 3 * time.Second
	}
	if now.Sub(info.ModTime()) > step {
		l.stats[file] = info
	}
	return false
}

// content makes an Object of the bytes of a file.
func (l *loader) content(file string, key Key, data []byte) {
	sum := sha256.Sum256(data)
	l.seen[file] = sum
	o, same := l.prev.objects[key]
	if !same || o.File() != file || l.prev.hashes[file] != sum {
		var err error
		if o, err = decodeFile(file, key, data); err != nil {
			l.fail(file, key, err)
			return
		}
	}
	l.add(file, key, o, sum)
}

// add makes an Object of a file active, unless another file holds it too.
func (l *loader) add(file string, key Key, o Object, sum [32]byte) {
	l.seen[file] = sum
	if other, twice := l.objects[key]; twice {
		l.fail(file, key, fmt.Errorf("%w: %s is also in %s, remove one of the two", abi.ErrConflict, key, other.File()))
		return
	}
	l.objects[key], l.hashes[file] = o, sum
	if len(o.head().warns) > 0 {
		l.problem(Problem{File: file, Key: key, Err: o.head().warns, Warning: true})
	}
}

// fail reports a broken file and keeps the Object it held before.
func (l *loader) fail(file string, key Key, err error) {
	l.broken[file] = true
	l.problem(Problem{File: file, Key: key, Err: err, Kept: l.keep(file, key)})
}

// keep takes over the Object that a file held before, if there is one.
func (l *loader) keep(file string, key Key) bool {
	o, ok := l.prev.objects[key]
	if !ok || o.File() != file {
		return false
	}
	l.objects[key], l.hashes[file] = o, l.prev.hashes[file]
	return true
}

func (l *loader) snapshot() *Snapshot {
	h := sha256.New()
	for _, file := range slices.Sorted(maps.Keys(l.seen)) {
		sum := l.seen[file]
		fmt.Fprintf(h, "%d:%s%x", len(file), file, sum)
	}
	return &Snapshot{revision: hex.EncodeToString(h.Sum(nil)[:16]), objects: l.objects, hashes: l.hashes, read: l.seen, stats: l.stats}
}

// decodeFile reads the one Object that a file of the home holds.
func decodeFile(file string, key Key, data []byte) (Object, error) {
	if path.Ext(file) == ".md" {
		o, errs := decodePromptFile(file, data, key)
		return o, errs.Err()
	}
	objects, warnings, err := Decode(file, data)
	if err != nil {
		return nil, err
	}
	src := newSource(file, string(data))
	switch {
	case len(objects) == 0:
		return nil, Errors{src.Errorf(Position{1, 1}, key.String(), "", "file is empty")}
	case len(objects) > 1:
		return nil, Errors{src.Errorf(objects[1].head().at, key.String(), "", "file holds %d documents, want one", len(objects))}
	}
	o := objects[0]
	if got := o.Key(); got != key {
		e := src.Errorf(o.head().at, "", "", "%s stands in the file of %s", got, key)
		e.Cause = "a file is named like its object: " + fileName(got, path.Ext(file))
		return nil, Errors{e}
	}
	o.head().warns = warnings
	return o, nil
}

// fileName is where an Object of a Key lives, relative to the home.
func fileName(key Key, ext string) string {
	return path.Join(key.Kind.Folder(), string(key.Project), string(key.Name)+ext)
}

// readRegular reads a regular file through its folder's root: a link may lead
// to another file of the folder, not out of it.
func readRegular(dir *os.Root, name string) ([]byte, error) {
	info, err := dir.Stat(name)
	if entry, _ := dir.Lstat(name); err != nil && entry != nil && entry.Mode().Type() == fs.ModeSymlink {
		return nil, fmt.Errorf("%w: %s is a symbolic link that is not followed: it leads to no file of its folder", abi.ErrDenied, name)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %v", abi.ErrDenied, err)
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%w: %s is not a regular file", abi.ErrDenied, name)
	}
	f, err := dir.Open(name)
	if err != nil {
		return nil, diskError("file", err)
	}
	defer f.Close()
	return readBounded(f)
}
