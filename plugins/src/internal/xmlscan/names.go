package xmlscan

import (
	"bytes"
	"unicode/utf8"
)

// what a part is: no element, or an element of one of the tags.
type what uint16

const (
	isText what = iota
	isTag       // the start tag of the element that it is in
	isAttribute
	isComment
	isCDATA
	isGroup
	isElement = 8       // all from here on; just this: its tag is not one of those that are told apart
	isWide    = 1 << 15 // added for an element with many children
	maxTags   = 1 << 12 // that are told apart by number
)

// tagNames numbers the tags of a text, so that tags are compared as numbers and
// most names are read by one look at what came last time.
type tagNames struct {
	list  []tag // by number
	known map[string]what
	last  what
}

// tag is what is known of all elements of a name.
type tag struct {
	start, end int32  // of the name
	rank       int8   // of the texts of such elements as names of what they are in: see rankOf
	plain      bool   // the name can stand in a title as it is
	next       what   // the tag that came after it
	by         []byte // the attribute that tells such elements apart, see distinguish
}

func newTagNames() tagNames {
	return tagNames{list: append(make([]tag, 0, 32), tag{rank: unnamed}), known: make(map[string]what)}
}

// read reads the name at b[at], which has been seen to begin. It is probably the
// one that came after the last one before, or that of the last sibling.
func (t *tagNames) read(b []byte, at int, sibling what) (w what, end int) {
	was := &t.list[t.last]
	if w = was.next; w == 0 || !t.stands(b, at, w) {
		if w = sibling; w == 0 || !t.stands(b, at, w) {
			w = t.lookUp(b, at)
		}
		t.list[t.last].next = w
	}
	if t.last = w; w == 0 {
		return isElement, nameEnd(b, at)
	}
	n := &t.list[w]
	return w + isElement, at + int(n.end-n.start)
}

// stands reports whether tag w is the name at b[at].
func (t *tagNames) stands(b []byte, at int, w what) bool {
	name := &t.list[w]
	start, end := int(name.start), int(name.end)
	behind := at + end - start
	return behind < len(b) && class[b[behind]]&nameByte == 0 && same(b, start, at, end-start)
}

// lookUp is the number of the tag at b[at], 0 if there are too many.
func (t *tagNames) lookUp(b []byte, at int) what {
	end := nameEnd(b, at)
	w, ok := t.known[string(b[at:end])]
	if !ok && len(t.list) < maxTags {
		w = what(len(t.list))
		t.known[string(b[at:end])] = w
		t.list = append(t.list, tag{start: int32(at), end: int32(end), rank: rankOf(local(b[at:end])), plain: isPlain(b[at:end])})
	}
	return w
}

// isPlain reports whether a name is short and ASCII.
func isPlain(name []byte) bool {
	for _, c := range name {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return len(name) <= maxShown
}

// names are what attributes and children that name an element are called, best
// first.
var names = [...]string{"name", "id", "key", "title", "include", "text"}

// More ranks: of "key", of what is called after one of the first two, such as
// contactId or user_name, and of what names nothing.
const (
	keyRank    = 2
	partOfName = int8(len(names))
	unnamed    = partOfName + 1
)

// rankOf is how well a name says that it names something, the best is 0.
func rankOf(name []byte) int8 {
	for i, n := range names {
		if len(n) == len(name) && n[0] == name[0]|0x20 && bytes.EqualFold([]byte(n), name) {
			return int8(i)
		}
	}
	for _, end := range ends {
		if len(name) > len(end) && string(name[len(name)-len(end):]) == end {
			return partOfName
		}
	}
	return unnamed
}

// ends of names that are called after a name or an id.
var ends = [...]string{"Id", "ID", "Name", "_id", "-id", "_name", "-name"}

// local is a name without its prefix.
func local(name []byte) []byte {
	at := len(name)
	for at > 0 && name[at-1] != ':' {
		at--
	}
	return name[at:]
}

func isNamespace(name []byte) bool { return len(name) >= 5 && string(name[:5]) == "xmlns" }
