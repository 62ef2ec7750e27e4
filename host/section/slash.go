package section

import (
	"bytes"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/jsonspan"
)

// maxSlashes bounds the segments that are taken for one name. Names with slashes
// are file names, addresses and parts of them, hardly deeper than this.
const maxSlashes = 16

// slashed takes as many of the segments as it can for one name with slashes in it,
// as a path of OpenAPI, a package in a lock file or a heading may be: who writes
// down a path does not escape them. It says how many of the segments it took.
func (d *Doc) slashed(from []part, segments []string) (next []part, used int) {
	segments = segments[:min(len(segments), maxSlashes)]
	slugs := make(map[string]int, len(segments))
	for n := len(segments); n > 1; n-- {
		name := strings.Join(segments[:n], "/")
		if next = d.childrenCalled(from, abi.Segment(unescape(name))); len(next) > 0 {
			return next, n
		}
		slugs[abi.Slug(name)] = n
	}
	for _, p := range from {
		if isElement(p) {
			continue
		}
		found, n := d.slashedKey(p, segments)
		if n == 0 {
			found, n = d.slashedTitle(p, slugs)
		}
		if n > used {
			next, used = nil, n
		}
		if n == used {
			next = append(next, found...)
		}
	}
	return next, used
}

// childrenCalled are the children of some Sections with an id.
func (d *Doc) childrenCalled(from []part, id string) (found []part) {
	for i := range from {
		p := &from[i]
		if p.kind != partSection {
			continue
		}
		if child, ok := d.child(d.ownerIn(p), id); ok {
			found = append(found, d.part(child))
		}
	}
	return found
}

// ownerIn is the owner of what stands in the Section p.
func (d *Doc) ownerIn(p *part) int32 {
	if d.isKind(p, abi.SectionGroup) {
		return d.owner[p.sec]
	}
	return p.sec
}

// slashedKey finds the longest key that the segments begin with in the JSON object
// that p is.
func (d *Doc) slashedKey(p part, segments []string) (found []part, used int) {
	at, ok := d.jsonStart(&p)
	if !ok || jsonspan.KindAt(p.space.text[:p.end], at) != jsonspan.Object {
		return nil, 0
	}
	path, longest := strings.Join(segments, "/")+"/", ""
	member(p.space.text[:p.end], at, func(lit []byte) bool {
		if bytes.IndexByte(lit, '/') < 0 {
			return false
		}
		key, err := jsonspan.Unquote(lit)
		if err == nil && len(key) > len(longest) && strings.HasPrefix(path, string(key)+"/") {
			longest = string(key)
		}
		return false
	})
	if longest == "" {
		return nil, 0
	}
	found, _ = d.jsonWalk(p, []string{longest})
	return found, strings.Count(longest, "/") + 1
}

// slashedTitle finds the children of p whose title, as a slug, the most segments
// are; slugs says of how many each is made.
func (d *Doc) slashedTitle(p part, slugs map[string]int) (found []part, used int) {
	if p.kind != partSection {
		return nil, 0
	}
	d.eachChild(p.sec, func(i int32) bool {
		title := d.sections[i].Title
		if !strings.Contains(title, "/") {
			return true
		}
		n := slugs[abi.Slug(title)]
		if n > used {
			found, used = nil, n
		}
		if n > 0 && n == used {
			found = append(found, d.part(i))
		}
		return len(found) < maxFits
	})
	return found, used
}
