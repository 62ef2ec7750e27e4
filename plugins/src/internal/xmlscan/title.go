package xmlscan

import (
	"bytes"
	"strconv"

	"github.com/mcpctl/mcpctl/plugins/src/internal/caption"
)

const (
	maxTitle = 80
	maxShown = 40 // bytes of one attribute's value in a title
	maxTold  = 8  // tags of children that a title tells apart
	maxRoot  = 200
)

// title appends what element i says beside its id and its group: attributes, then
// its text or what its children are. One of many says its name again: where they
// are folded no ids are shown.
func (d *document) title(dst []byte, i int, tag, used []byte) []byte {
	start := len(dst)
	by := ""
	if up := int(d.parts[i].Parent); up >= 0 && d.what[up] == isGroup {
		by = d.groupAt(up).by
	}
	if up := d.owner(i); used != nil && up >= 0 && d.what[up]&isWide != 0 {
		dst = appendUnescaped(dst, used, maxShown)
	}
	a := attributes{b: d.b, at: int(d.parts[i].Start) + 1 + len(tag)}
	for len(dst)-start <= maxTitle && a.next() {
		if !isNamespace(a.name) && (used == nil || !bytes.Equal(a.value, used)) && string(a.name) != by {
			dst = appendAttribute(dst, start, a)
		}
	}
	if len(dst)-start < maxTitle {
		dst = d.content(dst, start, i, used)
	}
	if dst = caption.Cut(dst, start, maxTitle); len(dst) > start {
		return dst
	}
	if used == nil {
		used = tag
	}
	return appendText(dst, used, "element")
}

func appendAttribute(dst []byte, start int, a attributes) []byte {
	dst = caption.Append(apart(dst, start, " "), a.name, maxShown)
	return appendUnescaped(append(dst, '='), a.value, maxShown)
}

// apart puts sep behind what is there already.
func apart(dst []byte, start int, sep string) []byte {
	if len(dst) > start {
		dst = append(dst, sep...)
	}
	return dst
}

// content appends the children of element i but the one that names it, or its
// text.
func (d *document) content(dst []byte, start, i int, used []byte) []byte {
	var c census
	d.count(i, &c)
	if c.n == 0 {
		text := appendUnescaped(nil, inside(d.b[d.parts[i].Start:d.parts[i].End], len(d.tagOf(i))), maxTitle)
		if len(text) > 0 {
			dst = append(apart(dst, start, ": "), text...)
		}
		return dst
	}
	sep := ": "
	for k, t := range c.tags[:c.n] {
		var v []byte
		tag := d.tagOf(t.first)
		if t.count == 1 {
			v = d.value(t.first, len(tag))
		}
		if v != nil && bytes.Equal(v, used) {
			continue
		}
		if dst = apart(dst, start, sep); d.tags[d.tagNumber(t.first)].plain {
			dst = append(dst, tag...)
		} else {
			dst = caption.Append(dst, tag, maxShown)
		}
		sep = ", "
		if v != nil {
			dst = appendUnescaped(append(dst, '='), v, maxShown)
		} else if t.count > 1 {
			dst = strconv.AppendInt(append(dst, ' '), int64(t.count), 10)
		} else if text := d.textOf(t.first, len(tag)); k == c.n-1 && len(text) > 0 { // a long one leaves no room for others
			dst = appendUnescaped(append(dst, '='), text, maxShown)
		}
		if len(dst)-start > maxTitle {
			return dst
		}
	}
	if c.more > 0 {
		return strconv.AppendInt(append(dst, ", +"...), int64(c.more), 10)
	}
	if c.n == 1 && !d.toldByText(c.tags[0]) { // the tag alone tells little
		var first [maxLines]int32
		n := 0
		for j := d.first(i); n < len(first) && d.holds(i, j); j = d.next(j) {
			first[n] = int32(j)
			n++
		}
		dst = d.list(dst, start, first[:n])
	}
	return dst
}

// toldByText reports whether an only child has text, which its tag is followed by.
func (d *document) toldByText(t tagCount) bool {
	return t.count == 1 && len(d.textOf(t.first, len(d.tagOf(t.first)))) > 0
}

// census is which elements stand right inside another one.
type census struct {
	tags [maxTold]tagCount
	n    int
	more int // elements with other tags
}

type tagCount struct {
	first, count int
}

func (d *document) count(i int, c *census) {
next:
	for j := d.first(i); d.holds(i, j); j = d.next(j) {
		if !d.isElement(j) {
			continue
		}
		for k := range c.tags[:c.n] {
			if t := &c.tags[k]; d.sameTag(t.first, j) {
				t.count++
				continue next
			}
		}
		if c.n == len(c.tags) {
			c.more++
			continue
		}
		c.tags[c.n] = tagCount{j, 1}
		c.n++
	}
}

// list appends what elements are called, or say if they are not.
func (d *document) list(dst []byte, start int, elements []int32) []byte {
	sep := ": "
	for _, j := range elements[:min(len(elements), maxLines)] {
		if len(dst)-start > maxTitle {
			break
		}
		if !d.isElement(int(j)) {
			continue
		}
		tag := d.tagOf(int(j))
		name := d.called(int(j), tag)
		if name == nil {
			name = d.value(int(j), len(tag))
		}
		if name == nil { // of an only child, which needs no name in paths
			if v, rank := d.childID(int(j)); rank != keyRank { // the first key of a property list is not its name
				name = v
			}
		}
		if name != nil {
			dst = caption.Append(append(dst, sep...), name, maxShown)
			sep = ", "
		}
	}
	return dst
}

// declaration is the line of a text that says in which XML it is written, as it
// stands: no part has it.
func declaration(b []byte) []string {
	b = bytes.TrimPrefix(b, []byte("\xef\xbb\xbf"))
	end := bytes.Index(b[:min(len(b), maxRoot)], []byte("?>")) + len("?>")
	if !bytes.HasPrefix(b, []byte("<?xml ")) || end < len("<?xml ") || bytes.ContainsAny(b[:end], "\r\n") {
		return nil
	}
	return []string{string(b[:end])}
}

// rootLine tells the attributes of the root at b[root], which the index of its children
// would leave out.
func rootLine(b []byte, root int) string {
	line := caption.Append([]byte("root: "), tagName(b, root), maxShown)
	start := len(line)
	for a := attributesAt(b, root); len(line) <= maxRoot && a.next(); {
		if !isNamespace(a.name) && string(local(a.name)) != "schemaLocation" {
			line = appendAttribute(append(line, ' '), len(line)+1, a)
		}
	}
	if len(line) == start {
		return ""
	}
	return string(caption.Cut(line, 0, maxRoot))
}
