package htmlscan

import (
	"bytes"
	"strconv"

	"github.com/mcpctl/mcpctl/plugins/src/internal/caption"
)

const (
	maxMarkup = 1 << 14 // bytes of what shows no text that are looked at
	maxLabel  = 30      // bytes of what a tag says
	maxTold   = 5       // tags that are told apart in its title
)

// instead is a title for what shows no text, such as a drawing: what it is called
// by its own title, and which tags there are, a single one as it stands. Tags round
// others say nothing, and those of the page itself are structure, as is its title,
// which stands above the index.
func (o *outline) instead(dst, text []byte) []byte {
	start := len(dst)
	t := told{b: text[:min(len(text), maxMarkup)]}
	t.read()
	if name := t.name; name.start < name.end && !(t.n > 0 && o.document && bytes.Equal(t.b[name.start:name.end], o.b[o.title.start:o.title.end])) {
		dst = plain(dst, t.b[name.start:name.end], maxTitle)
	}
	switch {
	case t.n == 1 && t.tags[0].count == 1 && len(dst) == start:
		return caption.Append(dst, t.b[t.tags[0].start:t.tags[0].end], maxTitle)
	case t.n == 0 && len(dst) == start:
		return first(dst, text)
	}
	sep := ": "
	for _, tag := range t.tags[:t.n] {
		if len(dst) == start {
			sep = ""
		}
		dst = append(append(dst, sep...), t.b[tag.start+1:nameEnd(t.b, int(tag.start)+1)]...)
		if sep = ", "; tag.count > 1 {
			dst = strconv.AppendInt(append(dst, ' '), int64(tag.count), 10)
		} else if said := t.label(tag.span); len(said) > 0 {
			dst = plain(append(dst, ' '), said, maxLabel)
		}
	}
	return caption.Cut(dst, start, maxTitle)
}

// first is a title of nothing but tags round others, or of a comment.
func first(dst, text []byte) []byte {
	start := len(dst)
	tag := text[:tagEnd(text, 0)]
	if bytes.HasPrefix(text, []byte("<!--")) {
		tag, _, _ = bytes.Cut(text[len("<!--"):], []byte("-->"))
	}
	if dst = caption.Append(dst, tag, maxTitle); len(dst) == start {
		dst = append(dst, "markup"...)
	}
	return dst
}

// told is which tags a text has.
type told struct {
	b    []byte
	name span // what a title in it holds
	tags [maxTold]toldTag
	n    int
}

type toldTag struct {
	span  // of the first one
	key   uint64
	count int
}

// label is what a reader is told of a tag that shows no text.
func (t *told) label(of span) (said []byte) {
	attributes(t.b, nameEnd(t.b, int(of.start)+1), int(of.end), func(name, value span) bool {
		switch string(t.b[name.start:name.end]) {
		case "title", "alt", "aria-label", "placeholder":
			said = t.b[value.start:value.end]
		}
		return said == nil
	})
	return said
}

// read reads the start tags, and the first title.
func (t *told) read() {
	for at := 0; ; {
		n := bytes.IndexByte(t.b[at:], '<')
		if n < 0 || at+n+1 >= len(t.b) {
			return
		}
		at += n
		if bytes.HasPrefix(t.b[at:], []byte("<!--")) {
			if n = bytes.Index(t.b[at:], []byte("-->")); n < 0 {
				return
			}
			at += n
			continue
		}
		if !isLetter(t.b[at+1]) {
			at++
			continue
		}
		name := nameEnd(t.b, at+1)
		k, end := key(t.b[at+1:name]), tagEnd(t.b, name)
		info := infoOf(k)
		if k == keyTitle && t.name == (span{}) {
			t.name = span{int32(end), int32(closing(t.b, end, t.b[at+1:name]))}
		}
		if info&(optional|wrap|heading) == 0 && k != keyTitle {
			t.count(span{int32(at), int32(end)}, k)
		}
		if info&raw != 0 {
			end = closing(t.b, end, t.b[at+1:name])
		}
		at = end
	}
}

func (t *told) count(s span, k uint64) {
	for i := range t.tags[:t.n] {
		if t.tags[i].key == k {
			t.tags[i].count++
			return
		}
	}
	if t.n < len(t.tags) {
		t.tags[t.n] = toldTag{s, k, 1}
		t.n++
	}
}
