package result

import (
	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/jsonspan"
	"github.com/mcpctl/mcpctl/host/proxy/jsonedit"
)

// Source identifies the origin of a result for the pipeline.
type Source struct {
	Type abi.ContentType
	Name string // flow.Content.Source
	Hint string // flow.Content.Hint

	Arguments string // flow.Content.Arguments, so that sources are comparable
}

// part is one piece of a result that a model reads: a text block, the text of a
// resource, or structuredContent. Members of length 0 are absent.
type part struct {
	place    place
	resource bool            // of resources/read: the block has its own URI and type
	embedded bool            // of a resource in a content block
	block    int             // start of the object that holds the text
	text     jsonspan.Member // the string literal, or the value if place holds JSON
	meta     jsonspan.Member // _meta of the block
	mime     jsonspan.Member
	uri      jsonspan.Member

	wrapper     string // key of the string in structuredContent, see findWrapped
	onlyFilters bool   // stages do not read it
	isBeyond    bool   // only because of maxParts
	repeats     bool   // structuredContent contains its text too
}

// place is the kind of value that a part was found in, which decides how it is replaced.
type place int

const (
	inString     place = iota // a string that holds the text
	inStructured              // structuredContent, whose text becomes a block
	inWrapped                 // the only string of structuredContent; its text becomes a block
	inBlock                   // a block of an unknown type, as JSON
	inData                    // the data of an error, as JSON
)

// kind returns the kind of a part as stages see it.
func (p part) kind() string {
	if p.isString() {
		return abi.PartText
	}
	return abi.PartStructured
}

// isString reports whether the part is a string, which stages read decoded.
func (p part) isString() bool { return p.place == inString || p.place == inWrapped }

// Layout holds the positions of the parts of one result.
type Layout struct {
	// FiltersDone is set if the filters have run over the parts already.
	FiltersDone bool
	// MaxTokens is the limit of the project for the whole answer in estimated tokens; 0
	// means no limit.
	MaxTokens int

	raw      []byte
	filtered bool // a filter reads the result: parts includes those for filters only
	parts    []part
	repeated map[int]bool      // starts of blocks whose text structuredContent holds too
	meta     jsonspan.Member   // _meta of the result
	metas    []jsonspan.Member // _meta of all blocks
	content  jsonspan.Member   // tools/call: the array of blocks
}

// Reader finds the parts of a result. With filtered set, the Layout includes the parts
// that only filters read.
//
// Filters read more than stages, because they must see everything that a client could
// show: all texts, the texts of embedded resources, structuredContent together with
// the blocks that repeat it, blocks of unknown types, and the message and data of
// errors. They do not read images, audio and blobs, nor names, links, URIs, _meta and
// annotations. A filter protects against leaks by servers that mean well; a hostile
// server can always encode data in a way that no filter recognises.
type Reader func(raw []byte, filtered bool) *Layout

// Tool finds the parts of a tools/call result: structuredContent, or the text that is all
// of it, and each text block that does not repeat it.
func Tool(raw []byte, filtered bool) *Layout {
	l := &Layout{raw: raw, filtered: filtered}
	var structured jsonspan.Member
	l.eachMember(jsonspan.SkipBlank(raw, 0), func(key []byte, at int) int {
		end := at
		switch {
		case jsonspan.KeyIs(key, "content"):
			l.parts = nil // of duplicate keys the last one counts
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

// Prompt finds the text blocks of a prompts/get result. A message holds one block or,
// in later protocol versions, an array of blocks.
func Prompt(raw []byte, filtered bool) *Layout {
	l := &Layout{raw: raw, filtered: filtered, meta: jsonedit.Member(raw, "_meta")}
	if filtered {
		l.addForFilters(part{text: jsonedit.Member(raw, "description")})
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

// Resource finds the texts of a resources/read result.
func Resource(raw []byte, filtered bool) *Layout {
	l := &Layout{raw: raw, filtered: filtered, meta: jsonedit.Member(raw, "_meta")}
	l.member("contents", func(at int) int { return l.block(at, false) })
	return l
}

// Error finds the message and the data of a JSON-RPC error, for filters.
func Error(raw []byte) *Layout {
	l := &Layout{raw: raw, filtered: true}
	l.eachMember(jsonspan.SkipBlank(raw, 0), func(key []byte, at int) int {
		m := jsonspan.Member{Start: at, End: l.skip(at)}
		if jsonspan.KeyIs(key, "message") || jsonspan.KeyIs(key, "data") {
			l.addForFilters(part{text: m})
		}
		return m.End
	})
	return l
}

// WithoutStages restricts all parts to filters.
func (l *Layout) WithoutStages() *Layout {
	if !l.filtered {
		l.parts = nil
	}
	for i := range l.parts {
		l.parts[i].onlyFilters = true
	}
	return l
}

// Len returns the number of parts.
func (l *Layout) Len() int { return len(l.parts) }

// IsFiltered reports whether the Layout was made for filters.
func (l *Layout) IsFiltered() bool { return l.filtered }

// IsRepeated reports whether the first part, which is structuredContent or its text, holds
// the text of part i too.
func (l *Layout) IsRepeated(i int) bool { return l.parts[i].repeats }

// IsForStages reports whether stages read part i.
func (l *Layout) IsForStages(i int) bool { return !l.parts[i].onlyFilters }

// IsBeyond reports whether stages do not read part i because it is beyond their number.
func (l *Layout) IsBeyond(i int) bool { return l.parts[i].isBeyond }

// Content returns part i for the pipeline: the decoded text of a block, or the raw
// value of structuredContent. ok is false for a string that is no valid text (half a
// surrogate pair), which no stage reads.
func (l *Layout) Content(src Source, i int) (c flow.Content, ok bool) {
	text, ok := l.bytes(i)
	if !ok {
		return flow.Content{}, false
	}
	p := &l.parts[i]
	c = flow.Content{
		Type:      src.Type,
		Source:    src.Name,
		MIME:      jsonedit.Text(l.raw, p.mime),
		Hint:      src.Hint,
		Arguments: []byte(src.Arguments),
		Part:      abi.Part{Kind: p.kind(), Index: i, Count: len(l.parts)},
		Bytes:     text,

		Wrapper:     p.wrapper,
		OnlyFilters: p.onlyFilters,
		Filtered:    l.FiltersDone,
	}
	if p.uri.End > 0 { // only a hint: the source decides which pipeline runs
		c.Hint = jsonedit.Text(l.raw, p.uri)
	}
	return c, true
}

func (l *Layout) bytes(i int) (text []byte, ok bool) {
	p := l.parts[i]
	lit := l.raw[p.text.Start:p.text.End]
	if !p.isString() {
		return lit, true
	}
	text, err := jsonspan.Unquote(lit)
	return text, err == nil
}

// Stored describes the parts that have an Original, for result hooks.
func (l *Layout) Stored(shown []flow.Shown) (stored []abi.HookContent) {
	for i, sh := range shown {
		if sh.Ref == "" {
			continue
		}
		text, kind := sh.Text, l.parts[i].kind()
		if sh.Changed {
			kind = abi.PartText
		} else {
			text, _ = l.bytes(i)
		}
		stored = append(stored, abi.HookContent{Ref: sh.Ref, Kind: kind, Index: i, Bytes: len(text), MIME: jsonedit.Text(l.raw, l.parts[i].mime)})
	}
	return stored
}
