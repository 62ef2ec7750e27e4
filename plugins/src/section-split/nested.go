package sectionsplit

import (
	"strings"

	"github.com/mcpctl/mcpctl/plugins/src/internal/caption"
	"github.com/mcpctl/mcpctl/plugins/src/scan/detect"
	"github.com/mcpctl/mcpctl/plugins/src/scan/json"
	"github.com/mcpctl/mcpctl/sdk-go/stage"
)

// maxNested is how many documents may stand in each other.
const maxNested = 8

// maxTitle is how much of a title the host shows, in bytes.
const maxTitle = 80

// clue is what is known of a text beside its bytes.
type clue struct{ file, mime string }

// nested is a document inside another one whose sections are planned.
type nested struct {
	*job
	outline
	decoded bool // the text is a buffer of its own
	outer   *job // the text that it stands in
	shown   bool // the lines of that have those of this one
}

// inside finds out what the document b on a level of sections is. It is nil if
// nothing is known of it or there is no room for its parts: it stays a leaf.
func (j *job) inside(p place, level int, b []byte, c clue) *nested {
	inner := &job{c: j.c, b: b, batch: j.batch, hint: c.file, config: j.config, room: j.room, wish: j.wish, place: p, nested: j.nested + 1}
	inner.config.force = ""
	inner.config.maxDepth -= level
	if inner.config.maxDepth < 1 || inner.nested > maxNested || *j.room < 1 {
		return nil
	}
	inner.found = detect.Detect(b, inner.config.detection(c.file, c.mime, *j.room))
	split := splitter(inner.found)
	if split == nil {
		return nil
	}
	n := &nested{job: inner, outline: split(inner), outer: j}
	if n.parts == 0 || n.parts == 1 && n.found.Doc != nil { // a paragraph tells no more than the string
		return nil
	}
	return n
}

// decoded is inside for what a string literal of the text holds. A string in a
// decoded one is none of the content's, so no bytes of it could be named.
func (j *job) decoded(start, end, level int, c clue) *nested {
	if j.string {
		return nil
	}
	content, err := j.buf.JSON().Text(stage.Span{Start: j.base + start, End: j.base + end})
	if err != nil {
		return nil // half a surrogate pair, or out of memory: it stays one leaf
	}
	n := j.inside(place{buf: content, string: true}, level, content.Bytes(), c)
	if n == nil {
		content.Free()
		return nil
	}
	n.decoded = true
	return n
}

// below names the parts below the section that holds the document, and gives
// that a title. The summary is what a reader is told above the parts, beside what
// the title says. The document is done then.
func (n *nested) below(at int, title string) error {
	if n.decoded {
		defer n.done()
	}
	n.parent = at
	if err := n.name(); err != nil {
		return err
	}
	if err := n.settled(at); err != nil {
		return err
	}
	if err := n.c.Sections.SetTitle(at, title); err != nil {
		return err
	}
	n.tell()
	heading, told, _ := strings.Cut(n.lines+n.told, "\n")
	if !strings.Contains(title, n.what(n.outline)) {
		told = heading + "\n" + told
	}
	return n.c.Sections.SetSummaryText(at, strings.TrimSuffix(told, "\n"))
}

// settled makes sure that the section that holds the document is with the host, and
// all of a document that is about to be freed.
func (n *nested) settled(at int) error {
	if n.decoded {
		return n.batch.Flush()
	}
	return n.settle(at)
}

// done frees the buffer of the document. Where that failed halfway, sections of it may
// wait that nobody could add later; their error would say no more than the first.
func (n *nested) done() {
	_ = n.batch.Flush()
	n.buf.Free()
}

// title says what the document is and what it is called, or else how it begins.
func (n *nested) title(called string) string {
	title := n.what(n.outline)
	if lang, rest, ok := strings.Cut(called, ": "); ok && strings.HasPrefix(title, lang) {
		called = rest // the mark of a fence has said it
	}
	switch {
	case called != "":
	case n.found.Doc != nil:
		called = topics(n.b, n.found.Doc)
	case n.found.JSON == nil:
		called = caption.Of(n.b[:min(len(n.b), 4*maxTitle)], maxTitle)
	}
	if called != "" {
		title += ": " + called
	}
	return caption.Clip(title, maxTitle)
}

// splitString is for a text that is one JSON string: it holds a document, or is
// read in windows.
func splitString(j *job) outline {
	if j.found.JSON.Len() == 0 {
		return splitNothing(j)
	}
	top := j.found.JSON.Node(0)
	*j.room--
	n := j.decoded(int(top.Start), int(top.End), 1, clue{file: j.hint})
	if n == nil {
		return splitNothing(j)
	}
	n.shown = true
	_, fields, _ := strings.Cut(n.lines, "\n")
	return outline{count: n.what(n.outline), lines: j.heading(n.what(n.outline)) + fields, index: n.index, name: func() error {
		at, err := j.add(stage.Top, int(top.Start), int(top.End), []byte("text"), nil)
		if err != nil {
			return err
		}
		return n.below(at, n.title(""))
	}}
}

// plan looks into a member of the top value that is nearly all of the text: a
// reader is told at once what it holds.
func (t *tree) plan() {
	for i := int32(1); i < int32(t.scan.Len()); i = t.scan.Next(i) {
		if n := t.scan.Node(i); n.Kind == json.Text && t.dominates(n) {
			if t.planned, t.holder = t.document(i), i; t.planned != nil {
				t.planned.shown = true
			}
			return
		}
	}
}

// dominates reports whether a value is four fifths of the text.
func (t *tree) dominates(n *json.Node) bool { return n.Size()*5 >= len(t.b)*4 }

// document is what the string at a node holds.
func (t *tree) document(node int32) *nested {
	n := t.scan.Node(node)
	if n.Size() <= t.config.leafSize {
		return nil
	}
	level := int(n.Depth)
	if t.line != nil {
		level++
	}
	return t.decoded(int(n.Start), int(n.End), level, t.clue(node))
}

// enter splits what the string at a node holds, which is the section "at".
func (t *tree) enter(node int32, at int) error {
	inner := t.planned
	if inner == nil || node != t.holder {
		inner = t.document(node)
	}
	if inner == nil {
		return nil
	}
	n := t.scan.Node(node)
	title := inner.title("")
	if n.Keyed() {
		key := json.Unquote(nil, t.key(n), maxTitle)
		title = caption.Clip(caption.Of(key, maxTitle/2)+": "+title, maxTitle)
	}
	return inner.below(at, title)
}
