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
	names   []object.Name
	ends    []int // of each entry in text
	text    []byte
}

func newPromptIndex(version int64, rows []store.PromptRow) (*promptIndex, error) {
	x := &promptIndex{version: version}
	for _, p := range rows {
		entry, err := json.Marshal(indexed{p.Name, p.Priority, p.Summary, json.RawMessage(p.Chapters)})
		if err != nil {
			return nil, err
		}
		x.text = append(x.text, entry...)
		x.names, x.ends = append(x.names, object.Name(p.Name)), append(x.ends, len(x.text))
	}
	return x, nil
}

// encode returns the JSON array of the prompts that a caller may see.
func (x *promptIndex) encode(canView func(object.Name) bool) []byte {
	out := append(make([]byte, 0, len(x.text)+len(x.names)+3), '[')
	from := 0
	for i, name := range x.names {
		entry := x.text[from:x.ends[i]]
		from = x.ends[i]
		if !canView(name) {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(out, entry...)
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
	if x, err = newPromptIndex(version, rows); err == nil {
		c.put(project, x)
	}
	return x, err
}

// put keeps an index. If all together become too large, the others are dropped.
func (c *indexCache) put(project object.Name, x *promptIndex) {
	if len(x.text) > maxIndexes {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if old := c.projects[project]; old != nil {
		c.bytes -= len(old.text)
	}
	c.bytes += len(x.text)
	if c.projects == nil || c.bytes > maxIndexes {
		c.projects, c.bytes = make(map[object.Name]*promptIndex), len(x.text)
	}
	c.projects[project] = x
}
