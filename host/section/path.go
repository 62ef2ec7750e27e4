package section

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
)

// maxFits bounds how many parts a loose path may lead to.
const maxFits = 4096

// find resolves a path as generously as is still sure: as a fold of a set, as it
// stands, then in the dotted form, then from any Section of that name, then as a
// line. More than one part is a set, which name calls.
func (d *Doc) find(path string) (found []part, name string) {
	if fold, ok := d.setFold(path); ok {
		return []part{fold}, path
	}
	if found, name = d.fitting(path); len(found) > 0 {
		return found, name
	}
	if line, ok := d.lineNamed(d.top(), path); ok {
		return []part{line}, path
	}
	return nil, path
}

// fitting finds what a path may mean, and how the path is written that led there:
// first what all its names lead to, last the leaf below which it goes on.
func (d *Doc) fitting(path string) (found []part, name string) {
	spelled := []string{path}
	if slashed := undot(path); slashed != path && !strings.Contains(slashed, "//") { // two dots are those of a fold
		spelled = append(spelled, slashed)
	}
	resolve := func(path string) []part { return d.resolve(path, false) }
	for _, way := range [...]func(path string) []part{resolve, d.anywhere, d.within, d.beneath, d.headed} {
		for _, name = range spelled {
			if found = way(name); len(found) > 0 {
				return found, name
			}
		}
	}
	return nil, path
}

// resolve follows a path from the root. Strict takes each segment for what it
// literally says; else it leads to all that it may mean.
func (d *Doc) resolve(path string, strict bool) []part {
	path = strings.TrimSuffix(strings.TrimPrefix(path, "/"), "/")
	if path == "" {
		return []part{d.top()}
	}
	if reached, left := d.walk([]part{d.top()}, strings.Split(path, "/"), strict); len(left) == 0 {
		return reached
	}
	return nil
}

// walk follows segments as far as they lead, and returns those that lead to
// nothing from there.
func (d *Doc) walk(from []part, segments []string, strict bool) (reached []part, left []string) {
	for tried := 0; len(segments) > 0; {
		next, used := d.literally(from, segments)
		if tried++; !strict && used < 2 && tried <= maxDepth { // no deeper than Sections are: each may look at all bytes
			if len(next) == 0 && segments[0] == "" && len(segments) > 1 {
				next, used = d.anyBelow(from, segments[1]), 2
			}
			if len(next) == 0 {
				next, used = d.slashed(from, segments)
			}
			if used < 2 {
				next = d.loosely(from, segments[0], next)
			}
		}
		if len(next) == 0 {
			return from, segments
		}
		most := maxFits
		if isElement(next[len(next)-1]) {
			most = maxElements
		}
		from, segments = next[:min(len(next), most)], segments[max(used, 1):]
	}
	return from, nil
}

// literally takes the first of the segments for what it says, and how many of them
// led to what it returns: of JSON more than one.
func (d *Doc) literally(from []part, segments []string) (next []part, used int) {
	used = 1
	for _, p := range from {
		if isElement(p) { // it has only elements
			continue
		}
		found := d.step(p, segments[0])
		switch {
		case len(found) > 0:
		case len(from) == 1:
			found, used = d.jsonWalk(p, segments)
		default:
			found, _ = d.jsonWalk(p, segments[:1])
		}
		if len(found) == 0 {
			found = d.hostStep(p, segments[0])
		}
		if next = append(next, found...); len(next) > maxFits {
			break
		}
	}
	return next, used
}

// step goes to the child with this id, escaped or plain.
func (d *Doc) step(p part, seg string) []part {
	return d.stepAs(p, seg, abi.Segment(unescape(seg)))
}

// stepAs is step for a segment of which the id has been made: who takes the same
// step from 60,000 parts makes it once.
func (d *Doc) stepAs(p part, seg, id string) []part {
	if p.kind == partFold {
		return d.stepAs(*p.base, seg, id)
	}
	if p.kind != partSection {
		return nil
	}
	owner := d.ownerIn(&p)
	if i, ok := d.child(owner, seg); ok {
		return []part{d.part(i)}
	}
	if strings.HasPrefix(seg, "~") || strings.HasPrefix(seg, "@") { // what the host offers, before a key that is spelled like it
		if found := d.hostStep(p, seg); len(found) > 0 {
			return found
		}
	}
	if i, ok := d.child(owner, id); ok {
		return []part{d.part(i)}
	}
	return nil
}

// hostStep takes what the host names: positions, folds, gaps, windows.
func (d *Doc) hostStep(p part, seg string) []part {
	found, ok := part{}, false
	switch {
	case strings.HasPrefix(seg, "@"):
		if p.kind == partSection {
			found, ok = d.foldNamed(p, seg)
		}
	case strings.HasPrefix(seg, "~B"), strings.HasPrefix(seg, "~D"):
		if p.kind == partSection && p.sec < 0 {
			found, ok = d.bytesNamed(seg)
		}
	case strings.HasPrefix(seg, "~L"):
		found, ok = linesNamed(p, seg)
	case strings.HasPrefix(seg, "L") && strings.Contains(seg, "@"):
		found, ok = pageNamed(p, seg)
	case strings.HasPrefix(seg, "~"):
		found, ok = d.gapNamed(p, seg)
	default:
		if found, ok = d.nth(p, seg); !ok && (p.sec >= 0 || p.kind != partSection) {
			found, ok = d.lineNamed(p, seg)
		}
	}
	if !ok {
		return nil
	}
	return []part{found}
}

func (d *Doc) gapNamed(p part, seg string) (part, bool) {
	n, rest, ok := cutNumber(seg, "~")
	if !ok || rest != "" || p.kind != partSection || p.space == nil || p.space.kind == flow.AnswerDerived ||
		len(d.kids.of(p.sec)) == 0 {
		return part{}, false
	}
	gaps := d.gaps(p, false)
	if n < 1 || n > len(gaps) {
		return part{}, false
	}
	return gaps[n-1].part, true
}

// nth is the child at a position among those that are bytes of the content.
func (d *Doc) nth(p part, seg string) (part, bool) {
	n, ok := position(seg)
	if !ok || p.kind != partSection {
		return part{}, false
	}
	list := d.kids.of(p.sec)
	if p.space != nil && p.space.kind != flow.AnswerDerived {
		list = d.cover.of(p.sec)
	}
	if n >= len(list) {
		return part{}, false
	}
	return d.part(list[n]), true
}

// loose finds the children that a segment may mean: its slug, equal ids with a
// number behind, tag=value for the tag. A group that is called so as well, as that
// of all elements with a tag, gives way to its members.
func (d *Doc) loose(p part, name, slug string) (found []part) {
	var groups map[int32]bool // those that found parts are in
	isXML, tag := d.isXML(), []byte(name)
	d.eachChild(p.sec, func(i int32) bool {
		s := &d.sections[i]
		if !fits(s, name, slug) && (!isXML || s.Kind == abi.SectionGroup || !sameTag([]byte(kindOf(s.ID)), tag)) {
			return true
		}
		found = append(found, d.part(i))
		for up := s.Parent; up >= 0 && d.sections[up].Kind == abi.SectionGroup; up = d.sections[up].Parent {
			if groups == nil {
				groups = make(map[int32]bool)
			}
			groups[int32(up)] = true
		}
		return len(found) < maxFits
	})
	if groups == nil {
		return found
	}
	return slices.DeleteFunc(found, func(p part) bool { return groups[p.sec] })
}

// fits reports whether a reader may call a Section so.
func fits(s *abi.Section, name, slug string) bool {
	id := strings.TrimPrefix(s.ID, "@")
	if tag, _, ok := strings.Cut(id, "="); ok && strings.EqualFold(tag, name) {
		return true
	}
	if numbered(id, name) || slug != "" && numbered(id, slug) {
		return true
	}
	return slug != "" && (id == slug || strings.EqualFold(id, name) || titled(s, name, slug))
}

// eachChild visits the children of an owner, those in groups too.
func (d *Doc) eachChild(owner int32, visit func(i int32) bool) bool {
	for _, i := range d.kids.of(owner) {
		if !visit(i) {
			return false
		}
		if d.sections[i].Kind == abi.SectionGroup && !d.eachChild(i, visit) {
			return false
		}
	}
	return true
}

// anywhere starts the path at each Section whose id is its first segment, a number
// behind it apart, else at each whose title it is, whose hash it cuts, or of whose
// id it is the end.
func (d *Doc) anywhere(path string) []part {
	segments := strings.Split(strings.Trim(path, "/"), "/")
	name := unescape(segments[0])
	id, slug := abi.Segment(name), slugOf(name)
	for _, is := range [...]func(i int) bool{
		func(i int) bool { return id != "" && called(d.sections[i].ID, id) },
		func(i int) bool { return slug != "" && called(d.sections[i].ID, slug) },
		func(i int) bool { return titled(&d.sections[i], name, slug) },
		func(i int) bool { return sameHash(d.sections[i].ID, name) },
		func(i int) bool { return d.ends(i, name) },
	} {
		var from []part
		for i := range d.sections {
			if len(from) < maxFits && is(i) {
				from = append(from, d.part(int32(i)))
			}
		}
		if reached, left := d.walk(from, segments[1:], false); len(left) == 0 && len(reached) > 0 {
			return reached
		}
	}
	return nil
}

// slugOf returns the slug of a name in a path, or "" for a negative number: its slug would
// be the position of another Section.
func slugOf(name string) string {
	if digits, signed := strings.CutPrefix(name, "-"); signed {
		if _, err := strconv.ParseUint(digits, 10, 64); err == nil {
			return ""
		}
	}
	return abi.Slug(name)
}

// called reports whether an id is name, a number behind it apart.
func called(id, name string) bool { return id == name || numbered(id, name) }

// titled reports whether name, of which slug is made, is the title of a Section.
func titled(s *abi.Section, name, slug string) bool {
	return slug != "" && len(s.Title) <= 4*len(name) && len(name) <= 4*len(s.Title) && abi.Slug(s.Title) == slug
}

// numbered reports whether an id is name with the number of an equal sibling.
func numbered(id, name string) bool {
	number, ok := strings.CutPrefix(id, name)
	if !ok || number == "" || number[0] != '-' {
		return false
	}
	n, ok := position(number[1:])
	return ok && n > 1
}

// unescape undoes %XX; what is no escape stays as it is.
func unescape(seg string) string {
	if !strings.Contains(seg, "%") {
		return seg
	}
	if plain, err := url.PathUnescape(seg); err == nil {
		return plain
	}
	return seg
}
