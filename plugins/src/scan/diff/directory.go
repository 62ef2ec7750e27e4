package diff

import (
	"strings"

	"github.com/mcpctl/mcpctl/plugins/src/internal/caption"
	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
)

// maxLines is the number of files that are listed without groups, and the largest number of
// lines of a list of groups.
const maxLines = 24

// maxLevels bounds the nesting of groups.
const maxLevels = 4

// directory is a group of files.
type directory struct {
	path  string
	files []int32
}

// addGroups adds files in groups by their directories, which are grouped again if they
// contain many files. It reports whether there are groups.
func (w *builder) addGroups(files []int32, parent int32, levels int) bool {
	var list []directory
	ok := levels > 0
	if ok {
		list, ok = w.byDirectory(files)
	}
	if !ok {
		for _, i := range files {
			w.addFile(int(i), parent)
		}
		return false
	}
	for _, f := range list {
		if len(f.files) == 1 {
			w.addFile(int(f.files[0]), parent)
			continue
		}
		at := w.add(span{}, parent, ofDirectory, len(w.directories))
		w.doc.Parts[at].Kind = part.Group
		w.directories = append(w.directories, f)
		w.addGroups(f.files, at, levels-1)
	}
	return true
}

// byDirectory groups files by the first directory after the common start of their paths, in
// the order of their first files. A file in no directory is alone. ok reports whether the
// groups are short enough to list, and there are any.
func (w *builder) byDirectory(files []int32) (list []directory, ok bool) {
	if len(files) <= maxLines {
		return nil, false
	}
	shared := w.sharedDirectory(files)
	at, groups := make(map[string]int), 0
	for _, i := range files {
		path := w.path(&w.files[i], w.files[i].is)
		n := strings.IndexByte(path[len(shared):], '/')
		if n < 0 {
			list = append(list, directory{path, []int32{i}})
		} else if name := path[:len(shared)+n+1]; at[name] > 0 {
			f := &list[at[name]-1]
			if f.files = append(f.files, i); len(f.files) == 2 {
				groups++
			}
		} else {
			list = append(list, directory{name, []int32{i}})
			at[name] = len(list)
		}
		if len(list) > maxLines {
			return nil, false
		}
	}
	return list, groups > 0
}

// sharedDirectory returns the directory that the paths of all files begin with, with its slash.
func (w *builder) sharedDirectory(files []int32) string {
	shared := w.path(&w.files[files[0]], w.files[files[0]].is)
	for _, i := range files {
		path, n := w.path(&w.files[i], w.files[i].is), 0
		for n < len(shared) && n < len(path) && shared[n] == path[n] {
			n++
		}
		shared = shared[:n]
	}
	return shared[:strings.LastIndexByte(shared, '/')+1]
}

// nameDirectory names a group by its path. The title describes the changes and lists the files.
func (w *builder) nameDirectory(f *directory, n *part.Name) {
	n.ID = append(n.ID, strings.TrimSuffix(f.path, "/")...)
	plus, minus := int32(0), int32(0)
	var names []string
	for k, i := range f.files {
		plus, minus = plus+w.files[i].plus, minus+w.files[i].minus
		if k < maxLines {
			names = append(names, strings.TrimPrefix(w.path(&w.files[i], w.files[i].is), f.path))
		}
	}
	n.Title = append(n.Title, caption.Count(len(f.files), "file")+" "+formatChanges(plus, minus)+": "...)
	n.Title = caption.Append(n.Title, []byte(strings.Join(names, ", ")), maxTitle-len(n.Title))
}
