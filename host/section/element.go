package section

import (
	"bytes"
	"slices"

	"github.com/mcpctl/mcpctl/abi"
)

// isXML reports whether tags balance. Those of HTML need not.
func (d *Doc) isXML() bool { return d.named && d.syntax == syntaxXML && d.typeName != "html" }

// maxElements bounds the elements in leaves that a path may lead to.
const maxElements = 1 << 14

// elementsCalled are the elements with this tag right inside of the leaves of XML, and
// the elements in such, among some parts. A path that ends at them leads to the leaves,
// but all that it fits as a whole are just these.
func (d *Doc) elementsCalled(from []part, seg string) (found []part) {
	if !d.isXML() {
		return nil
	}
	name := []byte(unescape(seg))
	for i := range from {
		p := &from[i]
		leaf, ok := d.leafOf(p)
		if !ok || len(found) >= maxElements {
			continue
		}
		elements(p.bytes(), func(tag []byte, depth, start, end int) bool {
			if depth == 1 && sameTag(tag, name) {
				found = append(found, leaf.element(p.start+start, p.start+end))
			}
			return len(found) < maxElements
		})
	}
	return found
}

// leaf is one of XML, which the elements in it share.
type leaf struct{ origin *origin }

// leafOf is the leaf of XML that p is, or is an element in.
func (d *Doc) leafOf(p *part) (leaf, bool) {
	if isElement(*p) {
		return leaf{p.origin}, true
	}
	if p.sec < 0 || !d.isXML() || !d.bottom(p) {
		return leaf{}, false
	}
	return leaf{&origin{base: p}}, true
}

func (l leaf) element(start, end int) part {
	base := l.origin.base
	return part{kind: partElement, sec: base.sec, space: base.space, start: start, end: end, origin: l.origin}
}

// anyBelow are the elements of XML with this tag anywhere inside some parts, or what
// is called so in other types, those inside of others of them left out: what a//b
// leads to.
func (d *Doc) anyBelow(from []part, seg string) (found []part) {
	if !d.isXML() && d.blockScan() == nil {
		return nil
	}
	name := unescape(seg)
	for i := range from {
		p := &from[i]
		if p.kind != partSection || len(d.kids.of(p.sec)) == 0 {
			found = append(found, d.elementsBelow(p, name)...)
			continue
		}
		d.eachChild(p.sec, func(i int32) bool {
			switch child := d.part(i); {
			case d.isCalled(&child, name):
				found = append(found, child)
			case d.sections[i].Kind != abi.SectionGroup:
				found = append(found, d.anyBelow([]part{child}, seg)...)
			}
			return len(found) < maxElements
		})
	}
	return found
}

// isCalled reports whether p is a Section for an element with this tag, or of this name.
func (d *Doc) isCalled(p *part, name string) bool {
	if d.blockScan() != nil {
		return d.isTitled(p, name)
	}
	if p.kind != partSection || p.sec < 0 || p.space == nil {
		return false
	}
	text := p.bytes()
	return len(text) > 1 && text[0] == '<' && isNameStart(text[1]) && sameTag(tagName(text), []byte(name))
}

// elementsBelow are the elements with this tag, or the blocks of this name, anywhere
// inside the leaf, or the element in one, that p is, those inside of others of them
// left out.
func (d *Doc) elementsBelow(p *part, name string) (found []part) {
	if scan := d.blockScan(); scan != nil {
		return d.blocksBelow(p, name, scan)
	}
	leaf, ok := d.leafOf(p)
	if !ok || !bytes.Contains(p.bytes(), []byte(name)) {
		return nil
	}
	elements(p.bytes(), func(tag []byte, depth, start, end int) bool {
		if depth == 0 || !sameTag(tag, []byte(name)) {
			return true
		}
		for n := len(found); n > 0 && found[n-1].start > p.start+start; n-- { // they end before what they are in
			found = found[:n-1]
		}
		found = append(found, leaf.element(p.start+start, p.start+end))
		return len(found) < maxElements
	})
	return found
}

// sameTag reports whether a tag is called so, with or without its prefix.
func sameTag(tag, name []byte) bool {
	return bytes.Equal(tag, name) || bytes.Equal(tag[bytes.LastIndexByte(tag, ':')+1:], name)
}

// sections are parts with the leaf in place of the elements in it, each once.
func sections(parts []part) []part {
	if !slices.ContainsFunc(parts, isElement) {
		return parts
	}
	leaves := unlike{next: make([]part, 0, len(parts)), seen: make(map[spot]bool, len(parts))}
	for _, p := range parts {
		if isElement(p) {
			p = *p.base
		}
		leaves.add([]part{p})
	}
	return leaves.next
}

func isElement(p part) bool { return p.kind == partElement }

// elements visits the elements of a text up to the end of the first one at the top,
// each where it ends, as long as visit wants more; depth counts those that they are in.
// What is not well-formed ends it.
func elements(text []byte, visit func(tag []byte, depth, start, end int) bool) {
	var open []int // where those begin that have not ended
	for at := 0; ; {
		next := bytes.IndexByte(text[at:], '<')
		if next < 0 {
			return
		}
		at += next
		length := skipMarkup(text[at:])
		if length < 0 {
			return
		}
		markup, start := text[at:at+length], at
		at += length
		switch last := len(open) - 1; {
		case markup[1] == '!' || markup[1] == '?':
			continue
		case markup[1] != '/' && markup[length-2] != '/':
			open = append(open, start)
			continue
		case markup[1] == '/' && (last < 0 || !bytes.Equal(tagName(text[open[last]:]), bytes.TrimRight(markup[2:length-1], blanks))):
			return
		case markup[1] == '/':
			start, open = open[last], open[:last]
		}
		if !visit(tagName(text[start:at]), len(open), start, at) || len(open) == 0 {
			return
		}
	}
}

// skipMarkup is where the markup ends that a text begins with, whatever it says; -1 if
// there is none.
func skipMarkup(text []byte) int {
	for _, m := range [...]struct{ opens, closes string }{{"<!--", "-->"}, {"<![CDATA[", "]]>"}, {"<?", "?>"}, {"</", ">"}} {
		if !bytes.HasPrefix(text, []byte(m.opens)) {
			continue
		}
		if i := bytes.Index(text[len(m.opens):], []byte(m.closes)); i >= 0 {
			return len(m.opens) + i + len(m.closes)
		}
		return -1
	}
	return markupEnd(text)
}

// tagName is the name in the start tag that a text begins with.
func tagName(text []byte) []byte {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case ' ', '\t', '\r', '\n', '/', '>':
			return text[1:i]
		}
	}
	return text[1:]
}
