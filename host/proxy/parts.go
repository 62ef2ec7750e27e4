package proxy

import (
	"bytes"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/jsonspan"
	"github.com/mcpctl/mcpctl/host/proxy/jsonedit"
)

// part is one piece of a result that a model reads: a text block, the text of a
// resource, or structuredContent.
//
// Units: spans of the whole result. Those of what is absent have length 0.
type part struct {
	place    place
	resource bool            // of resources/read: the block has a uri and a type of its own
	embedded bool            // of a resource in a content block
	block    int             // where the object that holds the text starts
	text     jsonspan.Member // the literal, or the value where the place holds JSON
	meta     jsonspan.Member // _meta of the block
	mime     jsonspan.Member
	uri      jsonspan.Member

	onlyFilters bool // no stage is given it
	repeats     bool // structuredContent holds its text as well
}

// place is what a part is in the result, and so how it is put back.
type place int

const (
	inString     place = iota // a string that holds the text
	inStructured              // structuredContent: its text becomes a block
	inBlock                   // a block of a type unknown to us, as JSON
	inData                    // the data of an error, as JSON
)

// kind is what a stage is told of a part.
func (p part) kind() string {
	if p.place == inString {
		return abi.PartText
	}
	return abi.PartStructured
}

// layout is what was found in one result.
type layout struct {
	raw      []byte
	filtered bool // a filter reads it: parts holds what only filters are given, too
	sifted   bool // filters have read it
	parts    []part
	repeated map[int]bool      // where blocks start whose text structuredContent holds as well
	meta     jsonspan.Member   // _meta of the result
	metas    []jsonspan.Member // _meta of every block, read as text or not
	content  jsonspan.Member   // tools/call: the array of blocks
}

// reader makes the layout of a result; filtered says that a filter reads it.
type reader func(raw []byte, filtered bool) *layout

// toolLayout finds the parts of a tools/call result: structuredContent, and each text
// block that does not repeat it.
func toolLayout(raw []byte, filtered bool) *layout {
	l := &layout{raw: raw, filtered: filtered}
	var structured jsonspan.Member
	l.eachMember(jsonspan.SkipBlank(raw, 0), func(key []byte, at int) int {
		end := at
		switch {
		case jsonspan.KeyIs(key, "content"):
			l.parts = nil // of two the last counts
			end = l.list(at, l.contentBlock)
			l.content = jsonspan.Member{Start: at, End: end}
		case jsonspan.KeyIs(key, "structuredContent"):
			end = l.skip(at)
			structured = jsonspan.Member{Start: at, End: end}
		case jsonspan.KeyIs(key, "_meta"):
			end = l.skip(at)
			l.meta = jsonspan.Member{Start: at, End: end}
		}
		return end
	})
	if structured.End > 0 && raw[structured.Start] != 'n' {
		l.preferStructured(structured)
	}
	return l
}

// keepFromStages leaves all parts to filters alone.
func (l *layout) keepFromStages() {
	if !l.filtered {
		l.parts = nil
	}
	for i := range l.parts {
		l.parts[i].onlyFilters = true
	}
}

// preferStructured makes structuredContent the first part. Stages are given no text
// block that repeats it and no embedded resource beside it; filters are given all.
func (l *layout) preferStructured(at jsonspan.Member) {
	blocks := l.parts
	l.parts = []part{{place: inStructured, text: at}}
	l.repeated = make(map[int]bool)
	var values jsonValues
	for _, p := range blocks {
		if !p.onlyFilters && !p.embedded {
			if values == nil {
				values = valuesOf(l.raw[at.Start:at.End])
			}
			text, err := jsonspan.Unquote(l.raw[p.text.Start:p.text.End])
			p.repeats = err == nil && values.hold(text)
			l.repeated[p.block] = p.repeats
		}
		p.onlyFilters = p.onlyFilters || p.embedded || p.repeats
		if l.filtered || !p.onlyFilters {
			l.parts = append(l.parts, p)
		}
	}
}

// promptLayout finds the text blocks of a prompts/get result: a message holds one
// or, in later protocols, an array of them.
func promptLayout(raw []byte, filtered bool) *layout {
	l := &layout{raw: raw, filtered: filtered, meta: jsonedit.Member(raw, "_meta")}
	if filtered {
		l.forFilters(part{text: jsonedit.Member(raw, "description")})
	}
	message := func(at int) int {
		return l.eachMember(at, func(key []byte, at int) int {
			switch {
			case !jsonspan.KeyIs(key, "content"):
				return at
			case raw[at] == '[':
				return l.list(at, l.contentBlock)
			}
			return l.contentBlock(at)
		})
	}
	l.member("messages", message)
	return l
}

// resourceLayout finds the texts of a resources/read result.
func resourceLayout(raw []byte, filtered bool) *layout {
	l := &layout{raw: raw, filtered: filtered, meta: jsonedit.Member(raw, "_meta")}
	l.member("contents", func(at int) int { return l.block(at, false) })
	return l
}

// member reads the elements of an array in the result.
func (l *layout) member(name string, element func(at int) int) {
	l.eachMember(jsonspan.SkipBlank(l.raw, 0), func(key []byte, at int) int {
		if jsonspan.KeyIs(key, name) {
			return l.list(at, element)
		}
		return at
	})
}

// list reads the elements where an array should be. What is none goes on; a
// filter sees it all the same.
func (l *layout) list(at int, element func(at int) int) int {
	end := l.eachElement(at, element)
	if jsonspan.KindAt(l.raw, at) != jsonspan.Array {
		l.forFilters(part{text: jsonspan.Member{Start: at, End: end}})
	}
	return end
}

func (l *layout) contentBlock(at int) int { return l.block(at, true) }

// block reads one block. A content block says what it is by its type; the
// contents of a resource are text if they have a text.
func (l *layout) block(at int, typed bool) int {
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
	case (!typed || l.is(kind, "text")) && l.isString(p.text):
		l.add(p)
	case typed && l.is(kind, "resource") && jsonspan.KindAt(l.raw, resource.Start) == jsonspan.Object:
		l.embed(p, resource)
	case typed:
		p.text = jsonspan.Member{Start: p.block, End: end}
		l.filterBlock(p, kind)
	default:
		l.forFilters(p)
	}
	return end
}

// embed adds the text of a resource that stands in a content block: servers answer
// whole files so.
func (l *layout) embed(p part, resource jsonspan.Member) {
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
		l.forFilters(p)
	}
}

// maxParts bounds how many texts of one result stages are given, each of which
// is a run and an Original; what is beyond goes on as it came. Filters are given
// all.
const maxParts = 1024

func (l *layout) add(p part) {
	if len(l.parts) >= maxParts {
		l.forFilters(p)
		return
	}
	l.parts = append(l.parts, p)
}

// is reports whether the value at m is this text.
func (l *layout) is(m jsonspan.Member, text string) bool {
	return jsonspan.KeyIs(l.raw[m.Start:m.End], text)
}

func (l *layout) isString(m jsonspan.Member) bool {
	return m.End > 0 && jsonspan.KindAt(l.raw, m.Start) == jsonspan.String
}

// The three steps of a walk that reads each byte of a valid text once: each
// takes where a value starts and returns where it ends.

// skip passes over a value.
func (l *layout) skip(at int) int {
	end, err := jsonspan.ValueEnd(l.raw, at)
	if err != nil {
		return len(l.raw)
	}
	return end
}

// eachMember gives each member to read, which returns where its value starts if it
// was not interested. What is no object is passed over.
func (l *layout) eachMember(at int, read func(key []byte, at int) int) int {
	if jsonspan.KindAt(l.raw, at) != jsonspan.Object {
		return l.skip(at)
	}
	end, err := jsonspan.ScanMembers(l.raw, at, func(key []byte, at int) (int, error) {
		if end := read(key, at); end > at {
			return end, nil
		}
		return l.skip(at), nil
	})
	if err != nil {
		return len(l.raw)
	}
	return end
}

// eachElement gives each element to read. What is no array is passed over.
func (l *layout) eachElement(at int, read func(at int) int) int {
	if jsonspan.KindAt(l.raw, at) != jsonspan.Array {
		return l.skip(at)
	}
	at = jsonspan.SkipBlank(l.raw, at+1)
	for at < len(l.raw) && l.raw[at] != ']' {
		at = jsonspan.SkipBlank(l.raw, read(at))
		if at < len(l.raw) && l.raw[at] == ',' {
			at = jsonspan.SkipBlank(l.raw, at+1)
		}
	}
	return min(at+1, len(l.raw))
}

// bytes returns what a stage is given for part i: the decoded text of a block,
// the raw value of structuredContent. A text that is no text (half a surrogate
// pair) is not given to any stage: ok is false.
func (l *layout) bytes(i int) (text []byte, ok bool) {
	p := l.parts[i]
	lit := l.raw[p.text.Start:p.text.End]
	if p.place != inString {
		return lit, true
	}
	text, err := jsonspan.Unquote(lit)
	return text, err == nil
}

// mayForge reports whether raw could hold a key of _meta that is the host's,
// spelled plainly or with escapes: those of its letters are all \u00xx. It is
// there so that results without one are not even walked, and so must be fast:
// backslashes are many in quoted text, the letter u is not.
func mayForge(raw []byte) bool {
	return bytes.Contains(raw, []byte("mcpctl")) || bytes.Contains(raw, []byte("u00"))
}

// mayForgeReply is mayForge for what a server answered, read from its marks.
func mayForgeReply(reply flow.Reply) bool {
	if reply.Marks.Known {
		return reply.Marks.Own
	}
	return mayForge(reply.Result)
}

// ownKey reports whether a key of _meta belongs to the host.
func ownKey(lit []byte) bool {
	text, err := jsonspan.Unquote(lit)
	return err == nil && bytes.HasPrefix(text, []byte(flow.MetaPrefix))
}
