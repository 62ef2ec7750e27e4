package object

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
)

// filesOf returns the files that an Object may be in, in the order of a folder.
func filesOf(key Key) []string {
	return []string{fileName(key, ".md"), fileName(key, ".yaml")}
}

// with returns a loader that has found what part found in the files of keys, and what l
// found in all others.
func (l *loader) with(part *loader, keys []Key) *loader {
	out := &loader{prev: part.prev, objects: maps.Clone(l.objects), hashes: maps.Clone(l.hashes), seen: maps.Clone(l.seen), broken: maps.Clone(l.broken)}
	replaced := make(map[string]bool)
	for _, key := range keys {
		delete(out.objects, key)
		for _, file := range filesOf(key) {
			replaced[file] = true
			delete(out.hashes, file)
			delete(out.seen, file)
			delete(out.broken, file)
		}
	}
	maps.Copy(out.objects, part.objects)
	maps.Copy(out.hashes, part.hashes)
	maps.Copy(out.seen, part.seen)
	maps.Copy(out.broken, part.broken)
	for _, p := range l.problems {
		if !replaced[p.File] {
			out.problem(p)
		}
	}
	out.problems = append(out.problems, part.problems...)
	return out
}

// object reads the files of one Object. It reports whether the folder could be read as
// folder and project read it; otherwise only they describe what is wrong.
func (l *loader) object(home *os.Root, key Key) bool {
	dir, where, err := openKindFolder(home, key)
	if err != nil {
		return false
	}
	defer dir.Close()
	for _, file := range filesOf(key) {
		info, err := dir.Lstat(path.Base(file))
		switch {
		case err == nil:
			l.file(dir, key.Kind, key.Project, where, fs.FileInfoToDirEntry(info))
		case !errors.Is(err, fs.ErrNotExist):
			return false
		}
	}
	return true
}

// openKindFolder opens the folder of an Object's files, each folder on the way as a root
// of its own.
func openKindFolder(home *os.Root, key Key) (dir *os.Root, where string, err error) {
	where = key.Kind.Folder()
	if dir, err = home.OpenRoot(where); err != nil || !key.Kind.Scoped() {
		return dir, where, err
	}
	defer dir.Close()
	project, err := dir.OpenRoot(string(key.Project))
	return project, path.Join(where, string(key.Project)), err
}

// sameFiles reports whether the files of keys are valid and have the content that before
// read.
func (l *loader) sameFiles(before *loader, keys []Key) bool {
	return !slices.ContainsFunc(keys, func(key Key) bool {
		return slices.ContainsFunc(filesOf(key), func(file string) bool {
			return l.seen[file] != before.seen[file] || l.broken[file] || before.broken[file]
		})
	})
}
