package find

import (
	"slices"
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/host/section/ids"
	"github.com/mcpctl/mcpctl/host/section/tree"
)

// lastPosition is the position in tag[last()].
const lastPosition = -1

// minScanned is the number of bytes that a step may always read.
const minScanned = 1 << 20

// maxParents is the number of elements in which a path that begins with tag[N] looks for
// the N-th one.
const maxParents = 256

// cutPosition reads a segment tag[N] or tag[last()] of XPath: the N-th element with this
// tag among its siblings, from 1. No element has position 0.
func cutPosition(segment string) (tag string, n int, ok bool) {
	tag, position, ok := strings.Cut(ids.Unescape(segment), "[")
	if position, ok = strings.CutSuffix(position, "]"); !ok || tag == "" {
		return "", 0, false
	}
	if position == "last()" {
		return tag, lastPosition, true
	}
	n, err := strconv.Atoi(position)
	return tag, n, err == nil && n >= 0
}

// cutNumber reads a segment tag-N, which means the same as tag[N].
func cutNumber(segment string) (tag string, n int, ok bool) {
	at := strings.LastIndexByte(segment, '-')
	if at < 1 {
		return "", 0, false
	}
	return cutPosition(segment[:at] + "[" + segment[at+1:] + "]")
}

// hasPosition reports whether a segment of a path in a language with elements has a
// position.
func (r *Resolver) hasPosition(path string) bool {
	return r.language.HasElements() && slices.ContainsFunc(split(path), func(segment string) bool {
		_, _, ok := cutPosition(segment)
		return ok
	})
}

// findNth returns the n-th element with this tag in each of some parts.
func (r *Resolver) findNth(from []tree.Part, tag string, n int) (found []tree.Part) {
	left := max(minScanned, len(r.tree.Original.Text)) // elements inside each other are read several times
	for i := range from {
		p := &from[i]
		if left -= p.Len(); left < 0 && i > 0 {
			break
		}
		if p.IsTop() {
			found = append(found, pickNth(r.namedSections(p.Section, tag), n)...)
			continue
		}
		if p.Source == nil || p.Section < 0 {
			continue
		}
		leaf := p.Origin
		if !isElement(*p) {
			leaf = &tree.Origin{Base: p}
		}
		for _, span := range pickNth(r.childrenWith(p.Bytes(), tag), n) {
			found = append(found, r.sectionOrElement(p, leaf, p.Start+span[0], p.Start+span[1]))
		}
	}
	return found
}

// childrenWith returns the spans of the elements with this tag directly inside the first
// element of text. A tag without a prefix means any prefix if no element has none.
func (r *Resolver) childrenWith(text []byte, tag string) [][2]int {
	all := r.language.Children(text, tag, MaxElements)
	same := slices.DeleteFunc(slices.Clone(all), func(span [2]int) bool { return r.language.Tag(text[span[0]:span[1]]) != tag })
	if len(same) > 0 {
		return same
	}
	return all
}

// pickNth returns the n-th item of a list, from 1, if there is one.
func pickNth[T any](list []T, n int) []T {
	if n == lastPosition {
		n = len(list)
	}
	if n < 1 || n > len(list) {
		return nil
	}
	return list[n-1 : n]
}

// namedSections returns the Sections in the bytes of a Section that are elements with
// this tag.
func (r *Resolver) namedSections(home int32, tag string) (found []tree.Part) {
	for _, i := range r.tree.Cover(home) {
		if p := r.tree.Part(i); r.leaves.isNamed(&p, tag) {
			found = append(found, p)
		}
	}
	return found
}

// sectionOrElement returns the Section of p that is exactly a span, else the element.
func (r *Resolver) sectionOrElement(p *tree.Part, leaf *tree.Origin, start, end int) tree.Part {
	if p.IsSection() {
		list := r.tree.Cover(p.Section)
		at, _ := slices.BinarySearchFunc(list, start, func(i int32, start int) int { return r.tree.Sections[i].Start - start })
		if at < len(list) {
			if q := r.tree.Part(list[at]); q.Source == p.Source && q.Start == start && q.End == end {
				return q
			}
		}
	}
	return elementIn(leaf, [2]int{start, end})
}

// findNthAnywhere returns the elements at a position among the children of any element,
// as //tag[N] does in XPath. The elements or their parents must be Sections.
func (r *Resolver) findNthAnywhere(tag string, n int) []tree.Part {
	var parents []tree.Part
	seen := map[int32]bool{}
	for i := range r.tree.Sections {
		p := r.tree.Part(int32(i))
		parent := r.tree.Home(int32(i))
		if r.tree.IsLeaf(&p) && p.IsContent() && len(r.childrenWith(p.Bytes(), tag)) > 0 {
			parent = int32(i)
		} else if !r.leaves.isNamed(&p, tag) {
			continue
		}
		if !seen[parent] && len(parents) < maxParents {
			seen[parent] = true
			parents = append(parents, r.tree.Part(parent))
		}
	}
	return r.findNth(parents, tag, n)
}

// asRanges replaces elements inside leaves by ranges of the leaves, which answer with the
// bytes of the element.
func asRanges(parts []tree.Part) []tree.Part {
	for i, p := range parts {
		if isElement(p) {
			parts[i] = tree.Derive(tree.KindRange, p.Base, p.Start, p.End, ids.ByteRange(p.Base, p.Start, p.End))
		}
	}
	return parts
}
