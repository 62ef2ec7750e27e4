package xmlscan

import (
	"bytes"
	"strconv"

	"github.com/mcpctl/mcpctl/plugins/src/internal/caption"
	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
)

const (
	maxTitle = 80
	maxShown = 40 // bytes of one attribute's value in a title
	maxTags  = 8  // tags of children that a title tells apart
	maxRoot  = 200
)

// title appends what element i says beside its id and its group: attributes, then
// its text or what its children are. One of many says its name again: where they
// are folded no ids are shown.
func (d *document) title(dst []byte, i int, used []byte) []byte {
	start := len(dst)
	p := d.parts[i]
	by := ""
	if p.Parent >= 0 && d.parts[p.Parent].Kind == part.Group {
		by = d.groups[p.Parent].by
	}
	if used != nil && d.isOneOfMany(i) {
		dst = appendUnescaped(dst, used, maxShown)
	}
	attributes(d.b, int(p.Start), func(a attribute) bool {
		if isNamespace(a.name) || used != nil && bytes.Equal(a.value, used) || string(a.name) == by {
			return true
		}
		dst = appendAttribute(dst, start, a)
		return len(dst)-start <= maxTitle
	})
	if len(dst)-start < maxTitle {
		dst = d.content(dst, start, i, used)
	}
	if dst = caption.Cut(dst, start, maxTitle); len(dst) > start {
		return dst
	}
	if used == nil {
		used = tagName(d.b, int(p.Start))
	}
	return appendText(dst, used, "element")
}

// isOneOfMany reports whether element i has so many siblings that not all of them
// are listed.
func (d *document) isOneOfMany(i int) bool {
	up := d.parts[i].Parent
	for up >= 0 && d.parts[up].Kind == part.Group {
		up = d.parts[up].Parent
	}
	return up >= 0 && d.wide[d.parts[up].Start]
}

func appendAttribute(dst []byte, start int, a attribute) []byte {
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
		text := appendUnescaped(nil, inside(d.b[d.parts[i].Start:d.parts[i].End]), maxTitle)
		if len(text) > 0 {
			dst = append(apart(dst, start, ": "), text...)
		}
		return dst
	}
	sep := ": "
	for _, t := range c.tags[:c.n] {
		v := d.value(t.first)
		if t.count == 1 && v != nil && bytes.Equal(v, used) {
			continue
		}
		dst = caption.Append(apart(dst, start, sep), t.name, maxShown)
		sep = ", "
		if t.count == 1 && v != nil {
			dst = appendUnescaped(append(dst, '='), v, maxShown)
		} else if t.count > 1 {
			dst = strconv.AppendInt(append(dst, ' '), int64(t.count), 10)
		}
		if len(dst)-start > maxTitle {
			return dst
		}
	}
	if c.more > 0 {
		return strconv.AppendInt(append(dst, ", +"...), int64(c.more), 10)
	}
	if c.n == 1 && c.tags[0].count > 1 {
		dst = d.list(dst, start, d.children(i))
	}
	return dst
}

// census is which elements stand right inside another one.
type census struct {
	tags [maxTags]tagCount
	n    int
	more int // elements with other tags
}

type tagCount struct {
	name         []byte
	first, count int
}

func (d *document) count(i int, c *census) {
next:
	for j := range d.children(i) {
		if !d.isElement(j) {
			continue
		}
		tag := d.tagOf(j)
		for k := range c.tags[:c.n] {
			if t := &c.tags[k]; bytes.Equal(t.name, tag) {
				t.count++
				continue next
			}
		}
		if c.n == maxTags {
			c.more++
			continue
		}
		c.tags[c.n] = tagCount{tag, j, 1}
		c.n++
	}
}

// list appends what the first elements are called, or say if they are not.
func (d *document) list(dst []byte, start int, elements func(yield func(j int) bool)) []byte {
	sep := ": "
	asked := 0
	for j := range elements {
		if asked++; asked > maxLines || len(dst)-start > maxTitle {
			break
		}
		if !d.isElement(j) {
			continue
		}
		name := d.called(j)
		if name == nil {
			name = d.value(j)
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
	attributes(b, root, func(a attribute) bool {
		if isNamespace(a.name) || string(local(a.name)) == "schemaLocation" {
			return true
		}
		line = appendAttribute(append(line, ' '), len(line)+1, a)
		return len(line) <= maxRoot
	})
	if len(line) == start {
		return ""
	}
	return string(caption.Cut(line, 0, maxRoot))
}
