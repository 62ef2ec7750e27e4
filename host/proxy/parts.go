package proxy

import (
	"bytes"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/jsonspan"
)

// part is one piece of a result that a model reads as text: a text block, the
// text of a resource, or structuredContent.
//
// Units: spans of the whole result. Those of what is absent have length 0.
type part struct {
	kind     string          // abi.PartText or abi.PartStructured
	resource bool            // of resources/read: the block has a uri and a type of its own
	block    int             // where the object that holds the text starts
	text     jsonspan.Member // the literal; for structuredContent the value
	meta     jsonspan.Member // _meta of the block
	mime     jsonspan.Member
	uri      jsonspan.Member
}

// layout is what was found in one result.
type layout struct {
	raw     []byte
	parts   []part
	meta    jsonspan.Member   // _meta of the result
	metas   []jsonspan.Member // _meta of every block, read as text or not
	content jsonspan.Member   // tools/call: the array of blocks
	isError bool
}

// toolLayout finds the parts of a tools/call result: structuredContent if there
// is one, since that is what the model is shown, else each text block.
func toolLayout(raw []byte) *layout {
	l := &layout{raw: raw}
	var structured jsonspan.Member
	members(raw, func(key []byte, m jsonspan.Member) bool {
		switch {
		case jsonspan.KeyIs(key, "content"):
			l.content = m
		case jsonspan.KeyIs(key, "structuredContent"):
			structured = m
		case jsonspan.KeyIs(key, "isError"):
			l.isError = raw[m.Start] == 't'
		case jsonspan.KeyIs(key, "_meta"):
			l.meta = m
		}
		return true
	})
	elements(raw, l.content, func(m jsonspan.Member) { l.addBlock(m, true) })
	if k := jsonspan.KindAt(raw, structured.Start); structured.End > 0 && k != jsonspan.Null {
		l.parts = []part{{kind: abi.PartStructured, text: structured}}
	}
	return l
}

// promptLayout finds the text blocks of a prompts/get result: a message holds one
// or, in later protocols, an array of them.
func promptLayout(raw []byte) *layout {
	l := &layout{raw: raw, meta: lastMember(raw, "_meta")}
	elements(raw, lastMember(raw, "messages"), func(msg jsonspan.Member) {
		content := lastMember(raw[msg.Start:msg.End], "content")
		if content.End == 0 {
			return
		}
		at := jsonspan.Member{Start: msg.Start + content.Start, End: msg.Start + content.End}
		elements(raw, at, func(m jsonspan.Member) { l.addBlock(m, true) })
		l.addBlock(at, true)
	})
	return l
}

// resourceLayout finds the texts of a resources/read result.
func resourceLayout(raw []byte) *layout {
	l := &layout{raw: raw, meta: lastMember(raw, "_meta")}
	elements(raw, lastMember(raw, "contents"), func(m jsonspan.Member) { l.addBlock(m, false) })
	return l
}

// addBlock reads one block. A content block says what it is by its type; the
// contents of a resource are text if they have a text.
func (l *layout) addBlock(at jsonspan.Member, typed bool) {
	p := part{kind: abi.PartText, block: at.Start, resource: !typed}
	isText := !typed
	jsonspan.Children(l.raw, at.Start, func(m jsonspan.Member) bool {
		if m.KeyEnd == 0 {
			return false // an array
		}
		switch key := l.raw[m.KeyStart:m.KeyEnd]; {
		case jsonspan.KeyIs(key, "text"):
			p.text = m
		case jsonspan.KeyIs(key, "type") && typed:
			isText = jsonspan.KeyIs(l.raw[m.Start:m.End], "text")
		case jsonspan.KeyIs(key, "mimeType"):
			p.mime = m
		case jsonspan.KeyIs(key, "uri"):
			p.uri = m
		case jsonspan.KeyIs(key, "_meta"):
			p.meta = m
		}
		return true
	})
	if p.meta.End > 0 {
		l.metas = append(l.metas, p.meta)
	}
	if isText && jsonspan.KindAt(l.raw, p.text.Start) == jsonspan.String && p.text.End > 0 {
		l.parts = append(l.parts, p)
	}
}

// bytes returns what a stage is given for part i: the decoded text of a block,
// the raw value of structuredContent. A text that is no text (half a surrogate
// pair) is not given to any stage: ok is false.
func (l *layout) bytes(i int) (text []byte, ok bool) {
	p := l.parts[i]
	lit := l.raw[p.text.Start:p.text.End]
	if p.kind == abi.PartStructured {
		return lit, true
	}
	text, err := jsonspan.Unquote(lit)
	return text, err == nil
}

// mayForge reports whether raw could hold a key of _meta that is the host's,
// spelled plainly or with escapes. It is there so that results without one are
// not even walked.
func mayForge(raw []byte) bool {
	return bytes.Contains(raw, []byte("mcpctl")) || bytes.Contains(raw, []byte(`\u`))
}

// ownKey reports whether a key of _meta belongs to the host.
func ownKey(lit []byte) bool {
	text, err := jsonspan.Unquote(lit)
	return err == nil && bytes.HasPrefix(text, []byte(abi.MetaPrefix))
}

// keepAll is the drop function of patch.object that drops nothing.
func keepAll([]byte) bool { return false }
