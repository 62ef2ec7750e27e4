package result

import (
	"github.com/mcpctl/mcpctl/host/jsonspan"
	"github.com/mcpctl/mcpctl/host/proxy/jsonedit"
)

func (l *Layout) contentBlock(at int) int { return l.block(at, true) }

// block adds the parts of one block. A content block is typed by its member type; the
// contents of a resource are text if they have a member text.
func (l *Layout) block(at int, typed bool) int {
	p := part{block: at, resource: !typed}
	var kind, resource jsonspan.Member
	end := l.eachMember(at, func(key []byte, at int) int {
		m := jsonspan.Member{Start: at, End: l.skip(at)}
		switch {
		case jsonspan.KeyIs(key, "text"):
			p.text = m
		case jsonspan.KeyIs(key, "type"):
			kind = m
		case jsonspan.KeyIs(key, "resource"):
			resource = m
		case jsonspan.KeyIs(key, "mimeType"):
			p.mime = m
		case jsonspan.KeyIs(key, "uri"):
			p.uri = m
		case jsonspan.KeyIs(key, "_meta"):
			p.meta = m
		}
		return m.End
	})
	if p.meta.End > 0 {
		l.metas = append(l.metas, p.meta)
	}
	switch {
	case (!typed || l.isText(kind, "text")) && l.isString(p.text):
		l.add(p)
	case typed && l.isText(kind, "resource") && jsonspan.KindAt(l.raw, resource.Start) == jsonspan.Object:
		l.addEmbedded(p, resource)
	case typed:
		p.text = jsonspan.Member{Start: p.block, End: end}
		l.addBlockForFilters(p, kind)
	default:
		l.addForFilters(p)
	}
	return end
}

// addEmbedded adds the text of a resource in a content block. Servers answer whole
// files this way.
func (l *Layout) addEmbedded(p part, resource jsonspan.Member) {
	p.embedded = true
	p.text = jsonedit.MemberAt(l.raw, resource.Start, "text")
	p.mime = jsonedit.MemberAt(l.raw, resource.Start, "mimeType")
	p.uri = jsonedit.MemberAt(l.raw, resource.Start, "uri")
	if meta := jsonedit.MemberAt(l.raw, resource.Start, "_meta"); meta.End > 0 {
		l.metas = append(l.metas, meta)
	}
	if l.isString(p.text) {
		l.add(p)
	} else {
		l.addForFilters(p)
	}
}

// addBlockForFilters adds a block that stages do not read; p.text is the whole block.
func (l *Layout) addBlockForFilters(p part, kind jsonspan.Member) {
	if !l.filtered || l.isText(kind, "image") || l.isText(kind, "audio") || l.isText(kind, "resource_link") {
		return
	}
	p.place = inBlock
	l.addForFilters(p)
}

// addForFilters adds a part that only filters read. A value other than a string is
// passed to them as JSON.
func (l *Layout) addForFilters(p part) {
	if !l.filtered || p.text.End == 0 || jsonspan.KindAt(l.raw, p.text.Start) == jsonspan.Null {
		return
	}
	if p.place == inString && !l.isString(p.text) {
		p.place = inData
	}
	p.onlyFilters = true
	l.parts = append(l.parts, p)
}

// maxParts is the number of parts of one result that stages read: each is a run and an
// Original. Further parts are passed on unchanged, unless the answer exceeds its limit.
// Filters read all parts.
const maxParts = 1024

func (l *Layout) add(p part) {
	p.isBeyond = len(l.parts) >= maxParts
	p.onlyFilters = p.isBeyond
	l.parts = append(l.parts, p)
}

// preferStructured makes structuredContent, or the text it wraps, the first part. Stages then read neither the
// text blocks that repeat it nor embedded resources; filters read everything.
func (l *Layout) preferStructured(at jsonspan.Member) {
	blocks := l.parts
	l.parts = []part{{place: inStructured, text: at}}
	if wrapped, key := findWrapped(l.raw, at); wrapped.End > 0 {
		l.parts[0] = part{place: inWrapped, text: wrapped, wrapper: key}
	}
	l.repeated = make(map[int]bool)
	var values valueSet
	for _, p := range blocks {
		if !p.onlyFilters && !p.embedded {
			if values == nil {
				values = valuesOf(l.raw[at.Start:at.End])
			}
			text, err := jsonspan.Unquote(l.raw[p.text.Start:p.text.End])
			p.repeats = err == nil && values.has(text)
			l.repeated[p.block] = p.repeats
		}
		p.onlyFilters = p.onlyFilters || p.embedded || p.repeats
		if l.filtered || !p.onlyFilters {
			l.parts = append(l.parts, p)
		}
	}
}

// isText reports whether the value at m is the string text.
func (l *Layout) isText(m jsonspan.Member, text string) bool {
	return jsonspan.KeyIs(l.raw[m.Start:m.End], text)
}

func (l *Layout) isString(m jsonspan.Member) bool {
	return m.End > 0 && jsonspan.KindAt(l.raw, m.Start) == jsonspan.String
}
