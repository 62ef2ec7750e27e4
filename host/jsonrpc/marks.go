package jsonrpc

import (
	"bytes"

	"github.com/mcpctl/mcpctl/host/jsonspan"
)

// Marks are what the pass that checked a result saw of the keys that mean
// something to a proxy of MCP: so nobody need search 128 KB for them again.
type Marks struct {
	Known  bool // false: nothing was noted, so nothing is known
	Own    bool // a key at any depth starts with "mcpctl/", or holds an escape and so might
	Failed bool // the last isError of the result itself is true
}

var ownPrefix = []byte(`"mcpctl/`)

// scan finds the end of the result at b[at] and notes its marks.
func (m *Marks) scan(b []byte, at int) (end int, err error) {
	m.Known = true
	return jsonspan.Scan(b, at, jsonspan.Rules{Key: func(key []byte, depth, behind int) {
		switch {
		case depth == 1 && jsonspan.KeyIs(key, "isError"):
			at := jsonspan.SkipBlank(b, behind)
			m.Failed = at < len(b) && b[at] == 't'
		case bytes.HasPrefix(key, ownPrefix), bytes.IndexByte(key, '\\') >= 0:
			m.Own = true
		}
	}})
}
