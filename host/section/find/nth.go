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

// Positions in a selector that are no numbers.
const (
	noPosition  = -2 // of no element
	anyPosition = -3 // of all elements with the tag
)

// minScanned is the number of bytes that a step may always read.
const minScanned = 1 << 20

// maxParents is the number of elements in which a path that begins with tag[N] looks for
// the N-th one.
const maxParents = 256

// selector chooses elements with a tag among their siblings, as a step of XPath does:
// tag[2], tag[last()], tag[@name='value'] and tag[child='value'].
type selector struct {
	tag       string
	n         int    // position, from 1; 0 if the value of an attribute or child decides
	attribute string // its name, or ""
	child     string // its tag, or ""
	value     string
}

// cutSelector reads a segment with a position or a condition. No element has position 0.
func cutSelector(segment string) (s selector, ok bool) {
	tag, inner, _ := strings.Cut(ids.Unescape(segment), "[")
	if inner, ok = strings.CutSuffix(inner, "]"); !ok || tag == "" {
		return selector{}, false
	}
	s = selector{tag: tag}
	if inner == "last()" {
		s.n = lastPosition
		return s, true
	}
	if name, value, isCondition := strings.Cut(inner, "="); isCondition {
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		if len(value) < 2 || value[0] != '\'' && value[0] != '"' || strings.IndexByte(value[1:], value[0]) != len(value)-2 {
			return selector{}, false
		}
		s.value = value[1 : len(value)-1]
		if s.attribute, ok = strings.CutPrefix(name, "@"); !ok {
			s.attribute, s.child = "", name
		}
		return s, s.attribute != "" || s.child != ""
	}
	n, err := strconv.Atoi(inner)
	if s.n = n; n == 0 {
		s.n = noPosition
	}
	return s, err == nil && n >= 0
}

// cutNumber reads a segment tag-N, which means the same as tag[N].
func cutNumber(segment string) (s selector, ok bool) {
	at := strings.LastIndexByte(segment, '-')
	if at < 1 || strings.Trim(segment[at+1:], "0123456789") != "" {
		return selector{}, false
	}
	return cutSelector(segment[:at] + "[" + segment[at+1:] + "]")
}

// splitSegments cuts a path at its slashes, but not at those in the value of a condition.
func splitSegments(path string) (segments []string) {
	from := 0
	for i := 0; i < len(path); i++ {
		switch path[i] {
		case '/':
			segments = append(segments, path[from:i])
			from = i + 1
		case '=':
			if i+1 < len(path) && (path[i+1] == '\'' || path[i+1] == '"') {
				if end := strings.Index(path[i+2:], path[i+1:i+2]+"]"); end >= 0 {
					i += 2 + end
				}
			}
		}
	}
	return append(segments, path[from:])
}

// matches reports whether the condition holds for the element at the beginning of text.
func (l *leaves) matches(s *selector, text []byte) bool {
	if s.attribute != "" {
		value, ok := l.language.Attribute(text, s.attribute)
		return ok && string(value) == s.value
	}
	for _, span := range l.language.Children(text, s.child, MaxElements) {
		child := text[span[0]:span[1]]
		if l.language.Tag(child) != s.child {
			continue
		}
		if content, ok := l.language.Content(child); ok && string(content) == s.value {
			return true
		}
	}
	return false
}

// choose returns the items of a list of siblings that a selector chooses.
func choose[T any](r *Resolver, list []T, s *selector, text func(T) []byte) []T {
	switch s.n {
	case 0:
	case anyPosition:
		return list
	default:
		return pickNth(list, s.n)
	}
	return slices.DeleteFunc(slices.Clone(list), func(item T) bool { return !r.leaves.matches(s, text(item)) })
}

// hasPosition reports whether a segment of a path in a language with elements has a
// position or condition.
func (r *Resolver) hasPosition(path string) bool {
	return r.language.HasElements() && slices.ContainsFunc(split(path), func(segment string) bool {
		_, ok := cutSelector(segment)
		return ok
	})
}

// findNth returns the elements that a selector chooses in each of some parts.
func (r *Resolver) findNth(from []tree.Part, s selector) (found []tree.Part) {
	left := max(minScanned, len(r.tree.Original.Text)) // elements inside each other are read several times
	for i := range from {
		p := &from[i]
		if left -= p.Len(); left < 0 && i > 0 {
			break
		}
		if p.IsTop() {
			found = append(found, choose(r, r.namedSections(p.Section, s.tag), &s, func(q tree.Part) []byte { return q.Bytes() })...)
			continue
		}
		if p.Source == nil || p.Section < 0 {
			continue
		}
		leaf := p.Origin
		if !isElement(*p) {
			leaf = &tree.Origin{Base: p}
		}
		text := p.Bytes()
		for _, span := range choose(r, r.childrenWith(text, s.tag), &s, func(span [2]int) []byte { return text[span[0]:span[1]] }) {
			found = append(found, r.sectionOrElement(p, leaf, p.Start+span[0], p.Start+span[1]))
		}
	}
	return found
}

// childrenWith returns the spans of the elements with this tag directly inside the first
// element of text. A tag without a prefix means any prefix if no element has none. It returns
// none if there are more than MaxElements, because the last one would be another element.
func (r *Resolver) childrenWith(text []byte, tag string) [][2]int {
	all := r.language.Children(text, tag, MaxElements+1)
	if len(all) > MaxElements {
		return nil
	}
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

// followTags follows a path of tags, positions and conditions from the root as XPath does,
// exactly if it begins with a slash; else a tag also means any prefix in elements that have
// none without. It returns nothing for other paths, and if there is no such element.
func (r *Resolver) followTags(path string) []tree.Part {
	path, isXPath := strings.CutPrefix(strings.TrimSuffix(path, "/"), "/")
	segments := splitSegments(path)
	if !r.language.HasElements() || path == "" || len(segments) > maxPositions {
		return nil
	}
	from := []tree.Part{r.tree.Top()}
	for _, segment := range segments {
		s, ok := cutSelector(segment)
		if !ok {
			s = selector{tag: ids.Unescape(segment), n: anyPosition}
		}
		if from = r.findNth(from, s); isXPath {
			from = r.leaves.preferTag(from, s.tag)
		}
		if len(from) == 0 || len(from) > MaxElements {
			return nil
		}
	}
	return from
}

// preferTag returns the elements with exactly this tag, or all of them if each has a namespace prefix.
func (l *leaves) preferTag(parts []tree.Part, tag string) []tree.Part {
	isOther := func(p tree.Part) bool { return l.language.Tag(p.Bytes()) != tag }
	if same := slices.DeleteFunc(slices.Clone(parts), isOther); len(same) > 0 {
		return same
	}
	return parts
}

// namedSections returns the Sections in the bytes of a Section that are elements with
// this tag.
func (r *Resolver) namedSections(home int32, tag string) (found []tree.Part) {
	for _, i := range r.tree.Cover(home) {
		if p := r.tree.Part(i); r.leaves.isNamed(&p, tag) {
			found = append(found, p)
		}
	}
	return r.leaves.preferTag(found, tag)
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
func (r *Resolver) findNthAnywhere(s selector) []tree.Part {
	if s.n == 0 {
		return slices.DeleteFunc(r.leaves.findBelow([]tree.Part{r.tree.Top()}, s.tag), func(p tree.Part) bool { return !r.leaves.matches(&s, p.Bytes()) })
	}
	var parents []tree.Part
	seen := map[int32]bool{}
	for i := range r.tree.Sections {
		p := r.tree.Part(int32(i))
		parent := r.tree.Home(int32(i))
		if r.tree.IsLeaf(&p) && p.IsContent() && len(r.childrenWith(p.Bytes(), s.tag)) > 0 {
			parent = int32(i)
		} else if !r.leaves.isNamed(&p, s.tag) {
			continue
		}
		if !seen[parent] && len(parents) < maxParents {
			seen[parent] = true
			parents = append(parents, r.tree.Part(parent))
		}
	}
	return r.findNth(parents, s)
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
