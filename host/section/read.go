package section

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/section/display"
	"github.com/mcpctl/mcpctl/host/section/find"
	"github.com/mcpctl/mcpctl/host/section/ids"
	"github.com/mcpctl/mcpctl/host/section/printer"
	"github.com/mcpctl/mcpctl/host/section/tree"
)

// maxArgument is the length of a section argument that is parsed. No id is longer.
const maxArgument = 16 << 10

// maxQuery is the size of a text that is searched for. Of a longer one the beginning is: the
// time of a search grows with it.
const maxQuery = 256

// derivedNote precedes a text that a stage wrote, so that a model does not take it
// for a leaf.
const derivedNote = "derived text, not bytes of the original:\n"

// Read answers read_section. section is empty for the first index, an id that was
// offered, any path, "?text" or "id?text" for a search, or "!", "id!" or
// "id!0-40000" for all bytes or a range of them.
//
// A leaf is answered by its bytes and nothing else. A section that does not exist
// is answered by an error that offers the nearest ids; there is no other error.
// An index keeps to the settings, a leaf has at most twice LeafSize bytes, and
// "id!" at most MaxWholeBytes.
func (d *Doc) Read(ref, section string) flow.Answer {
	a := d.read(ref, section)
	a.Meta.Ref = ref
	return a
}

func (d *Doc) read(ref, section string) flow.Answer {
	if len(section) > maxArgument || !utf8.ValidString(section) {
		return d.answerUnknown(section)
	}
	if strings.Trim(section, "/ \n") == "" {
		return d.answerFirstIndex(ref)
	}
	if exact, ok := d.resolver.ResolveExact(section); ok {
		return d.answer(exact)
	}
	section = unwrap(section)
	if path, text, ok := find.CutOperator(section, '?'); ok {
		if base, ok := d.resolver.Resolve(strings.TrimSuffix(path, "!")); ok {
			return d.answerSearch(base, strings.TrimSpace(text))
		}
	} else if path, span, ok := find.CutOperator(section, '!'); ok {
		if base, ok := d.resolver.Resolve(path); ok {
			return d.answerWhole(base, span)
		}
	}
	p, ok := d.resolver.Resolve(section)
	if !ok {
		return d.answerUnknown(section)
	}
	return d.answer(p)
}

// unwrap removes the white space and brackets that a reader may have copied with
// an id.
func unwrap(section string) string {
	section = strings.TrimSpace(section)
	if inner, ok := strings.CutPrefix(section, "["); ok && inner != "" && strings.IndexByte(`"'-*]`, inner[0]) < 0 { // else it is a path
		if id, _, ok := strings.Cut(inner, "]"); ok && strings.IndexAny(inner[len(id)+1:], ".[") != 0 {
			return id
		}
	}
	return section
}

func (d *Doc) answerFirstIndex(ref string) flow.Answer {
	if len(d.first.Marks) == 0 {
		return d.answer(d.tree.Top())
	}
	text, meta := d.Finish(d.first.Text, d.first.Marks, ref)
	return flow.Answer{Text: text, Meta: meta}
}

func (d *Doc) name(p *tree.Part) string { return ids.Name(d.tree, p) }

// answer returns the answer about a part.
func (d *Doc) answer(p tree.Part) flow.Answer {
	if p.Kind == tree.KindSet {
		return d.answerSet(p)
	}
	switch d.printer.Shape(&p) {
	case printer.ShapeIndex:
		return d.answerIndex(p)
	case printer.ShapeWindows:
		return d.answerWindows(p)
	}
	leaf := p
	if p.Source == nil { // a fold or group that is answered as one range
		leaf, _ = d.tree.Merge(d.tree.PartsOf(p))
	}
	return answerLeaf(d.name(&p), leaf)
}

func answerLeaf(name string, leaf tree.Part) flow.Answer {
	text := leaf.Bytes()
	if leaf.Source.Kind == tree.Derived {
		text = append([]byte(derivedNote), text...)
	}
	return flow.Answer{Text: text, Meta: metaOf(kindOf(leaf.Source), name, &leaf)}
}

// kindOf returns the kind of an answer that consists of bytes of a source.
func kindOf(source *tree.Source) flow.AnswerKind {
	switch source.Kind {
	case tree.Decoded:
		return flow.AnswerDecoded
	case tree.Derived:
		return flow.AnswerDerived
	case tree.Joined:
		return flow.AnswerSearch
	}
	return flow.AnswerLeaf
}

// metaOf returns the metadata of an answer about p, with its span in the content or
// in a decoded string.
func metaOf(kind flow.AnswerKind, name string, p *tree.Part) flow.AnswerMeta {
	meta := flow.AnswerMeta{Kind: kind, Section: name}
	if p.Source == nil || kind == flow.AnswerSearch {
		return meta
	}
	meta.Bytes = &[2]int{p.Start, p.End}
	if p.Source.Kind == tree.Decoded {
		meta.Literal = &p.Source.Literal
	}
	return meta
}

func (d *Doc) answerIndex(p tree.Part) flow.Answer {
	lim := d.limits()
	text := appendPlain(nil, d.printHead(&p, lim))
	index := d.printer.Index(p, lim.Minus(text))
	meta := metaOf(flow.AnswerIndex, d.name(&p), &p)
	meta.Offers = index.Offers
	if text = append(text, index.Text...); len(text) == 0 {
		text = []byte("no parts\n")
	}
	return flow.Answer{Text: text, Meta: meta}
}

// printHead returns the text before the lines of an index: type and size of the whole
// content, the summary of a Section, or the beginning of a derived text.
func (d *Doc) printHead(p *tree.Part, lim printer.Limits) []byte {
	if p.Kind != tree.KindSection {
		return nil
	}
	if p.IsTop() {
		return fmt.Appendf(nil, "%s, %d bytes, %s\n", d.typeName, p.End, display.Count(len(d.tree.PartsOf(*p)), "part"))
	}
	s := &d.tree.Sections[p.Section]
	text := []byte(s.Summary)
	if s.Kind == abi.SectionDerived {
		text = append([]byte(derivedNote), s.Body...)
	}
	if len(text) == 0 {
		return nil
	}
	limit := lim.Bytes / 3
	for short := display.Clip(text, limit); ; short = display.Clip(text, limit) {
		if limit /= 2; display.Tokens(short) <= lim.Tokens/3 || limit < 16 {
			return endLine(display.CleanLines(short))
		}
	}
}

func (d *Doc) answerWindows(p tree.Part) flow.Answer {
	var text []byte
	if p.IsTop() {
		text = fmt.Appendf(nil, "%s, %d bytes, no parts known, shown in windows\n", d.typeName, p.End)
	}
	windows := func(lines int) []tree.Part {
		return d.printer.CutWindows(p, d.printer.Settings.LeafSize, lines, ids.LineRange)
	}
	out := d.printer.Fit(windows, d.limits().Minus(text))
	meta := metaOf(flow.AnswerIndex, d.name(&p), &p)
	meta.Offers = out.Offers
	return flow.Answer{Text: append(text, out.Text...), Meta: meta}
}

// answerSearch answers "?text" below base. A single leaf is answered by its bytes.
func (d *Doc) answerSearch(base tree.Part, text string) flow.Answer {
	if text == "" {
		return d.answer(base)
	}
	text = string(display.Clip([]byte(text), maxQuery))
	hits := d.searcher.FindWords(base, text)
	if only, ok := hits.Only(); ok && len(hits.Missing) == 0 && d.printer.Shape(&only) == printer.ShapeLeaf {
		return d.answer(only)
	}
	query := display.Clean([]byte(text), printer.TitleBytes)
	head := fmt.Sprintf("%s match %q", display.Count(hits.Count, "section"), query)
	if len(hits.Missing) > 0 && hits.Count > 0 {
		missing := display.Clean([]byte(strings.Join(hits.Missing, " ")), printer.TitleBytes)
		head = fmt.Sprintf("nothing contains %q; %s match the other words of %q", missing, display.Count(hits.Count, "section"), query)
	}
	if hits.Count == 0 {
		head = fmt.Sprintf("no section matches %q", query)
	}
	longest := fmt.Appendf(nil, "%s, %d of them in %d lines\n", head, hits.Count, hits.Count)
	lines, shown := hits.Print(text, d.limits().Minus(longest))
	switch {
	case shown < hits.Count:
		head += fmt.Sprintf(", %d of them in %s", shown, display.Count(len(lines.Offers), "line"))
	case len(lines.Offers) < hits.Count:
		head += " in " + display.Count(len(lines.Offers), "line")
	}
	return flow.Answer{Text: append([]byte(head+"\n"), lines.Text...), Meta: flow.AnswerMeta{
		Kind: flow.AnswerSearch, Section: ids.Join(d.name(&base), "?"+text), Offers: lines.Offers,
	}}
}
