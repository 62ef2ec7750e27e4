package find

import (
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/section/ids"
	"github.com/mcpctl/mcpctl/host/section/tree"
)

// addLoose returns next, which contains the parts that segment names literally, plus
// the other parts that segment may mean: numbered siblings and elements in leaves. If
// there are none, it adds the children of the items of a list. If there are still none,
// it adds the blocks with this name in each leaf of from, else the leaf if it contains something
// with this name, or in code the members that it declares. In languages with keys it always adds
// these: only the large items of a list are split into parts, and the small ones would be missed.
func (r *Resolver) addLoose(from []tree.Part, segment string, next []tree.Part) []tree.Part {
	if strings.HasPrefix(segment, "@") || strings.HasPrefix(segment, "~") {
		return next
	}
	if _, ok := ids.Position(segment); ok && len(next) > 0 {
		return next
	}
	found := newUniqueParts(next)
	found.addAll(from, segment, func(p tree.Part, segment string) []tree.Part {
		return r.findChildrenLike(p, segment, len(next) > 0)
	})
	if inner := r.leaves.findChildren(from, segment); len(inner) > 0 {
		found.parts = append(found.parts, inner...)
		slices.SortStableFunc(found.parts, func(a, b tree.Part) int { return a.Start - b.Start })
	}
	if len(found.parts) == 0 && !r.isDeclared(from) {
		found.addAll(from, segment, r.findInItems)
	}
	_, isPosition := ids.Position(segment)
	switch {
	case isPosition:
		if len(found.parts) == 0 && r.language.HasKeys() {
			found.addAll(from, segment, r.leaves.findItem)
		}
		if len(found.parts) == 0 && r.language.HasKeys() { // a key that is a number
			found.addAll(from, segment, r.leaves.findNamed)
		}
	case r.language.HasDeclarations():
		if len(found.parts) == 0 {
			found.addAll(from, segment, r.leaves.findMembers)
		}
	case len(found.parts) == 0, r.language.HasKeys():
		found.addAll(from, segment, r.leaves.findNamed)
	}
	return found.parts
}

// isDeclared reports whether parts are declarations of code. The members of a type in them
// are not theirs.
func (r *Resolver) isDeclared(parts []tree.Part) bool {
	return r.language.HasDeclarations() && len(parts) > 0 && !parts[0].IsTop()
}

// findChildrenLike returns the children of p that a segment may mean. If isExact, the segment
// is the id of one, and only the siblings with that id and a number are added, not those that
// only have the same slug.
func (r *Resolver) findChildrenLike(p tree.Part, segment string, isExact bool) []tree.Part {
	if p.Kind != tree.KindSection {
		return nil
	}
	name := ids.Unescape(segment)
	if isExact {
		return r.findChildrenNamed(p, name, "")
	}
	if found := r.findChildrenNamed(p, name, slugOf(name)); len(found) > 0 || !r.language.HasHeadings() {
		return found
	}
	var found []tree.Part
	r.tree.EachChild(p.Section, func(i int32) bool {
		if r.leaves.isHeading(&r.tree.Sections[i], name) {
			found = append(found, r.tree.Part(i))
		}
		return len(found) < MaxMatches
	})
	return found
}

// findChildrenNamed returns the children of p with this name. If a group and a member of
// it match, such as the group of all elements with a tag, the group is left out.
func (r *Resolver) findChildrenNamed(p tree.Part, name, slug string) (found []tree.Part) {
	var groups map[int32]bool // groups that contain a match
	hasElements := r.language.HasElements()
	r.tree.EachChild(p.Section, func(i int32) bool {
		s := &r.tree.Sections[i]
		if !isNamed(s, name, slug) && (!hasElements || s.Kind == abi.SectionGroup || !r.language.IsTag(ids.TrimNumber(s.ID), name)) {
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

// isNamed reports whether name may refer to a Section: it is the id, ignoring case and a
// number at the end, the part before = in an id such as tag=value, or the title.
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

// findInItems skips one level: it returns the children with this name of each child or
// JSON item of p. A child without parts is returned itself if it contains the name.
func (r *Resolver) findInItems(p tree.Part, segment string) (found []tree.Part) {
	if isElement(p) {
		return nil
	}
	name := ids.Unescape(segment)
	id, slug := abi.Segment(name), slugOf(name)
	if items := r.json.items(p); len(items) > 0 {
		for _, item := range items {
			inner := r.findChildByID(item, segment, id)
			if len(inner) == 0 {
				inner, _ = r.json.follow(item, []string{segment})
			}
			if found = append(found, inner...); len(found) > MaxMatches {
				break
			}
		}
		return found
	}
	if found = r.json.findInArrays(p, segment); len(found) > 0 || !p.IsSection() {
		return found
	}
	r.tree.EachChild(p.Section, func(i int32) bool {
		child := r.tree.Part(i)
		if r.tree.HasParts(&child) && r.tree.Sections[i].Kind != abi.SectionGroup {
			found = append(found, r.findChildrenNamed(child, name, slug)...)
		} else {
			found = append(found, r.leaves.findNamed(child, segment)...)
		}
		return len(found) < MaxMatches
	})
	return found
}
