package diff

import (
	"strings"

	"github.com/mcpctl/mcpctl/plugins/src/internal/caption"
	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
)

// maxLines is how many files are listed without groups, and how many lines a list
// of groups may have.
const maxLines = 24

// maxLevels bounds groups in groups.
const maxLevels = 4

// folder is a group of files.
type folder struct {
	path  string
	files []int32
}

// grouped adds files in groups by the folders they are in, these again if they
// hold many. It reports whether there are any.
func (w *writer) grouped(files []int32, parent int32, levels int) bool {
	var list []folder
	ok := levels > 0
	if ok {
		list, ok = w.byFolder(files)
	}
	if !ok {
		for _, i := range files {
			w.file(int(i), parent)
		}
		return false
	}
	for _, f := range list {
		if len(f.files) == 1 {
			w.file(int(f.files[0]), parent)
			continue
		}
		at := w.add(span{}, parent, ofFolder, len(w.folders))
		w.doc.Parts[at].Kind = part.Group
		w.folders = append(w.folders, f)
		w.grouped(f.files, at, levels-1)
	}
	return true
}

// byFolder tells files apart by the folder behind what all their paths begin with,
// in the order of their first files. A file that stands in none is alone. It
// reports whether that makes a list worth it.
func (w *writer) byFolder(files []int32) (list []folder, ok bool) {
	if len(files) <= maxLines {
		return nil, false
	}
	shared := w.sharedFolder(files)
	at, folders := make(map[string]int), 0
	for _, i := range files {
		path := w.path(&w.files[i], w.files[i].is)
		n := strings.IndexByte(path[len(shared):], '/')
		if n < 0 {
			list = append(list, folder{path, []int32{i}})
		} else if name := path[:len(shared)+n+1]; at[name] > 0 {
			f := &list[at[name]-1]
			if f.files = append(f.files, i); len(f.files) == 2 {
				folders++
			}
		} else {
			list = append(list, folder{name, []int32{i}})
			at[name] = len(list)
		}
		if len(list) > maxLines {
			return nil, false
		}
	}
	return list, folders > 0
}

// sharedFolder is what the paths of all files begin with, up to a slash.
func (w *writer) sharedFolder(files []int32) string {
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

// nameFolder calls a group by its path and says what changes in it, and in which
// files.
func (w *writer) nameFolder(f *folder, n *part.Name) {
	n.ID = append(n.ID, strings.TrimSuffix(f.path, "/")...)
	plus, minus := int32(0), int32(0)
	var names []string
	for k, i := range f.files {
		plus, minus = plus+w.files[i].plus, minus+w.files[i].minus
		if k < maxLines {
			names = append(names, strings.TrimPrefix(w.path(&w.files[i], w.files[i].is), f.path))
		}
	}
	n.Title = append(n.Title, caption.Count(len(f.files), "file")+" "+changes(plus, minus)+": "...)
	n.Title = caption.Append(n.Title, []byte(strings.Join(names, ", ")), maxTitle-len(n.Title))
}
