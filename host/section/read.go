package section

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
)

// maxArgument bounds what is looked at as a section: no path of ours is longer.
const maxArgument = 16 << 10

// derivedNote marks a stage's own text, which is no leaf, where a model sees it.
const derivedNote = "derived text, not bytes of the original:\n"

// Read answers read_section. section is empty for the first index again, a
// listed id, any path, "?text" or "id?text" for a search, "!" or "id!" or
// "id!0-40000" for the whole or a range of it.
//
// A leaf is answered with its bytes and nothing else. What does not exist is an
// error answer that offers the nearest ids; there is no other error.
// Limits: an index keeps to the settings, a leaf to twice LeafSize, "id!" to
// MaxWholeBytes.
func (d *Doc) Read(ref, section string) flow.Answer {
	a := d.read(ref, section)
	a.Meta.Ref = ref
	return a
}

func (d *Doc) read(ref, section string) flow.Answer {
	if len(section) > maxArgument || !utf8.ValidString(section) {
		return d.unknown(section)
	}
	if strings.Trim(section, "/ \n") == "" {
		return d.firstIndex(ref)
	}
	if exact, ok := d.exactly(section); ok {
		return d.answer(exact)
	}
	section = unwrap(section)
	if path, text, ok := strings.Cut(section, "?"); ok {
		if base, ok := d.one(strings.TrimSuffix(path, "!")); ok {
			return d.search(base, text)
		}
	} else if i := strings.LastIndexByte(section, '!'); i >= 0 {
		if base, ok := d.one(section[:i]); ok {
			return d.whole(base, section[i+1:])
		}
	}
	p, ok := d.one(section)
	if !ok {
		return d.unknown(section)
	}
	return d.answer(p)
}

// unwrap takes the blanks and the brackets off that a reader may have copied.
func unwrap(section string) string {
	section = strings.TrimSpace(section)
	if inner, ok := strings.CutPrefix(section, "["); ok {
		if id, _, ok := strings.Cut(inner, "]"); ok && strings.IndexAny(inner[len(id)+1:], ".[") != 0 {
			return id
		}
	}
	return section
}

// First is the text of a first index as the last stage left it, before Finish.
type First struct {
	Text  []byte
	Marks []abi.Mark
}

// WithFirst returns a Doc that answers an empty section with this text, so that
// the first index comes again as it was, with the lines of the stage.
func (d *Doc) WithFirst(f First) *Doc {
	c := *d
	c.first = f
	return &c
}

func (d *Doc) firstIndex(ref string) flow.Answer {
	if len(d.first.Marks) == 0 {
		return d.answer(d.top())
	}
	text, meta := d.Finish(d.first.Text, d.first.Marks, ref)
	return flow.Answer{Text: text, Meta: meta}
}

// answer is what a part reads as.
func (d *Doc) answer(p part) flow.Answer {
	if p.kind == partSet {
		return d.several(p)
	}
	switch d.shape(&p) {
	case shapeIndex:
		return d.indexAnswer(p)
	case shapeWindows:
		return d.windowsAnswer(p)
	}
	leaf := p
	if p.space == nil { // a fold or a group that is answered in one piece
		leaf, _ = d.neighbours(d.list(p))
	}
	return d.leafAnswer(d.name(&p), leaf)
}

func (d *Doc) leafAnswer(name string, leaf part) flow.Answer {
	text := leaf.bytes()
	if leaf.space.kind == flow.AnswerDerived {
		text = append([]byte(derivedNote), text...)
	}
	return flow.Answer{Text: text, Meta: placed(leaf.space.kind, name, &leaf)}
}

// placed is the _meta of an answer about p: its bytes, and where they are those
// of a decoded string, which one.
func placed(kind flow.AnswerKind, name string, p *part) flow.AnswerMeta {
	meta := flow.AnswerMeta{Kind: kind, Section: name}
	if p.space == nil || kind == flow.AnswerSearch {
		return meta
	}
	meta.Bytes = &[2]int{p.start, p.end}
	if p.space.kind == flow.AnswerDecoded {
		meta.Literal = &p.space.literal
	}
	return meta
}

func (d *Doc) indexAnswer(p part) flow.Answer {
	lim := d.set.limits()
	text := plain(nil, d.head(&p, lim))
	index := d.index(p, lim.minus(text))
	meta := placed(flow.AnswerIndex, d.name(&p), &p)
	meta.Offers = index.offers
	if text = append(text, index.text...); len(text) == 0 {
		text = []byte("no parts\n")
	}
	return flow.Answer{Text: text, Meta: meta}
}

// head is what an index says before its lines: of the whole its type and size,
// of a Section the summary, of a derived one the start of its text.
func (d *Doc) head(p *part, lim limits) []byte {
	if p.kind != partSection {
		return nil
	}
	if p.sec < 0 {
		return fmt.Appendf(nil, "%s, %d bytes, %s\n", d.typeName, p.end, count(len(d.list(*p)), "part"))
	}
	s := &d.sections[p.sec]
	text := []byte(s.Summary)
	if s.Kind == abi.SectionDerived {
		text = append([]byte(derivedNote), s.Body...)
	}
	if len(text) == 0 {
		return nil
	}
	limit := lim.bytes / 3
	for short := clip(text, limit); ; short = clip(text, limit) {
		if limit /= 2; tokens(short) <= lim.tokens/3 || limit < 16 {
			return endLine(visible(short))
		}
	}
}

func (d *Doc) windowsAnswer(p part) flow.Answer {
	lim := d.set.limits()
	var text []byte
	if p.kind == partSection && p.sec < 0 {
		text = fmt.Appendf(nil, "%s, %d bytes, no parts known, shown in windows\n", d.typeName, p.end)
	}
	windows := func(lines int) []part { return d.windows(p, d.set.LeafSize, lines, lineRange) }
	out := d.fit(windows, lim.minus(text))
	meta := placed(flow.AnswerIndex, d.name(&p), &p)
	meta.Offers = out.offers
	return flow.Answer{Text: append(text, out.text...), Meta: meta}
}
