package html

import (
	"bytes"
	"strconv"

	"github.com/mcpctl/mcpctl/plugins/src/internal/caption"
)

const (
	maxMarkup = 1 << 14 // bytes of markup that are read for a title
	maxLabel  = 30      // bytes of the label of a tag
	maxTags   = 5       // tags that a title lists
)

// appendMarkup appends a title of a part without visible text, such as a drawing: its
// own title and its tags, or its only tag as it is. Tags that only contain others are
// left out, and so are those of the page and its title, which is above the index.
func (o *outline) appendMarkup(dst, text []byte) []byte {
	start := len(dst)
	t := tagCounts{b: text[:min(len(text), maxMarkup)]}
	t.readTags()
	if title := t.title; title.start < title.end && !(t.n > 0 && o.document && bytes.Equal(title.of(t.b), o.title.of(o.b))) {
		dst = appendText(dst, title.of(t.b), maxTitle)
	}
	switch {
	case t.n == 1 && t.tags[0].count == 1 && len(dst) == start:
		return caption.Append(dst, t.tags[0].of(t.b), maxTitle)
	case t.n == 0 && len(dst) == start:
		return appendFirstTag(dst, text)
	}
	sep := ": "
	for _, tag := range t.tags[:t.n] {
		if len(dst) == start {
			sep = ""
		}
		dst = append(append(dst, sep...), t.b[tag.start+1:nameEnd(t.b, int(tag.start)+1)]...)
		if sep = ", "; tag.count > 1 {
			dst = strconv.AppendInt(append(dst, ' '), int64(tag.count), 10)
		} else if label := t.label(tag.span); len(label) > 0 {
			dst = appendText(append(dst, ' '), label, maxLabel)
		}
	}
	return caption.Cut(dst, start, maxTitle)
}

// appendFirstTag appends a title of a comment, or of nothing but tags that contain
// others.
func appendFirstTag(dst, text []byte) []byte {
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

// tagCounts counts the tags of a text.
type tagCounts struct {
	b     []byte
	title span // the content of the first title
	tags  [maxTags]tagCount
	n     int
}

type tagCount struct {
	span  // of the first tag
	key   uint64
	count int
}

// label returns the value of an attribute that describes a tag to a reader.
func (t *tagCounts) label(tag span) (label []byte) {
	attributes(t.b, nameEnd(t.b, int(tag.start)+1), int(tag.end), func(name, value span) bool {
		switch string(name.of(t.b)) {
		case "title", "alt", "aria-label", "placeholder":
			label = value.of(t.b)
		}
		return label == nil
	})
	return label
}

// readTags counts the start tags and finds the first title.
func (t *tagCounts) readTags() {
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
		if k == keyTitle && t.title == (span{}) {
			t.title = span{int32(end), int32(endTag(t.b, end, t.b[at+1:name]))}
		}
		if info&(optional|wrap|heading) == 0 && k != keyTitle {
			t.add(span{int32(at), int32(end)}, k)
		}
		if info&raw != 0 {
			end = endTag(t.b, end, t.b[at+1:name])
		}
		at = end
	}
}

func (t *tagCounts) add(s span, k uint64) {
	for i := range t.tags[:t.n] {
		if t.tags[i].key == k {
			t.tags[i].count++
			return
		}
	}
	if t.n < len(t.tags) {
		t.tags[t.n] = tagCount{s, k, 1}
		t.n++
	}
}
