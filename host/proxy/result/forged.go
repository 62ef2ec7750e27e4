package result

import (
	"bytes"

	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/jsonspan"
	"github.com/mcpctl/mcpctl/host/proxy/jsonedit"
)

// MayForge reports whether raw could contain a key of _meta that only the host may set,
// spelled plainly or with escapes (those of its letters are all \u00xx). It spares most
// results a walk, so it must be fast: it searches for the letter u because backslashes
// are frequent in quoted text.
func MayForge(raw []byte) bool {
	return bytes.Contains(raw, []byte("mcpctl")) || bytes.Contains(raw, []byte("u00"))
}

// MayForgeReply is MayForge for a server's reply, using the marks of its decoder.
func MayForgeReply(reply flow.Reply) bool {
	if reply.Marks.Known {
		return reply.Marks.Own
	}
	return MayForge(reply.Result)
}

// RemoveForged adds an edit to p that removes the host's keys from the object at
// Source[start], which is a _meta.
func RemoveForged(p *jsonedit.Patch, start int) { p.EditObject(start, isHostKey) }

// isHostKey reports whether only the host may set a key of _meta.
func isHostKey(lit []byte) bool {
	text, err := jsonspan.Unquote(lit)
	return err == nil && bytes.HasPrefix(text, []byte(flow.MetaPrefix))
}
