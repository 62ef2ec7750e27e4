package jsonrpc

import (
	"bytes"

	"github.com/mcpctl/mcpctl/host/jsonspan"
)

// Marks describe the keys of a result that matter to a proxy of MCP. The decoder records
// them, so that large results are not searched again.
type Marks struct {
	Known  bool // the other fields are valid
	Own    bool // a key at any depth starts with "mcpctl/", or contains an escape and so might
	Failed bool // the last isError of the result itself is true
}

var ownPrefix = []byte(`"mcpctl/`)

// scan returns the end of the result at b[at] and records its marks.
func (m *Marks) scan(b []byte, at int) (end int, err error) {
	m.Known = true
	return jsonspan.Scan(b, at, jsonspan.Rules{Key: func(key []byte, depth, after int) {
		switch {
		case depth == 1 && jsonspan.KeyIs(key, "isError"):
			at := jsonspan.SkipBlank(b, after)
			m.Failed = at < len(b) && b[at] == 't'
		case bytes.HasPrefix(key, ownPrefix), bytes.IndexByte(key, '\\') >= 0:
			m.Own = true
		}
	}})
}
