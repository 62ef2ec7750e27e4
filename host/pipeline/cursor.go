package pipeline

import (
	"crypto/sha256"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
)

// cursor is the Content between two steps: bytes with their marks, and the tree.
// Values from the cache are decoded only when a step needs them.
type cursor struct {
	bytes  []byte
	hash   [32]byte
	hashed bool   // hash is set
	text   []byte // the last bytes without marks: the content that an index in bytes describes

	shapeHash [32]byte
	shape     []byte // encoded; nil once marks and tree are set
	marks     []abi.Mark
	tree      abi.Tree
}

// emptyShape is the hash of no marks and no tree.
var emptyShape = sha256.Sum256(appendShape(nil, nil, &abi.Tree{}))

// startAt returns the cursor before the first step. hash is that of the Content, if known.
func startAt(c *flow.Content, hash *[32]byte) cursor {
	cur := cursor{bytes: c.Bytes, text: c.Bytes, shapeHash: emptyShape}
	if hash != nil {
		cur.hash, cur.hashed = *hash, true
	}
	return cur
}

// sum returns the hash of the bytes. It is computed once, because 120 KB cost 70
// us.
func (c *cursor) sum() [32]byte {
	if !c.hashed {
		c.hash, c.hashed = sha256.Sum256(c.bytes), true
	}
	return c.hash
}

// open decodes marks and tree.
func (c *cursor) open() (err error) {
	if c.shape == nil {
		return nil
	}
	c.marks, c.tree, err = decodeShape(c.shape)
	c.shape = nil
	return err
}

// take replaces the Content by the result of a run.
func (c *cursor) take(v *value) {
	if !v.pass {
		c.bytes, c.hash, c.hashed = v.output, v.hash, true
		if !v.hasMarks() {
			c.text = v.output
		}
	}
	c.shape, c.shapeHash = v.shape, v.shapeHash
}

// write replaces the bytes by a text of the host and keeps the tree.
func (c *cursor) write(text []byte) {
	if c.open() != nil {
		c.tree = abi.Tree{}
	}
	c.bytes, c.text, c.hashed, c.marks = text, text, false, nil
	c.shapeHash = sha256.Sum256(appendShape(nil, nil, &c.tree))
}
