package sectionsplit

import (
	"sort"

	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
	"github.com/mcpctl/mcpctl/plugins/src/internal/table"
	"github.com/mcpctl/mcpctl/sdk-go/stage"
)

// splitParts plans sections for the parts that detection parsed.
func splitParts(j *job) outline { return j.planParts(j.found.Parts) }

// planParts plans sections for the parts of a document that are worth one.
func (j *job) planParts(doc *part.Doc) outline {
	if j.config.groupBy == table.None {
		doc = doc.Ungrouped()
	}
	j.groupField.found = j.groupField.found || doc.Grouped
	p := &parts{job: j, doc: doc}
	p.limits = part.Limits{Leaf: j.config.leafSize, Depth: j.config.maxDepth, Parts: *j.room}
	p.kept = doc.Keep(p.limits)
	*j.room -= p.kept.Len
	count := doc.Count
	if doc.By != "" {
		count += ", grouped by " + doc.By
	}
	lines := j.formatHeading(count)
	for _, line := range doc.Lines {
		lines += line + "\n"
	}
	return outline{count: count, parts: p.kept.Len, header: lines, index: p.estimateIndex(len(lines)), addSections: p.addSections, largestLeaf: p.largestLeaf}
}

// parts adds the parts of a document as sections.
type parts struct {
	*job
	doc     *part.Doc
	limits  part.Limits
	kept    part.Kept
	current part.Name
}

// sectionMap are the parts that are split, in order, with their sections. They are
// few, so an array over all parts would waste memory.
type sectionMap struct {
	list []sectionEntry
	last int // index of the last result
}

type sectionEntry struct{ part, section int32 }

// section returns the section of a part.
func (h *sectionMap) section(of int32) int {
	if h.last >= len(h.list) || h.list[h.last].part != of {
		h.last = sort.Search(len(h.list), func(i int) bool { return h.list[i].part >= of })
	}
	return int(h.list[h.last].section)
}

// readName returns the name of a part. It is valid until the next call.
func (p *parts) readName(i int) *part.Name {
	n := &p.current
	n.ID = n.ID[:0]
	n.Title = n.Title[:0]
	n.Summary = n.Summary[:0]
	n.Hint = n.Hint[:0]
	n.Head, n.Tail = 0, 0
	p.doc.Name(i, n)
	return n
}

// estimateIndex returns the estimated size of the index that the host prints after a
// header of above bytes. If even the largest index pays, it returns that limit
// without reading the names of parts.
func (p *parts) estimateIndex(above int) int {
	if p.job.nested == 0 && pays(above+maxIndex, len(p.b)) {
		return maxIndex
	}
	size, lines := 0, 0
	for i := p.kept.From(0); i >= 0 && lines < p.config.maxLines; i = p.kept.From(i + 1) {
		if p.doc.Parts[i].Parent < 0 {
			n := p.readName(i)
			size += len(n.ID) + len(n.Title) + len("[] (1.2K)\n")
			if len(n.ID) == 0 {
				size += len(n.Title) // the host derives an id of about that length
			}
			lines++
		}
	}
	if lines > 0 && p.kept.Len > lines {
		size += size / lines * (min(p.kept.Len, p.config.maxLines) - min(lines, p.config.maxLines))
	}
	return min(size, maxIndex)
}

// largestLeaf returns the size of the largest section without children or a nested document.
func (p *parts) largestLeaf() (size int) {
	holds := make([]bool, len(p.doc.Parts))
	for i := p.kept.From(0); i >= 0; i = p.kept.From(i + 1) {
		if parent := p.doc.Parts[i].Parent; parent >= 0 {
			holds[parent] = true
		}
	}
	for i := p.kept.From(0); i >= 0; i = p.kept.From(i + 1) {
		if it := p.doc.Parts[i]; !holds[i] && it.Kind != part.Text && it.Kind != part.Literal {
			size = max(size, it.Size())
		}
	}
	return size
}

func (p *parts) addSections() error {
	var holders sectionMap
	for i := p.kept.From(0); i >= 0; i = p.kept.From(i + 1) {
		it, parent := p.doc.Parts[i], stage.Top
		if it.Parent >= 0 {
			parent = holders.section(it.Parent)
		}
		at, err := p.addPart(it, parent, i)
		if err != nil {
			return err
		}
		if p.limits.Splits(it) {
			holders.list = append(holders.list, sectionEntry{int32(i), int32(at)})
		}
		if err := p.splitNested(it, at); err != nil {
			return err
		}
	}
	return nil
}

// addPart adds the section of one part.
func (p *parts) addPart(it part.Part, parent, i int) (at int, err error) {
	n := p.readName(i)
	if it.Kind == part.Group {
		at, err = p.group(parent, unsafeString(n.ID), unsafeString(n.Title))
	} else {
		at, err = p.add(parent, int(it.Start), int(it.End), n.ID, n.Title)
	}
	if err != nil || len(n.Summary) == 0 {
		return at, err
	}
	return at, p.summarize(at, unsafeString(n.Summary))
}

// splitNested splits a part that contains a document of its own type.
func (p *parts) splitNested(it part.Part, at int) error {
	if it.Size() <= p.config.leafSize {
		return nil
	}
	levels := 1
	for up := it.Parent; up >= 0; up = p.doc.Parts[up].Parent {
		levels++
	}
	var inner *nested
	known := clue{file: string(p.current.Hint)}
	switch it.Kind {
	case part.Text:
		start, end := it.Start+p.current.Head, it.End-p.current.Tail
		inner = p.planNested(place{p.buf, p.base + int(start), at, p.string}, levels, p.b[start:end], known)
	case part.Literal:
		inner = p.planDecoded(int(it.Start), int(it.End), levels, known)
	}
	if inner == nil {
		return nil
	}
	title := string(p.current.Title)
	if len(p.current.ID) > 0 { // otherwise the host derives the id from the title
		title = inner.formatTitle(title)
	}
	return inner.addBelow(at, title)
}
