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

// title appends what element i says beside its id: attributes, then its text or
// what its children are.
func (d *document) title(dst []byte, i int, used []byte) []byte {
	start := len(dst)
	p := d.parts[i]
	attributes(d.b, int(p.Start), func(a attribute) bool {
		if isNamespace(a.name) || used != nil && bytes.Equal(a.value, used) {
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
	c := d.census(i)
	if len(c.tags) == 0 {
		text := appendUnescaped(nil, inside(d.b[d.parts[i].Start:d.parts[i].End]), maxTitle)
		if len(text) > 0 {
			dst = append(apart(dst, start, ": "), text...)
		}
		return dst
	}
	sep := ": "
	for _, t := range c.tags {
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
		dst = strconv.AppendInt(append(dst, ", +"...), int64(c.more), 10)
	}
	return dst
}

// census is which elements stand right inside another one.
type census struct {
	tags []tagCount
	more int // elements with other tags
}

type tagCount struct {
	name         []byte
	first, count int
}

func (d *document) census(i int) (c census) {
next:
	for j := range d.children(i) {
		if !isTag(d.b[d.parts[j].Start:d.parts[j].End]) {
			continue
		}
		tag := tagName(d.b, int(d.parts[j].Start))
		for k := range c.tags {
			if bytes.Equal(c.tags[k].name, tag) {
				c.tags[k].count++
				continue next
			}
		}
		if len(c.tags) < maxTags {
			c.tags = append(c.tags, tagCount{tag, j, 1})
		} else {
			c.more++
		}
	}
	return c
}

// rootLine tells the attributes of the root, which the index of its children
// would leave out.
func (d *document) rootLine(root part.Part) string {
	line := caption.Append([]byte("root: "), tagName(d.b, int(root.Start)), maxShown)
	start := len(line)
	attributes(d.b, int(root.Start), func(a attribute) bool {
		line = appendAttribute(append(line, ' '), len(line)+1, a)
		return len(line) <= maxRoot
	})
	if len(line) == start {
		return ""
	}
	return string(caption.Cut(line, 0, maxRoot))
}
