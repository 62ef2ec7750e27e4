// Package find resolves a path to the part of a content that it names.
//
// A path that an index offered names one part exactly. A model may also write a
// path of its own: names instead of ids, dots instead of slashes, a heading as it
// is in the text, or a path that skips the items of a list. Resolver.Resolve tries
// these spellings; a path that matches several parts is answered by a set of them.
package find

import (
	"slices"
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
	// maxPositions is the depth up to which segments may have positions; each reads all
	// bytes of an element.
	maxPositions = 32
	// maxElementSteps is the number of steps of a path from element to element in a leaf.
	maxElementSteps = 8
)

// Language is the knowledge about a type of content that paths into leaves need.
// Package language implements it.
type Language interface {
	// IsDeclared reports whether the type determines the syntax of the whole content.
	IsDeclared() bool
	// Blocks returns the spans of the outermost blocks of text with a name, if the type of the
	// content declares blocks.
	Blocks(text []byte, column int, own, name string, limit int) [][2]int
	// HasName reports whether text contains a name that the type of the content declares.
	HasName(text []byte, name string) bool
	// HasElements reports whether leaves contain elements, which paths continue into.
	HasElements() bool
	// HasKeys reports whether leaves contain keys.
	HasKeys() bool
	// HasHeadings reports whether Sections begin with their headings.
	HasHeadings() bool
	// HasDeclarations reports whether leaves declare names with members.
	HasDeclarations() bool
	// Declarations returns the spans of the declarations of a name in text, at any depth.
	Declarations(text []byte, name string, limit int) [][2]int
	// Members returns the spans of the declarations of a name directly below an outermost
	// declaration of text.
	Members(text []byte, name string, limit int) [][2]int
	// DeclaresFirst reports whether text begins with a declaration of name, which has
	// members.
	DeclaresFirst(text []byte, name string) bool
	// IsTag reports whether a tag has this name.
	IsTag(tag, name string) bool
	// HasTag reports whether text begins with an element with this tag.
	HasTag(text []byte, name string) bool
	// Tag returns the tag of the element at the beginning of text, or "".
	Tag(text []byte) string
	// Attribute returns the value of an attribute of the element at the beginning of text.
	Attribute(text []byte, name string) (value []byte, ok bool)
	// Content returns the text of the element at the beginning of text, if it contains no
	// markup.
	Content(text []byte) (content []byte, ok bool)
	// Children returns the spans of the elements with this tag directly inside the
	// first element of text.
	Children(text []byte, tag string, limit int) [][2]int
	// Inside returns the spans of the elements with this tag at any depth inside the
	// first element of text. A span inside another one is left out.
	Inside(text []byte, tag string, limit int) [][2]int
}

// Resolver finds the parts of one Tree by their paths.
type Resolver struct {
	tree     *tree.Tree
	printer  *printer.Printer
	language Language
	json     *jsonPaths
	leaves   leaves
	wrapper  string // see WithWrapper
}

// New returns a Resolver. The Printer decides which part is read for a line.
func New(t *tree.Tree, language Language, pr *printer.Printer) *Resolver {
	json := &jsonPaths{tree: t}
	return &Resolver{tree: t, printer: pr, language: language, json: json, leaves: leaves{tree: t, language: language, json: json}}
}

// WithWrapper returns a copy of r that accepts paths with the additional first segment key,
// as if the content were the member key of an object.
func (r *Resolver) WithWrapper(key string) *Resolver {
	c := *r
	c.wrapper = key
	return &c
}

// trimWrapper returns a path without the key of the wrapper. ok is false if the path
// does not begin with it, or a part of the content has that name.
func (r *Resolver) trimWrapper(path string) (rest string, ok bool) {
	first, rest, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	if r.wrapper == "" || first != r.wrapper {
		return "", false
	}
	found, _ := r.followLiterally([]tree.Part{r.tree.Top()}, []string{first})
	return rest, len(found) == 0
}

// Resolve returns the part that a path names exactly, else the part or the set of
// parts that it matches. If the path of the set names another part exactly, that
// part is returned.
func (r *Resolver) Resolve(path string) (tree.Part, bool) {
	r = r.withBudget()
	if exact, ok := r.ResolveExact(path); ok {
		return exact, true
	}
	isXPath := strings.HasPrefix(path, "/") && r.language.HasElements()
	if rest, ok := r.trimWrapper(path); ok {
		return r.Resolve(rest)
	}
	found, name := r.find(path)
	if len(found) == 1 || r.hasPosition(path) {
		found = asRanges(found)
	}
	members := replaceByLeaves(found)
	if len(members) == 1 && len(found) > 1 { // all of them are in one leaf
		found = asRanges(found)
		members = found
	}
	switch len(members) {
	case 0:
		return tree.Part{}, false
	case 1:
		return members[0], true
	}
	set := r.NewSet(name, members)
	if exact, ok := r.ResolveExact(set.Tail); ok {
		if !isXPath {
			return exact, true
		}
		set.Tail = "/" + set.Tail // without the slash, it is the id of one of them
	}
	set.Exact = found
	return set, true
}

// ResolveExact returns the part that a path names by its id or position.
//
// A JSON value below the last Section has no id of its own: its path is exact only if it
// is the only value with this path, because an object may have a key twice.
func (r *Resolver) ResolveExact(path string) (tree.Part, bool) {
	found := r.follow(path, true)
	if len(found) != 1 || isElement(found[0]) {
		return tree.Part{}, false
	}
	if strings.HasPrefix(path, "/") && found[0].IsSection() && len(r.followTags(path)) > 0 {
		return tree.Part{}, false // it is a path of XPath, not an id
	}
	if found[0].Kind == tree.KindValue && !strings.HasPrefix(path, "~") {
		if same, _ := r.json.query(path); len(same) > 1 {
			return tree.Part{}, false
		}
	}
	return found[0], true
}

// find returns the parts that a path may mean: a fold of a set, else the results of
// match, else a line of the text. It also returns the spelling that matched.
func (r *Resolver) find(path string) (found []tree.Part, name string) {
	if fold, ok := r.findFoldOfSet(path); ok {
		return []tree.Part{fold}, path
	}
	if found, name = r.match(path); len(found) > 0 {
		return found, name
	}
	if line, ok := r.findLine(r.tree.Top(), path); ok {
		return []tree.Part{line}, path
	}
	return nil, path
}

// match returns the parts that a path matches from the root, else from any Section
// with the name in its first segment, else the Sections that have the path as title.
func (r *Resolver) match(path string) (found []tree.Part, name string) {
	found, isFinal := r.json.query(path)
	if len(found) > 1 {
		return found, allWithSlashes(path)
	}
	if len(found) == 1 {
		return found, path
	}
	if isFinal {
		slashed := WithSlashes(path)
		isOutsideStrings := func(p tree.Part) bool { return p.Source == r.tree.Original }
		return slices.DeleteFunc(r.follow(slashed, true), isOutsideStrings), slashed
	}
	if found = r.followTags(path); len(found) > 0 {
		return found, path
	}
	spellings := []string{path}
	if slashed := WithSlashes(path); slashed != path && !strings.Contains(slashed, "//") && !r.hasPosition(path) { // two dots are those of a fold
		spellings = append(spellings, slashed)
	}
	spellings = append(spellings, codeSpellings(path)...)
	fromRoot := func(path string) []tree.Part {
		if found := r.follow(path, false); len(found) > 0 {
			return found
		}
		return r.followKeys(r.tree.Top(), expression{rest: "/" + strings.TrimLeft(path, "./$")}, 0)
	}
	fromAnywhere := func(path string) []tree.Part { return r.followFromAnywhere(split(path)) }
	asTitle := func(path string) []tree.Part { return r.followFromAnywhere([]string{strings.Trim(path, "/")}) }
	for _, way := range [...]func(path string) []tree.Part{fromRoot, fromAnywhere, asTitle} {
		for _, name = range spellings {
			if found = way(name); len(found) > 0 {
				return found, name
			}
		}
	}
	return nil, path
}

func split(path string) []string { return splitSegments(strings.Trim(path, "/")) }

// follow follows a path from the root. If strict, each segment names one part
// literally, else all parts that it may mean.
func (r *Resolver) follow(path string, strict bool) []tree.Part {
	path = strings.TrimSuffix(strings.TrimPrefix(path, "/"), "/")
	if path == "" {
		return []tree.Part{r.tree.Top()}
	}
	if reached, left := r.walk([]tree.Part{r.tree.Top()}, splitSegments(path), strict); len(left) == 0 {
		return reached
	}
	return nil
}

// followKeys follows a path whose names without quotes contain dots or slashes, such as
// paths./rivers.get, along the ids of Sections. Below the last one, names have none.
func (r *Resolver) followKeys(p tree.Part, e expression, depth int) (found []tree.Part) {
	if e.isEnd() || depth > tree.MaxDepth || r.language.HasElements() {
		return nil
	}
	s := e.next()
	r.tree.EachChild(p.Section, func(i int32) bool {
		rest, how, ok := s.matchPlain(ids.Unescape(r.tree.Sections[i].ID))
		if !ok || s.kind != stepName || r.tree.Sections[i].Kind == abi.SectionGroup {
			return true
		}
		child := r.tree.Part(i)
		if inner := r.followKeys(child, expression{rest: rest}, depth+1); len(inner) > 0 {
			found = append(found, inner...)
		} else if how == readsJoined || depth > 0 { // else follow has read it the same way
			if reached, left := r.walk([]tree.Part{child}, split(WithSlashes(rest)), false); rest == "" || len(left) == 0 {
				found = append(found, reached...)
			}
		}
		return len(found) < MaxMatches
	})
	return found
}

// Reach follows segments as far as they lead, from the root or else from any
// Section that the first one names. It returns the leaves that it reached and the
// segments that are left.
func (r *Resolver) Reach(path string) (reached []tree.Part, left []string) {
	r = r.withBudget()
	segments := splitSegments(path)
	reached, left = r.walk([]tree.Part{r.tree.Top()}, segments, false)
	if len(left) == len(segments) {
		if from := r.followFromAnywhere(split(segments[0])); len(from) > 0 {
			reached, left = r.walk(from, segments[1:], false)
		}
	}
	return replaceByLeaves(reached), left
}

// walk follows segments from some parts as far as they lead, and returns the
// segments that are left.
func (r *Resolver) walk(from []tree.Part, segments []string, strict bool) (reached []tree.Part, left []string) {
	for depth, inLeaf := 0, 0; len(segments) > 0; depth++ {
		if s, ok := cutSelector(segments[0]); ok && r.language.HasElements() && depth < maxPositions {
			if next := r.findNth(from, s); len(next) > 0 {
				from, segments = next, segments[1:]
				continue
			}
		}
		next, used := r.followLiterally(from, segments)
		if len(from) > 0 && isElement(from[0]) {
			inLeaf++
		}
		if !strict && used < 2 && depth < tree.MaxDepth && (inLeaf < maxElementSteps || !r.language.HasElements()) { // each loose step may read all bytes
			if len(next) == 0 && segments[0] == "" && len(segments) > 1 {
				if next = r.findBelow(from, segments[1]); len(next) > 0 {
					used = 2
				}
			}
			if s, ok := cutNumber(segments[0]); ok && len(next) == 0 && r.language.HasElements() {
				if next = r.findNth(from, s); len(next) > 0 {
					from, segments = next, segments[1:]
					continue
				}
			}
			if used < 2 {
				next = r.addLoose(from, segments[0], next)
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

// findBelow returns the parts with this name at any depth below some parts, as a//b does.
func (r *Resolver) findBelow(from []tree.Part, segment string) []tree.Part {
	if s, ok := cutSelector(segment); ok && r.language.HasElements() && len(from) == 1 && from[0].IsTop() {
		return r.findNthAnywhere(s)
	}
	return r.leaves.findBelow(from, segment)
}

// followLiterally returns the parts that the first segment literally names, and the
// number of segments that it followed: in JSON it may be more than one.
func (r *Resolver) followLiterally(from []tree.Part, segments []string) (next []tree.Part, used int) {
	used = 1
	for _, p := range from {
		if isElement(p) { // its only children are elements
			continue
		}
		found := r.findChild(p, segments[0])
		switch {
		case len(found) > 0:
		case len(from) == 1:
			found, used = r.json.follow(p, segments)
		default:
			found, _ = r.json.follow(p, segments[:1])
		}
		if len(found) == 0 {
			found = r.findGenerated(p, segments[0])
		}
		if next = append(next, found...); len(next) > MaxMatches {
			break
		}
	}
	return next, used
}

// findChild returns the child with the id in segment, which may be escaped or not.
func (r *Resolver) findChild(p tree.Part, segment string) []tree.Part {
	return r.findChildByID(p, segment, abi.Segment(ids.Unescape(segment)))
}

// findChildByID is child with the escaped id computed by the caller, once for many
// parts.
func (r *Resolver) findChildByID(p tree.Part, segment, id string) []tree.Part {
	if p.Kind == tree.KindFold {
		return r.findChildByID(*p.Base, segment, id)
	}
	if p.Kind != tree.KindSection {
		return nil
	}
	owner := r.tree.OwnerIn(&p)
	if i, ok := r.tree.Child(owner, segment); ok {
		return []tree.Part{r.tree.Part(i)}
	}
	if strings.HasPrefix(segment, "~") || strings.HasPrefix(segment, "@") { // before a key that begins like a generated id
		if found := r.findGenerated(p, segment); len(found) > 0 {
			return found
		}
	}
	if sign, isGroup := strings.CutPrefix(segment, "@"); isGroup {
		id = "@" + abi.Segment(ids.Unescape(sign))
	}
	if i, ok := r.tree.Child(owner, id); ok {
		return []tree.Part{r.tree.Part(i)}
	}
	return nil
}

// findGenerated returns the part with an id that no stage chose: a position, fold,
// gap, window or line.
func (r *Resolver) findGenerated(p tree.Part, segment string) []tree.Part {
	found, ok := tree.Part{}, false
	switch {
	case strings.HasPrefix(segment, "@"):
		if p.Kind == tree.KindSection {
			found, ok = ids.ParseFold(r.tree, p, segment)
		}
	case strings.HasPrefix(segment, "~B"), strings.HasPrefix(segment, "~D"):
		if p.IsTop() {
			found, ok = ids.ParseSpan(r.tree, segment)
		}
	case strings.HasPrefix(segment, "~L"):
		found, ok = ids.ParseWindow(p, segment)
	case strings.HasPrefix(segment, "L") && strings.Contains(segment, "@"):
		found, ok = ids.ParsePage(p, segment)
	case strings.HasPrefix(segment, "~"):
		found, ok = ids.ParseGap(r.tree, p, segment)
	default:
		if found, ok = r.findAtPosition(p, segment); !ok && !p.IsTop() {
			found, ok = r.findLine(p, segment)
		}
	}
	if !ok {
		return nil
	}
	return []tree.Part{found}
}

// findAtPosition returns the child at a position among those that are bytes of the
// content.
func (r *Resolver) findAtPosition(p tree.Part, segment string) (tree.Part, bool) {
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

// InnerParts returns the parts of p that are bytes of it: Sections, or the values
// of a JSON container that has none. It returns the first tree.MaxSections and the
// number of all.
func (r *Resolver) InnerParts(p *tree.Part) (parts []tree.Part, n int) { return r.json.inner(p) }

// IsNamed reports whether p is a Section for an element with this tag, or contains
// one.
func (r *Resolver) IsNamed(p *tree.Part, name string) bool {
	return r.leaves.isNamed(p, name) || len(r.leaves.findInside(p, name)) > 0
}
