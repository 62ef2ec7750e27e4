package find

import (
	"slices"
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/section/ids"
	"github.com/mcpctl/mcpctl/host/section/tree"
)

// followFromAnywhere follows segments from each Section whose id is the first one, with
// or without a number. If there is none it tries the slug of the name, the title, an
// abbreviated hash, the end of an id, the name at the beginning of a title, the value of
// a group, and the declarations of the name and the headings in leaves, in this order. A first
// segment such as td[3] is a position in the document.
func (r *Resolver) followFromAnywhere(segments []string) []tree.Part {
	if s, ok := cutSelector(segments[0]); ok && r.language.HasElements() {
		if reached, left := r.walk(r.findNthAnywhere(s), segments[1:], false); len(left) == 0 && len(reached) > 0 {
			return reached
		}
	}
	name := ids.Unescape(segments[0])
	id, slug := abi.Segment(name), slugOf(name)
	for _, matches := range [...]func(s *abi.Section, i int32) bool{
		func(s *abi.Section, _ int32) bool { return id != "" && ids.HasName(s.ID, id) },
		func(s *abi.Section, _ int32) bool { return slug != "" && ids.HasName(s.ID, slug) },
		func(s *abi.Section, _ int32) bool { return ids.HasTitle(s, name, slug) },
		func(s *abi.Section, _ int32) bool { return r.leaves.isHeading(s, name) },
		func(s *abi.Section, _ int32) bool { return isSameHash(s.ID, name) },
		func(s *abi.Section, i int32) bool { return r.endsWith(i, name) },
		func(s *abi.Section, _ int32) bool { return name != "" && isLead(s.Title, name) },
		func(s *abi.Section, _ int32) bool { return s.Kind == abi.SectionGroup && isGroupNamed(s.ID, name) },
	} {
		var from []tree.Part
		for i := range r.tree.Sections {
			if len(from) < MaxMatches && matches(&r.tree.Sections[i], int32(i)) {
				from = append(from, r.tree.Part(int32(i)))
			}
		}
		if r.language.HasElements() {
			from = r.replaceNames(from, name)
		}
		if reached, left := r.walk(r.dropMembers(from), segments[1:], false); len(left) == 0 && len(reached) > 0 {
			return reached
		}
	}
	for _, from := range [][]tree.Part{r.leaves.findDeclarations(name), r.leaves.findHeadings(name)} {
		if reached, left := r.walk(from, segments[1:], false); len(left) == 0 && len(reached) > 0 {
			return reached
		}
	}
	if s, ok := cutNumber(segments[0]); ok && r.language.HasElements() {
		if reached, left := r.walk(r.findNthAnywhere(s), segments[1:], false); len(left) == 0 {
			return reached
		}
	}
	return nil
}

// replaceNames replaces each part that is the name of its element by the element.
func (r *Resolver) replaceNames(parts []tree.Part, name string) []tree.Part {
	unique := newUniqueParts(make([]tree.Part, 0, len(parts)))
	for _, p := range parts {
		if owner := r.tree.Owner(p.Section); owner >= 0 {
			if lead := leadOf(r.tree.Sections[owner].Title); lead == name || strings.HasSuffix(lead, " "+name) {
				p = r.tree.Part(owner)
			}
		}
		unique.add([]tree.Part{p})
	}
	return unique.parts
}

// isLead reports whether name is the name that a title begins with.
func isLead(title, name string) bool {
	return strings.HasPrefix(strings.TrimPrefix(title, "["), name) && leadOf(title) == name
}

// leadOf returns the name that a title begins with, before the description of the part. The
// name of the title "[3.5.0] - 2023-11-02" is 3.5.0.
func leadOf(title string) string {
	end := len(title)
	for _, sign := range [...]string{": ", ", ", "] - ", "] ("} {
		if i := strings.Index(title, sign); i >= 0 {
			end = min(end, i)
		}
	}
	if lead, ok := strings.CutPrefix(title[:end], "["); ok {
		return strings.TrimSuffix(lead, "]")
	}
	return title[:end]
}

// isGroupNamed reports whether name is the last field and value in the id of a group, as
// type=mqtt in.
func isGroupNamed(id, name string) bool {
	id = strings.TrimPrefix(id, "@")
	id = ids.Unescape(id[strings.LastIndexByte(id, ',')+1:])
	return id == strings.TrimPrefix(name, "@") && strings.Contains(id, "=")
}

// dropMembers removes the parts that are in groups which are among the parts.
func (r *Resolver) dropMembers(parts []tree.Part) []tree.Part {
	groups := map[int32]bool{}
	for i := range parts {
		if r.tree.IsKind(&parts[i], abi.SectionGroup) {
			groups[parts[i].Section] = true
		}
	}
	if len(groups) == 0 {
		return parts
	}
	return slices.DeleteFunc(parts, func(p tree.Part) bool {
		for up := r.tree.Sections[p.Section].Parent; up >= 0; up = r.tree.Sections[up].Parent {
			if groups[int32(up)] {
				return true
			}
		}
		return false
	})
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
