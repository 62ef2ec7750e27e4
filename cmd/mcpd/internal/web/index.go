package web

import (
	"encoding/json"
	"sync"

	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/store"
	"github.com/mcpctl/mcpctl/host/object"
)

// indexed is one entry of the prompt index.
type indexed struct {
	Name     string          `json:"name"`
	Priority int64           `json:"priority"`
	Summary  string          `json:"summary"`
	Chapters json.RawMessage `json:"chapters"`
}

// promptIndex is the encoded prompt index of a project, with all prompts.
type promptIndex struct {
	version int64
	entries []indexEntry
	bytes   int // of all entries
}

// indexEntry is one encoded prompt.
type indexEntry struct {
	name    object.Name
	version int64
	text    []byte
}

// newPromptIndex encodes rows. Those that old, which may be nil, has in the same version are
// not encoded again.
func newPromptIndex(version int64, rows []store.PromptRow, old *promptIndex) (*promptIndex, error) {
	known := make(map[object.Name]indexEntry)
	if old != nil {
		for _, e := range old.entries {
			known[e.name] = e
		}
	}
	x := &promptIndex{version: version, entries: make([]indexEntry, len(rows))}
	for i, p := range rows {
		e, ok := known[object.Name(p.Name)]
		if !ok || e.version != p.Version {
			text, err := json.Marshal(indexed{p.Name, p.Priority, p.Summary, json.RawMessage(p.Chapters)})
			if err != nil {
				return nil, err
			}
			e = indexEntry{object.Name(p.Name), p.Version, text}
		}
		x.entries[i] = e
		x.bytes += len(e.text)
	}
	return x, nil
}

// encode returns the JSON array of the prompts that a caller may see.
func (x *promptIndex) encode(canView func(object.Name) bool) []byte {
	out := append(make([]byte, 0, x.bytes+len(x.entries)+3), '[')
	for _, e := range x.entries {
		if !canView(e.name) {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(out, e.text...)
	}
	return append(out, "]\n"...)
}

// maxIndexes is the size of the indexes that an indexCache keeps, in bytes of their texts.
const maxIndexes = 32 << 20

// indexCache keeps encoded prompt indexes of their current version. Its zero value is empty.
// It is safe for concurrent use.
type indexCache struct {
	mu       sync.Mutex
	projects map[object.Name]*promptIndex
	bytes    int
}

// get returns the index of a version of a project's prompts. read is called if the cache does
// not have it.
func (c *indexCache) get(project object.Name, version int64, read func() ([]store.PromptRow, error)) (*promptIndex, error) {
	c.mu.Lock()
	x := c.projects[project]
	c.mu.Unlock()
	if x != nil && x.version == version {
		return x, nil
	}
	rows, err := read()
	if err != nil {
		return nil, err
	}
	if x, err = newPromptIndex(version, rows, x); err == nil {
		c.put(project, x)
	}
	return x, err
}

// put keeps an index. If all together become too large, the others are dropped.
func (c *indexCache) put(project object.Name, x *promptIndex) {
	if x.bytes > maxIndexes {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if old := c.projects[project]; old != nil {
		c.bytes -= old.bytes
	}
	c.bytes += x.bytes
	if c.projects == nil || c.bytes > maxIndexes {
		c.projects, c.bytes = make(map[object.Name]*promptIndex), x.bytes
	}
	c.projects[project] = x
}
