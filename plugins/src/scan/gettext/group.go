package gettext

import (
	"bytes"
	"strings"

	"github.com/mcpctl/mcpctl/plugins/src/internal/caption"
	"github.com/mcpctl/mcpctl/plugins/src/internal/items"
	"github.com/mcpctl/mcpctl/plugins/src/rows"
)

// maxGroups is the number of source files with a group each.
const maxGroups = 1 << 12

// groups groups many messages by the source files that they refer to, and many files by
// their directories; without references by their contexts. It returns nil if there are
// too many files, or few messages with one.
func (s *scanner) groups() []items.Group {
	if len(s.messages) <= rows.MaxLines {
		return nil
	}
	if files := s.divide(s.file); files != nil {
		s.grouped = "source file"
		if len(files) > rows.MaxLines {
			return s.byDirectory(files)
		}
		return files
	}
	if contexts := s.divide(func(i int) []byte { return s.appendText(nil, s.messages[i].context, rows.MaxTitle) }); contexts != nil {
		s.grouped = "context"
		return contexts
	}
	return nil
}

// divide groups the messages by a label. The header and obsolete messages are in no group.
// It returns nil if there are not at least two groups or half of the messages have no label.
func (s *scanner) divide(label func(i int) []byte) []items.Group {
	at := make(map[string]int)
	var groups []items.Group
	rest := 0
	for i := range s.messages {
		m := &s.messages[i]
		if m.isHeader || m.obsolete {
			continue
		}
		name := label(i)
		if len(name) == 0 {
			rest++
			continue
		}
		k, ok := at[string(name)]
		if !ok {
			if k = len(groups); k == maxGroups {
				return nil
			}
			at[string(name)] = k
			groups = append(groups, items.Group{ID: string(name)})
		}
		groups[k].Members = append(groups[k].Members, int32(i))
	}
	if len(groups) < 2 || rest*2 > len(s.messages) {
		return nil
	}
	for k := range groups {
		g := &groups[k]
		g.Title = s.title(g.ID, g)
	}
	return groups
}

// byDirectory groups source files by the first directory after the one that contains all
// of them. A file that is alone in it stays as it is.
func (s *scanner) byDirectory(files []items.Group) []items.Group {
	shared := files[0].ID
	for i := range files {
		n := 0
		for n < len(shared) && n < len(files[i].ID) && shared[n] == files[i].ID[n] {
			n++
		}
		shared = shared[:n]
	}
	shared = shared[:strings.LastIndexByte(shared, '/')+1]
	at := make(map[string]int)
	var directories []items.Group
	for _, file := range files {
		n := strings.IndexByte(file.ID[len(shared):], '/')
		if n < 0 {
			directories = append(directories, file)
			continue
		}
		name := file.ID[:len(shared)+n]
		k, ok := at[name]
		if !ok {
			k = len(directories)
			at[name] = k
			directories = append(directories, items.Group{ID: name})
		}
		directories[k].Groups = append(directories[k].Groups, file)
	}
	for k := range directories {
		switch d := &directories[k]; {
		case len(d.Groups) == 1:
			*d = d.Groups[0]
		case len(d.Groups) > 1:
			d.Title = s.title(d.ID+"/", d)
		}
	}
	return directories
}

// file returns the source file of a message, without the number of its line.
func (s *scanner) file(i int) []byte {
	name := s.Slice(s.messages[i].reference)
	for {
		n := bytes.LastIndexByte(name, ':')
		if n <= 0 || len(bytes.Trim(name[n+1:], "0123456789")) > 0 {
			return bytes.TrimPrefix(name, []byte("./"))
		}
		name = name[:n]
	}
}

// title returns a name and the counts of the messages in a group.
func (s *scanner) title(name string, g *items.Group) string {
	var c counts
	s.countGroup(&c, g)
	return caption.Of([]byte(lastBytes(name, rows.MaxTitle/2)+": "+c.String()), rows.MaxTitle)
}

func (s *scanner) countGroup(c *counts, g *items.Group) {
	for _, i := range g.Members {
		c.add(&s.messages[i])
	}
	for k := range g.Groups {
		s.countGroup(c, &g.Groups[k])
	}
}

// lastBytes returns the end of a path that is too long.
func lastBytes(path string, limit int) string {
	if len(path) <= limit {
		return path
	}
	for at := len(path) - limit; at < len(path); at++ {
		if path[at] == '/' {
			return "..." + path[at:]
		}
	}
	return path
}
