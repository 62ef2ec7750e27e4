// Package find resolves a path to the part of a content that it names.
//
// A path that an index offered names one part exactly. A model may also write a
// path of its own: names instead of ids, dots instead of slashes, a heading as it
// is in the text, or a path that skips the items of a list. Resolver.One tries
// these spellings; a path that matches several parts is answered by a set of them.
package find

import (
	"slices"
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/section/ids"
	"github.com/mcpctl/mcpctl/host/section/printer"
	"github.com/mcpctl/mcpctl/host/section/tree"
)

const (
	// MaxMatches is the number of parts that a path may match.
	MaxMatches = 4096
	// MaxElements is the number of elements in leaves that a path may match.
	MaxElements = 1 << 14
)

// Language is the knowledge about a type of content that paths into leaves need.
// Package syntax implements it.
type Language interface {
	// IsDeclared reports whether a stage declared a type that determines the syntax.
	IsDeclared() bool
	// HasElements reports whether leaves contain elements, which paths continue into.
	HasElements() bool
	// HasBlocks reports whether leaves contain keys or headings.
	HasBlocks() bool
	// HasKeys reports whether leaves contain keys.
	HasKeys() bool
	// IsTag reports whether a tag has this name.
	IsTag(tag, name string) bool
	// HasTag reports whether text begins with an element with this tag.
	HasTag(text []byte, name string) bool
	// Children returns the spans of the elements with this tag directly inside the
	// first element of text.
	Children(text []byte, tag string, limit int) [][2]int
	// Inside returns the spans in text[start:end] of the elements, keys or headings
	// with this name.
	Inside(text []byte, start, end int, name string, limit int) [][2]int
}

// Resolver finds the parts of one Tree by their paths.
type Resolver struct {
	tree     *tree.Tree
	printer  *printer.Printer
	language Language
	json     *jsonPaths
	leaves   leaves
}

// New returns a Resolver. The Printer decides which part is read for a line.
func New(t *tree.Tree, language Language, pr *printer.Printer) *Resolver {
	json := &jsonPaths{tree: t}
	return &Resolver{t, pr, language, json, leaves{t, language, json}}
}

// One returns the part that a path names exactly, else the part or the set of
// parts that it matches. If the path of the set names another part exactly, that
// part is returned.
func (r *Resolver) One(path string) (tree.Part, bool) {
	if exact, ok := r.Exact(path); ok {
		return exact, true
	}
	found, name := r.find(path)
	members := withLeaves(found)
	switch len(members) {
	case 0:
		return tree.Part{}, false
	case 1:
		return members[0], true
	}
	set := r.SetOf(name, members)
	if exact, ok := r.Exact(set.Tail); ok {
		return exact, true
	}
	set.Exact = found
	return set, true
}

// Exact returns the part that a path names by its id or position.
func (r *Resolver) Exact(path string) (tree.Part, bool) {
	found := r.resolve(path, true)
	if len(found) != 1 {
		return tree.Part{}, false
	}
	return found[0], true
}

// find returns the parts that a path may mean: a fold of a set, else what match
// finds, else a line of the text. It also returns the spelling that matched.
func (r *Resolver) find(path string) (found []tree.Part, name string) {
	if fold, ok := r.foldOfSet(path); ok {
		return []tree.Part{fold}, path
	}
	if found, name = r.match(path); len(found) > 0 {
		return found, name
	}
	if line, ok := r.lineNamed(r.tree.Top(), path); ok {
		return []tree.Part{line}, path
	}
	return nil, path
}

// match returns the parts that a path matches from the root, else from any Section
// with the name in its first segment, else the Sections whose title is the path,
// else the keys and headings inside leaves with this name.
func (r *Resolver) match(path string) (found []tree.Part, name string) {
	spellings := []string{path}
	if slashed := WithSlashes(path); slashed != path && !strings.Contains(slashed, "//") { // two dots are those of a fold
		spellings = append(spellings, slashed)
	}
	fromRoot := func(path string) []tree.Part { return r.resolve(path, false) }
	fromAnywhere := func(path string) []tree.Part { return r.fromAnywhere(split(path)) }
	asTitle := func(path string) []tree.Part { return r.fromAnywhere([]string{path}) }
	for _, way := range [...]func(path string) []tree.Part{fromRoot, fromAnywhere, asTitle, r.insideLeaves} {
		for _, name = range spellings {
			if found = way(name); len(found) > 0 {
				return found, name
			}
		}
	}
	return nil, path
}

// insideLeaves returns the keys or headings with this name inside leaves, wherever
// they are.
func (r *Resolver) insideLeaves(path string) []tree.Part {
	if segments := split(path); len(segments) == 1 && r.language.HasBlocks() {
		return r.leaves.anywhereBelow([]tree.Part{r.tree.Top()}, segments[0])
	}
	return nil
}

func split(path string) []string { return strings.Split(strings.Trim(path, "/"), "/") }

// resolve follows a path from the root. If strict, each segment is only what it
// literally names, else all that it may mean.
func (r *Resolver) resolve(path string, strict bool) []tree.Part {
	path = strings.TrimSuffix(strings.TrimPrefix(path, "/"), "/")
	if path == "" {
		return []tree.Part{r.tree.Top()}
	}
	if reached, left := r.walk([]tree.Part{r.tree.Top()}, strings.Split(path, "/"), strict); len(left) == 0 {
		return reached
	}
	return nil
}

// Reach follows segments as far as they lead, from the root or else from any
// Section that the first one names. It returns the leaves that it reached and the
// segments that are left.
func (r *Resolver) Reach(path string) (reached []tree.Part, left []string) {
	segments := strings.Split(path, "/")
	reached, left = r.walk([]tree.Part{r.tree.Top()}, segments, false)
	if len(left) == len(segments) {
		if from := r.fromAnywhere(split(segments[0])); len(from) > 0 {
			reached, left = r.walk(from, segments[1:], false)
		}
	}
	return withLeaves(reached), left
}

// walk follows segments from some parts as far as they lead, and returns the
// segments that are left.
func (r *Resolver) walk(from []tree.Part, segments []string, strict bool) (reached []tree.Part, left []string) {
	for depth := 0; len(segments) > 0; depth++ {
		next, used := r.literally(from, segments)
		if !strict && used < 2 && depth < tree.MaxDepth { // each loose step may read all bytes
			if len(next) == 0 && segments[0] == "" && len(segments) > 1 {
				if next = r.leaves.anywhereBelow(from, segments[1]); len(next) > 0 {
					used = 2
				}
			}
			if used < 2 {
				next = r.loosely(from, segments[0], next)
			}
		}
		if len(next) == 0 {
			return from, segments
		}
		limit := MaxMatches
		if isElement(next[len(next)-1]) {
			limit = MaxElements
		}
		from, segments = next[:min(len(next), limit)], segments[max(used, 1):]
	}
	return from, nil
}

// literally follows the first segment by what it literally names, and returns the
// number of segments that it followed: in JSON it may be more than one.
func (r *Resolver) literally(from []tree.Part, segments []string) (next []tree.Part, used int) {
	used = 1
	for _, p := range from {
		if isElement(p) { // its only children are elements
			continue
		}
		found := r.child(p, segments[0])
		switch {
		case len(found) > 0:
		case len(from) == 1:
			found, used = r.json.follow(p, segments)
		default:
			found, _ = r.json.follow(p, segments[:1])
		}
		if len(found) == 0 {
			found = r.generated(p, segments[0])
		}
		if next = append(next, found...); len(next) > MaxMatches {
			break
		}
	}
	return next, used
}

// child returns the child with the id in segment, which may be escaped or not.
func (r *Resolver) child(p tree.Part, segment string) []tree.Part {
	return r.childWithID(p, segment, abi.Segment(ids.Unescape(segment)))
}

// childWithID is child with the escaped id computed by the caller, once for many
// parts.
func (r *Resolver) childWithID(p tree.Part, segment, id string) []tree.Part {
	if p.Kind == tree.KindFold {
		return r.childWithID(*p.Base, segment, id)
	}
	if p.Kind != tree.KindSection {
		return nil
	}
	owner := r.tree.OwnerIn(&p)
	if i, ok := r.tree.Child(owner, segment); ok {
		return []tree.Part{r.tree.Part(i)}
	}
	if strings.HasPrefix(segment, "~") || strings.HasPrefix(segment, "@") { // before a key that begins like a generated id
		if found := r.generated(p, segment); len(found) > 0 {
			return found
		}
	}
	if i, ok := r.tree.Child(owner, id); ok {
		return []tree.Part{r.tree.Part(i)}
	}
	return nil
}

// generated returns the part with an id that no stage chose: a position, fold,
// gap, window or line.
func (r *Resolver) generated(p tree.Part, segment string) []tree.Part {
	found, ok := tree.Part{}, false
	switch {
	case strings.HasPrefix(segment, "@"):
		if p.Kind == tree.KindSection {
			found, ok = ids.Fold(r.tree, p, segment)
		}
	case strings.HasPrefix(segment, "~B"), strings.HasPrefix(segment, "~D"):
		if p.IsTop() {
			found, ok = ids.Span(r.tree, segment)
		}
	case strings.HasPrefix(segment, "~L"):
		found, ok = ids.Window(p, segment)
	case strings.HasPrefix(segment, "L") && strings.Contains(segment, "@"):
		found, ok = ids.Page(p, segment)
	case strings.HasPrefix(segment, "~"):
		found, ok = ids.Gap(r.tree, p, segment)
	default:
		if found, ok = r.atPosition(p, segment); !ok && !p.IsTop() {
			found, ok = r.lineNamed(p, segment)
		}
	}
	if !ok {
		return nil
	}
	return []tree.Part{found}
}

// atPosition returns the child at a position among those that are bytes of the
// content.
func (r *Resolver) atPosition(p tree.Part, segment string) (tree.Part, bool) {
	n, ok := ids.Position(segment)
	if !ok || p.Kind != tree.KindSection {
		return tree.Part{}, false
	}
	list := r.tree.Kids(p.Section)
	if p.IsContent() {
		list = r.tree.Cover(p.Section)
	}
	if n >= len(list) {
		return tree.Part{}, false
	}
	return r.tree.Part(list[n]), true
}

// fromAnywhere follows segments from each Section whose id is the first one, with
// or without a number. If there is none it tries the slug of the name, the title,
// an abbreviated hash, and the end of an id, in this order.
func (r *Resolver) fromAnywhere(segments []string) []tree.Part {
	name := ids.Unescape(segments[0])
	id, slug := abi.Segment(name), slugOf(name)
	for _, matches := range [...]func(s *abi.Section, i int32) bool{
		func(s *abi.Section, _ int32) bool { return id != "" && ids.HasName(s.ID, id) },
		func(s *abi.Section, _ int32) bool { return slug != "" && ids.HasName(s.ID, slug) },
		func(s *abi.Section, _ int32) bool { return ids.HasTitle(s, name, slug) },
		func(s *abi.Section, _ int32) bool { return isSameHash(s.ID, name) },
		func(s *abi.Section, i int32) bool { return r.endsWith(i, name) },
	} {
		var from []tree.Part
		for i := range r.tree.Sections {
			if len(from) < MaxMatches && matches(&r.tree.Sections[i], int32(i)) {
				from = append(from, r.tree.Part(int32(i)))
			}
		}
		if reached, left := r.walk(from, segments[1:], false); len(left) == 0 && len(reached) > 0 {
			return reached
		}
	}
	return nil
}

// slugOf returns the slug of a name in a path, or "" for a negative number, because
// its slug would be the position of another Section.
func slugOf(name string) string {
	if digits, signed := strings.CutPrefix(name, "-"); signed {
		if _, err := strconv.ParseUint(digits, 10, 64); err == nil {
			return ""
		}
	}
	return abi.Slug(name)
}

// endsWith reports whether name is the last component of the id of a Section. In
// JSON a name is a whole key.
func (r *Resolver) endsWith(section int32, name string) bool {
	s := &r.tree.Sections[section]
	return s.Kind != abi.SectionGroup && EndsWith(s.ID, name) && !r.tree.SyntaxIn(r.tree.Part(r.tree.Home(section))).IsJSON()
}

// EndsWith reports whether name is the last component of an id, as in Service:app,
// book=b5, S.Run or dir/file.go.
func EndsWith(id, name string) bool {
	const separators = ":=./#"
	head, ok := strings.CutSuffix(ids.Unescape(id), name)
	return ok && len(name) > 1 && head != "" && strings.IndexByte(separators, head[len(head)-1]) >= 0
}

// isSameHash reports whether one of two hexadecimal hashes abbreviates the other, as
// git does.
func isSameHash(id, name string) bool {
	const minLength, maxLength = 7, 64 // SHA-256 has 64 digits
	if len(id) < minLength || len(name) < minLength || len(id) == len(name) || len(name) > maxLength {
		return false
	}
	long, short := id, strings.ToLower(name)
	if len(long) < len(short) {
		long, short = short, long
	}
	return strings.HasPrefix(long, short) && strings.Trim(long, "0123456789abcdef") == "" && strings.ContainsAny(long, "abcdef")
}

// loosely adds to next, the parts that segment literally names, the other parts
// that it may mean: numbered siblings, elements in leaves, and children of the
// items of a list. If from are leaves, the ones that contain something with this
// name match themselves. With keys they match even if next is not empty: of the
// items of a list, the large ones have parts and the small ones have not.
func (r *Resolver) loosely(from []tree.Part, segment string, next []tree.Part) []tree.Part {
	if strings.HasPrefix(segment, "@") || strings.HasPrefix(segment, "~") {
		return next
	}
	if _, ok := ids.Position(segment); ok && len(next) > 0 {
		return next
	}
	found := newUniqueParts(next)
	found.addAll(from, segment, r.childrenLike)
	if inner := r.leaves.children(from, segment); len(inner) > 0 {
		found.parts = append(found.parts, inner...)
		slices.SortStableFunc(found.parts, func(a, b tree.Part) int { return a.Start - b.Start })
	}
	if len(found.parts) == 0 {
		found.addAll(from, segment, r.childrenOfItems)
	}
	if len(found.parts) == 0 || r.language.HasKeys() {
		found.addAll(from, segment, r.leaves.ifContains)
	}
	return found.parts
}

// childrenLike returns the children of p that a segment may mean.
func (r *Resolver) childrenLike(p tree.Part, segment string) []tree.Part {
	if p.Kind != tree.KindSection {
		return nil
	}
	name := ids.Unescape(segment)
	return r.childrenNamed(p, name, slugOf(name))
}

// childrenNamed returns the children of p with this name. A group whose members
// have the name too, as the group of all elements with a tag, is left out.
func (r *Resolver) childrenNamed(p tree.Part, name, slug string) (found []tree.Part) {
	var groups map[int32]bool // those that contain a found part
	isElement := r.language.HasElements()
	r.tree.EachChild(p.Section, func(i int32) bool {
		s := &r.tree.Sections[i]
		if !isNamed(s, name, slug) && (!isElement || s.Kind == abi.SectionGroup || !r.language.IsTag(ids.Unnumbered(s.ID), name)) {
			return true
		}
		found = append(found, r.tree.Part(i))
		for up := s.Parent; up >= 0 && r.tree.Sections[up].Kind == abi.SectionGroup; up = r.tree.Sections[up].Parent {
			if groups == nil {
				groups = make(map[int32]bool)
			}
			groups[int32(up)] = true
		}
		return len(found) < MaxMatches
	})
	if groups == nil {
		return found
	}
	return slices.DeleteFunc(found, func(p tree.Part) bool { return groups[p.Section] })
}

// isNamed reports whether a reader may call a Section by this name: its id with or
// without case or number, the tag of tag=value, or its title.
func isNamed(s *abi.Section, name, slug string) bool {
	id := strings.TrimPrefix(s.ID, "@")
	if tag, _, ok := strings.Cut(id, "="); ok && strings.EqualFold(tag, name) {
		return true
	}
	if ids.IsNumbered(id, name) || slug != "" && ids.IsNumbered(id, slug) {
		return true
	}
	return slug != "" && (id == slug || strings.EqualFold(id, name) || ids.HasTitle(s, name, slug))
}

// childrenOfItems returns the children with this name of each child of p.
func (r *Resolver) childrenOfItems(p tree.Part, segment string) (found []tree.Part) {
	if isElement(p) {
		return nil
	}
	name := ids.Unescape(segment)
	id, slug := abi.Segment(name), slugOf(name)
	if items := r.json.items(p); len(items) > 0 {
		for _, item := range items {
			inner := r.childWithID(item, segment, id)
			if len(inner) == 0 {
				inner, _ = r.json.follow(item, []string{segment})
			}
			if found = append(found, inner...); len(found) > MaxMatches {
				break
			}
		}
		return found
	}
	if !p.IsSection() {
		return nil
	}
	r.tree.EachChild(p.Section, func(i int32) bool {
		child := r.tree.Part(i)
		if r.tree.HasParts(&child) && r.tree.Sections[i].Kind != abi.SectionGroup {
			found = append(found, r.childrenNamed(child, name, slug)...)
		} else {
			found = append(found, r.leaves.ifContains(child, segment)...)
		}
		return len(found) < MaxMatches
	})
	return found
}

// InnerParts returns the parts of p that are bytes of it: Sections, or the values
// of a JSON container that has none. It returns the first tree.MaxSections and the
// number of all.
func (r *Resolver) InnerParts(p *tree.Part) (parts []tree.Part, n int) { return r.json.inner(p) }

// IsNamed reports whether p is a Section for an element, key or heading with this
// name, or contains one.
func (r *Resolver) IsNamed(p *tree.Part, name string) bool {
	return r.leaves.isNamed(p, name) || len(r.leaves.inside(p, name)) > 0
}
