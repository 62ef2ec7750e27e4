// Package printer prints indexes: bounded lists of lines "[id] title (size)".
//
// Index prints the parts of a Section. To keep within the limits it folds
// neighbours into one line and shortens titles; to save calls it replaces a line
// by the lines of its parts where that costs little. A part without Sections
// that is too long to be read at once is cut into windows.
package printer

import (
	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/section/display"
	"github.com/mcpctl/mcpctl/host/section/ids"
	"github.com/mcpctl/mcpctl/host/section/tree"
)

// Language is the knowledge about a type of content that titles need. Package
// language implements it.
type Language interface {
	// HasHeadings reports whether the text of a Section begins with its heading.
	HasHeadings() bool
	// HasElements reports whether Sections are elements.
	HasElements() bool
	// HasDeclarations reports whether the content is code.
	HasDeclarations() bool
	// Tag returns the tag of the element at the beginning of text, or "".
	Tag(text []byte) string
	// PlainText returns the text that a reader of the content would see.
	PlainText(text []byte) []byte
}

// Printer prints indexes of one Tree.
type Printer struct {
	Settings Settings
	tree     *tree.Tree
	language Language
}

// New returns a Printer. Fields of set that are not set get their defaults.
func New(t *tree.Tree, language Language, set Settings) *Printer {
	return &Printer{set.WithDefaults(), t, language}
}

// Listing is the text of an index and the ids that it offers.
type Listing struct {
	Text   []byte
	Offers []string
}

// Add appends one line and reports whether it is within the limits.
func (l *Listing) Add(line []byte, id string, lim Limits) bool {
	if len(l.Offers) >= lim.Lines || len(l.Text)+len(line) > lim.Bytes || display.Tokens(l.Text)+display.Tokens(line) > lim.Tokens {
		return false
	}
	l.Text, l.Offers = append(l.Text, line...), append(l.Offers, id)
	return true
}

// FormatLine returns the line that offers a part.
func FormatLine(id, title string, size int) []byte { return appendLine(nil, id, title, size) }

func appendLine(dst []byte, id, title string, size int) []byte {
	dst = append(dst, '[')
	dst = append(dst, id...)
	dst = append(dst, ']', ' ')
	if title != "" {
		dst = append(dst, title...)
		dst = append(dst, ' ')
	}
	dst = append(dst, '(')
	dst = append(dst, display.Size(size)...)
	return append(dst, ')', '\n')
}

// List prints as many of the parts as the limits allow, one line each.
func (pr *Printer) List(parts []tree.Part, lim Limits) (out Listing) {
	for i := range parts {
		if !out.Add(pr.formatLine(&parts[i]), ids.Name(pr.tree, &parts[i]), lim) {
			break
		}
	}
	return out
}

func (pr *Printer) formatLine(p *tree.Part) []byte {
	return FormatLine(ids.Name(pr.tree, p), pr.Title(p), pr.tree.Size(p))
}

// Index prints all parts of p within the limits.
func (pr *Printer) Index(p tree.Part, lim Limits) Listing {
	run := ids.RunOf(pr.tree, &p)
	return pr.Fit(func(lines int) []tree.Part { return pr.arrange(&p, run, lines, lim.Tokens) }, lim)
}

// Fit prints the parts that arrange returns for a number of lines. To keep within
// the limits it first shortens titles, then asks for fewer lines. Long titles are
// for short indexes: the reader of a long one pays for all titles to choose one
// line.
func (pr *Printer) Fit(arrange func(lines int) []tree.Part, lim Limits) Listing {
	for lines := lim.Lines; ; lines = max(MinLines, lines*3/4) {
		usable := styles[:shortStyle+1]
		if lines <= 8 {
			usable = styles[:]
		}
		parts := arrange(lines)
		for i, st := range usable {
			force := lines <= MinLines && i == len(usable)-1
			out, ok := pr.print(parts, st, lim)
			if force || ok && (i >= shortStyle || display.Tokens(out.Text) <= titleIndex || i == 0 && pr.needSummaries(parts)) {
				return out
			}
		}
	}
}

// needSummaries reports whether parts are distinguished by their summaries only,
// because a title adds nothing to the id. Then summaries are worth their tokens in
// a long index too.
func (pr *Printer) needSummaries(parts []tree.Part) bool {
	for i := range parts {
		if p := &parts[i]; p.IsSection() {
			if s := &pr.tree.Sections[p.Section]; s.Summary != "" && trimID(s.Title, s.ID) == "" {
				return true
			}
		}
	}
	return false
}

// print prints one line for each part, and reports whether they are within the
// limits.
func (pr *Printer) print(parts []tree.Part, st style, lim Limits) (Listing, bool) {
	out := Listing{Offers: make([]string, len(parts))}
	before := ""
	for i := range parts {
		p := &parts[i]
		title := pr.title(p, st)
		if p.Kind == tree.KindFold {
			title, before = dropRepeated(title, before)
		} else {
			before = ""
		}
		out.Offers[i] = ids.Name(pr.tree, p)
		out.Text = appendLine(out.Text, out.Offers[i], title, pr.tree.Size(p))
	}
	return out, len(out.Text) <= lim.Bytes && display.Tokens(out.Text) <= lim.Tokens
}

// arrange returns the parts that the lines of an index of p offer.
func (pr *Printer) arrange(p *tree.Part, run ids.Run, lines, maxTokens int) []tree.Part {
	if len(run.Items) == 0 {
		if p.Source == nil || p.Start == p.End {
			return nil
		}
		return pr.CutWindows(*p, pr.Settings.LeafSize, lines, ids.LineRange)
	}
	ahead := lookAhead{Printer: pr, maxLines: lines, maxTokens: maxTokens, depth: pr.tree.Depth(p)}
	parts := ahead.expand(pr.skipOnlyChildren(pr.Fold(run, lines)))
	if len(parts) == 1 && pr.Shape(&parts[0]) == ShapeWindows {
		return pr.CutWindows(parts[0], pr.Settings.LeafSize, lines, ids.LineRange)
	}
	return parts
}

// skipOnlyChildren replaces each part that consists of one other part by that one,
// repeatedly: a chain of only children is one line with a long path.
func (pr *Printer) skipOnlyChildren(parts []tree.Part) []tree.Part {
	out := make([]tree.Part, len(parts))
	for i, p := range parts {
		for pr.canExpand(&p) && len(pr.tree.Kids(p.Section)) == 1 {
			inner := pr.tree.PartsOf(p)
			if len(inner) != 1 {
				break
			}
			p = inner[0]
		}
		out[i] = p
	}
	return out
}

// canExpand reports whether the line of p can be replaced by those of its parts
// without loss. A group cannot: its line names what its members have in common,
// and their ids do not.
func (pr *Printer) canExpand(p *tree.Part) bool {
	return pr.tree.HasParts(p) && p.IsContent() && pr.Shape(p) == ShapeIndex
}

// Shape is the form in which a part is answered.
type Shape uint8

const (
	ShapeLeaf    Shape = iota // its bytes
	ShapeIndex                // lines that offer its parts
	ShapeWindows              // lines that offer ranges of its bytes
)

// Shape returns the form in which a part is answered.
func (pr *Printer) Shape(p *tree.Part) Shape {
	switch {
	case p.Kind == tree.KindFold:
		return pr.joinedShape(p)
	case p.Kind != tree.KindSection || pr.tree.IsLeaf(p) && p.Source != nil:
		if pr.IsLong(p) && !(p.Len() <= pr.Settings.MaxWholeBytes && ids.IsPage(pr.tree, p)) {
			return ShapeWindows
		}
		return ShapeLeaf
	case p.IsTop() || pr.tree.IsKind(p, abi.SectionDerived):
		return ShapeIndex
	case p.Source == nil:
		return pr.joinedShape(p)
	case pr.tree.Size(p) <= pr.Settings.LeafSize && !pr.tree.IsMixed(p.Section):
		return ShapeLeaf
	}
	return ShapeIndex
}

// joinedShape returns the form of a fold or group: its bytes if they are few and
// one range.
func (pr *Printer) joinedShape(p *tree.Part) Shape {
	if pr.tree.Size(p) > pr.Settings.LeafSize {
		return ShapeIndex
	}
	if whole, ok := pr.tree.Merge(pr.tree.PartsOf(*p)); ok && whole.Len() <= pr.Settings.LeafSize {
		return ShapeLeaf
	}
	return ShapeIndex
}

// IsLong reports whether a part without parts is too long to be read at once.
func (pr *Printer) IsLong(p *tree.Part) bool { return p.Len() > 2*pr.Settings.LeafSize }
