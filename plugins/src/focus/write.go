package focus

import (
	"strings"

	"github.com/mcpctl/mcpctl/sdk-go/stage"
)

// answer is what is written.
type answer struct {
	head    string // of the index
	terms   []term
	kept    []int // units, in the order of the content
	matches int   // units that match
	index   int   // bytes of the index
}

// write writes the units and the index of the content.
func write(c *stage.Ctx, d *document, a answer) error {
	w := &writer{c: c, d: d}
	first, _, _ := strings.Cut(a.head, "\n")
	w.line(first + "; best matches of \"" + joinTerms(a.terms) + "\" in full, " + countOf(len(a.kept), "part") + ":")
	w.tableHeader(a.head)
	for _, i := range a.kept {
		w.unit(&d.units[i])
	}
	left := len(d.units) - len(a.kept)
	if left == 0 {
		return w.err
	}
	rest := "Left out: " + itoa(left) + " of " + countOf(len(d.units), "part")
	if more := a.matches - len(a.kept); more > 0 {
		rest += ", " + itoa(more) + " of which match too"
	}
	w.line(rest + ". All parts:")
	if w.err != nil {
		return w.err
	}
	return c.Out.Index(stage.Top, indexLines, a.index)
}

// writeIndex writes only the index of the content.
func writeIndex(c *stage.Ctx, head string) error {
	if _, err := c.Out.WriteString(head); err != nil {
		return err
	}
	return c.Out.Index(stage.Top, 0, 0)
}

// indexLines is the number of lines of the index.
const indexLines = 12

// maxShownTerms is the number of terms that the first line names.
const maxShownTerms = 8

func joinTerms(terms []term) string {
	words := make([]string, 0, maxShownTerms)
	for _, t := range terms[:min(len(terms), maxShownTerms)] {
		words = append(words, t.word)
	}
	return strings.Join(words, " ")
}

func countOf(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return itoa(n) + " " + noun + "s"
}

// writer writes units.
type writer struct {
	c     *stage.Ctx
	d     *document
	err   error
	at    int    // end of the last unit in the original
	label string // of the last unit
}

func (w *writer) line(text string) { w.text(text + "\n") }

func (w *writer) text(text string) {
	if w.err == nil {
		_, w.err = w.c.Out.WriteString(text)
	}
}

// tableHeader writes the header of a table, which the rows need.
func (w *writer) tableHeader(head string) {
	if len(w.d.children[0]) == 0 || !strings.HasPrefix(head, "csv") && !strings.HasPrefix(head, "tsv") {
		return
	}
	first := w.d.children[0][0]
	if strings.HasPrefix(w.d.title(first), "header: ") {
		s := w.d.sections[first]
		w.unit(&unit{section: first, start: s.Start, end: s.End})
	}
}

// unit writes a unit with its own bytes. A line above it names the sections that contain it,
// unless they are those of the last unit.
func (w *writer) unit(u *unit) {
	if !u.decoded && u.end <= w.at {
		return // the header of a table, which is written already
	}
	if label := w.d.label(u); label != w.label {
		w.label = label
		if label != "" {
			w.line("in " + label + ":")
		}
	}
	if w.err != nil {
		return
	}
	text := w.d.bytes(u)
	if u.decoded {
		w.text(string(text))
	} else {
		w.err = w.c.Out.Span(w.c.Original, u.start, u.end-u.start)
		w.at = u.end
	}
	if n := len(text); n == 0 || text[n-1] != '\n' {
		w.text("\n")
	}
}

// label returns the path of the section that contains a unit, of sections with names in the
// content. It is empty at the top, and for chapters, whose text begins with their title.
func (d *document) label(u *unit) string {
	if u.section < 0 {
		return ""
	}
	var names []string
	for at := d.sections[u.section].Parent; at >= 0; at = d.sections[at].Parent {
		if d.sections[at].Kind == stage.Group {
			continue
		}
		name := d.sectionText(at, stage.TextID)
		if name == "" {
			return ""
		}
		names = append(names, name)
	}
	path := ""
	for i := len(names) - 1; i >= 0; i-- {
		path += names[i]
		if i > 0 {
			path += "/"
		}
	}
	return path
}
