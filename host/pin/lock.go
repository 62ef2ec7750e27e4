package pin

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/filelock"
	"github.com/mcpctl/mcpctl/host/homedir"
	"github.com/mcpctl/mcpctl/internal/atomicfile"
)

// Limits of tools.lock.
const (
	maxLock  = 256 << 20
	maxTools = 2000     // of a server; the others are not recorded
	maxName  = 256      // bytes of a tool's name; a tool with a longer one is not recorded
	maxText  = 64 << 10 // bytes of a definition that is kept as text; of a larger one only the hash is
	maxTexts = 1 << 20  // bytes of all texts of a server
)

// Lock is the content of tools.lock.
type Lock struct {
	Servers map[string]*Server `json:"servers"`
}

// Server holds the tools of one server by name.
type Server struct {
	Tools map[string]*Tool `json:"tools"`
}

// Tool is one tool of a server.
type Tool struct {
	Approved *Version `json:"approved,omitempty"` // nil: a tool that was added after the first list
	Seen     *Version `json:"seen,omitempty"`     // the last list has this definition instead, which is not approved
	Changes  int      `json:"changes,omitempty"`  // different definitions since the approval
}

// Version is one definition of a tool.
type Version struct {
	SHA256     string    `json:"sha256"`               // of the canonical form
	Definition string    `json:"definition,omitempty"` // the canonical form; empty if it is too large
	Time       time.Time `json:"time"`                 // of the approval, or when it was listed first
}

// Read reads tools.lock of a home. A missing file is an empty lock.
//
// Errors: abi.ErrConfig for an invalid file.
func Read(home homedir.Dir) (*Lock, error) {
	l, path := &Lock{Servers: make(map[string]*Server)}, home.ToolsLock()
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return l, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := homedir.ReadAtMost(f, maxLock)
	if err != nil {
		return nil, err
	}
	if len(text) > maxLock {
		return nil, fmt.Errorf("%w: %s has more than %d bytes", abi.ErrConfig, path, maxLock)
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(l); err != nil {
		return nil, fmt.Errorf("%w: %s: %v", abi.ErrConfig, path, err)
	}
	if err := l.check(); err != nil {
		return nil, fmt.Errorf("%w: %s: %v", abi.ErrConfig, path, err)
	}
	return l, nil
}

// check rejects null in place of an object, and a text that has another hash.
func (l *Lock) check() error {
	if l.Servers == nil {
		l.Servers = make(map[string]*Server)
	}
	for name, s := range l.Servers {
		if s == nil {
			return fmt.Errorf("server %q is null", name)
		}
		for tool, t := range s.Tools {
			if t == nil || t.Approved == nil && t.Seen == nil {
				return fmt.Errorf("server %q: tool %q has no definition", name, tool)
			}
			for _, v := range []*Version{t.Approved, t.Seen} {
				if v != nil && v.Definition != "" && sum(v.Definition) != v.SHA256 {
					return fmt.Errorf("server %q: the hash of tool %q is not that of its definition", name, tool)
				}
			}
		}
	}
	return nil
}

// Update changes tools.lock: it reads the file, calls change, and writes the result unless
// change returns an error. No other process can change the file meanwhile.
func Update(home homedir.Dir, change func(*Lock) error) error {
	f, err := os.OpenFile(home.ToolsMutex(), os.O_RDWR|os.O_CREATE, homedir.FileMode)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := filelock.Lock(f); err != nil {
		return err
	}
	defer func() { _ = filelock.Unlock(f) }()
	l, err := Read(home)
	if err != nil {
		return err
	}
	if err := change(l); err != nil {
		return err
	}
	text, err := json.MarshalIndent(l, "", "  ")
	if err != nil {
		return err
	}
	return atomicfile.Write(home.ToolsLock(), append(text, '\n'), homedir.FileMode)
}

// Pending returns the names of the tools that wait for approval, sorted.
func (s *Server) Pending() (names []string) {
	if s == nil {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(s.Tools)) {
		if s.Tools[name].Seen != nil {
			names = append(names, name)
		}
	}
	return names
}

// Approve makes the definition that was listed last the approved one.
func (t *Tool) Approve(now time.Time) {
	t.Approved, t.Seen, t.Changes = &Version{t.Seen.SHA256, t.Seen.Definition, now}, nil, 0
}

// version returns a definition as it is kept, with its text if free bytes allow it.
func version(d Definition, now time.Time, free *int) *Version {
	v := &Version{SHA256: d.SHA256, Time: now}
	if len(d.Text) <= min(maxText, *free) {
		v.Definition = d.Text
		*free -= len(d.Text)
	}
	return v
}

// free returns the number of bytes of texts that may be added to a server.
func (s *Server) free() int {
	n := maxTexts
	for _, t := range s.Tools {
		for _, v := range []*Version{t.Approved, t.Seen} {
			if v != nil {
				n -= len(v.Definition)
			}
		}
	}
	return n
}

// canRecord reports whether a tool fits into the limits.
func (s *Server) canRecord(name string) bool {
	return len(name) <= maxName && (s.Tools[name] != nil || len(s.Tools) < maxTools)
}

// newServer returns the record of a server that has been listed for the first time: all its
// tools are approved.
func newServer(list []Definition, now time.Time) *Server {
	s := &Server{Tools: make(map[string]*Tool)}
	free := maxTexts
	for _, d := range list {
		if s.canRecord(d.Name) {
			s.Tools[d.Name] = &Tool{Approved: version(d, now, &free)}
		}
	}
	return s
}

// approved returns the approved definition of a tool, nil if there is none.
func (s *Server) approved(tool string) *Version {
	if s == nil || s.Tools[tool] == nil {
		return nil
	}
	return s.Tools[tool].Approved
}

// countOthers returns the number of listed tools that are not recorded.
func (s *Server) countOthers(list []Definition) (n int) {
	for _, d := range list {
		if s == nil || s.Tools[d.Name] == nil {
			n++
		}
	}
	return n
}

// after returns the server after it has listed these tools; s is nil before the first
// list. changed are the tools whose definition is neither the approved one nor the one
// listed before. after returns s itself if nothing is different, and does not modify it.
func (s *Server) after(list []Definition, now time.Time) (next *Server, changed []string) {
	if s != nil {
		return s.compare(list, now)
	}
	if len(list) == 0 {
		return nil, nil // it has no tools yet
	}
	return newServer(list, now), nil
}

// compare is after for a server that was listed before.
func (s *Server) compare(list []Definition, now time.Time) (next *Server, changed []string) {
	next = &Server{Tools: make(map[string]*Tool, len(s.Tools))}
	same := true
	listed := make(map[string]bool, len(list))
	for _, d := range list {
		listed[d.Name] = true
	}
	for name, t := range s.Tools {
		switch {
		case listed[name] || t.Seen == nil:
			next.Tools[name] = t
		case t.Approved != nil: // removed: its next definition is compared with the approved one
			next.Tools[name] = &Tool{Approved: t.Approved, Changes: t.Changes}
			same = false
		default:
			same = false
		}
	}
	free := next.free()
	for _, d := range list {
		if !next.canRecord(d.Name) {
			continue
		}
		t := next.Tools[d.Name]
		if t == nil {
			t = new(Tool)
		}
		switch {
		case t.Approved != nil && t.Approved.SHA256 == d.SHA256 && t.Seen == nil, t.Seen != nil && t.Seen.SHA256 == d.SHA256:
			continue
		case t.Approved != nil && t.Approved.SHA256 == d.SHA256:
			next.Tools[d.Name] = &Tool{Approved: t.Approved, Changes: t.Changes}
		default:
			if t.Seen != nil {
				free += len(t.Seen.Definition)
			}
			next.Tools[d.Name] = &Tool{Approved: t.Approved, Seen: version(d, now, &free), Changes: t.Changes + 1}
			changed = append(changed, d.Name)
		}
		same = false
	}
	if same {
		return s, nil
	}
	return next, changed
}
