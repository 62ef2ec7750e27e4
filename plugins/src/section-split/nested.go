package sectionsplit

import (
	"bytes"
	"strings"

	"github.com/mcpctl/mcpctl/plugins/src/internal/caption"
	"github.com/mcpctl/mcpctl/plugins/src/scan/detect"
	"github.com/mcpctl/mcpctl/plugins/src/scan/json"
	"github.com/mcpctl/mcpctl/sdk-go/stage"
)

// maxNested is the limit of documents nested in each other.
const maxNested = 8

// maxTitle is the size limit of a title that the host shows, in bytes.
const maxTitle = 80

// clue is the knowledge about a text besides its bytes.
type clue struct{ file, mime string }

// nested is a planned document inside another text.
type nested struct {
	*job
	outline
	decoded bool // the text is in a buffer of its own
	outer   *job // the enclosing text
	shown   bool // the header of outer includes the header of this document
}

// planNested plans the document b at a level of sections. It returns nil if the type
// is unknown or there is no room for its parts; then b remains a leaf.
func (j *job) planNested(p place, level int, b []byte, c clue) *nested {
	inner := &job{c: j.c, b: b, batch: j.batch, hint: c.file, config: j.config, room: j.room, groupField: j.groupField, place: p, nested: j.nested + 1}
	inner.config.force = ""
	inner.config.maxDepth -= level
	if inner.config.maxDepth < 1 || inner.nested > maxNested || *j.room < 1 {
		return nil
	}
	inner.found = detect.Detect(b, inner.config.detection(c.file, c.mime, *j.room))
	split := findSplitter(inner.found)
	if split == nil {
		return nil
	}
	n := &nested{job: inner, outline: split(inner), outer: j}
	if n.parts == 0 || n.parts == 1 && n.found.Doc != nil { // one paragraph tells a reader no more than the string
		return nil
	}
	return n
}

// planDecoded is like planNested for the document in a string literal of the text. It
// returns nil in a string that is itself decoded: the bytes of such a string are
// not bytes of the content, so its sections could not be addressed.
func (j *job) planDecoded(start, end, level int, c clue) *nested {
	if j.string {
		return nil
	}
	content, err := j.buf.JSON().Text(stage.Span{Start: j.base + start, End: j.base + end})
	if err != nil {
		return nil // half a surrogate pair, or out of memory: the string remains a leaf
	}
	n := j.planNested(place{buf: content, string: true}, level, content.Bytes(), c)
	if n == nil {
		content.Free()
		return nil
	}
	n.decoded = true
	return n
}

// addBelow adds the parts of the document below section at, then sets the title and
// summary of that section. The summary is the header of the document, without the
// first line if the title already contains it. A decoded document is freed.
func (n *nested) addBelow(at int, title string) error {
	if n.decoded {
		defer n.free()
	}
	n.parent = at
	if err := n.addSections(); err != nil {
		return err
	}
	if err := n.flush(at); err != nil {
		return err
	}
	if err := n.c.Sections.SetTitle(at, title); err != nil {
		return err
	}
	n.keepHeader()
	heading, rest, _ := strings.Cut(n.header+n.topHeader, "\n")
	if !strings.Contains(title, n.describe(n.outline)) {
		rest = heading + "\n" + rest
	}
	return n.c.Sections.SetSummaryText(at, strings.TrimSuffix(rest, "\n"))
}

// flush makes the host add the section that contains the document and, if the
// document is about to be freed, all of its sections.
func (n *nested) flush(at int) error {
	if n.decoded {
		return n.batch.Flush()
	}
	return n.flushSection(at)
}

// free frees the buffer of the document. After an error the batch may still contain
// sections of this buffer, which have to be flushed first; a second error adds nothing.
func (n *nested) free() {
	_ = n.batch.Flush()
	n.buf.Free()
}

// formatTitle returns the type of the document and its name, or its first words.
func (n *nested) formatTitle(called string) string {
	title := n.describe(n.outline)
	if lang, rest, ok := strings.Cut(called, ": "); ok && strings.HasPrefix(title, lang) {
		called = rest // the fence names the same language as the type
	}
	switch {
	case called != "":
	case n.found.Doc != nil:
		called = joinTopics(n.b, n.found.Doc)
	case n.found.JSON == nil:
		called = caption.Of(n.b[:min(len(n.b), 4*maxTitle)], maxTitle)
	}
	if called != "" {
		title += ": " + called
	}
	return caption.Clip(title, maxTitle)
}

// needsDecoding reports whether the host would serve a string literal in windows of escaped
// JSON. The windows of the decoded text consist of its lines.
func (j *job) needsDecoding(start, end int) bool {
	return end-start > 2*j.config.leafSize && !j.string && *j.room > 0 && bytes.IndexByte(j.b[start:end], '\\') >= 0
}

// addText adds the decoded text of a string literal below its section, if it needs decoding.
func (j *job) addText(start, end, at int) error {
	if !j.needsDecoding(start, end) {
		return nil
	}
	content, err := j.buf.JSON().Text(stage.Span{Start: j.base + start, End: j.base + end})
	if err != nil {
		return nil // as in planDecoded
	}
	*j.room--
	text := &job{c: j.c, b: content.Bytes(), batch: j.batch, place: place{buf: content, parent: at}}
	defer func() {
		_ = text.batch.Flush()
		content.Free()
	}()
	title := text.countLines() + ": " + caption.Of(text.b[:min(len(text.b), 4*maxTitle)], maxTitle)
	if _, err := text.add(stage.Top, 0, len(text.b), []byte("text"), []byte(title)); err != nil {
		return err
	}
	return text.batch.Flush()
}

// splitString plans a text that is one JSON string. If it contains no document,
// the host serves it in windows.
func splitString(j *job) outline {
	if j.found.JSON.Len() == 0 {
		return splitUnknown(j)
	}
	top := j.found.JSON.Node(0)
	*j.room--
	addLiteral := func() (int, error) { return j.add(stage.Top, int(top.Start), int(top.End), []byte("text"), nil) }
	n := j.planDecoded(int(top.Start), int(top.End), 1, clue{file: j.hint})
	if n == nil {
		o := splitUnknown(j)
		if !j.needsDecoding(int(top.Start), int(top.End)) {
			return o
		}
		o.addSections = func() error {
			at, err := addLiteral()
			if err != nil {
				return err
			}
			return j.addText(int(top.Start), int(top.End), at)
		}
		return o
	}
	n.shown = true
	_, fields, _ := strings.Cut(n.header, "\n")
	return outline{count: n.describe(n.outline), header: j.formatHeading(n.describe(n.outline)) + fields, index: n.index, addSections: func() error {
		at, err := addLiteral()
		if err != nil {
			return err
		}
		return n.addBelow(at, n.formatTitle(""))
	}}
}

// planDominant looks for a member of the top value that is nearly all of the text, so that
// the header above the index can describe the document in it.
func (t *tree) planDominant() {
	for i := int32(1); i < int32(t.scan.Len()); i = t.scan.Next(i) {
		if n := t.scan.Node(i); n.Kind == json.Text && t.isDominant(n) {
			if t.dominant, t.dominantNode = t.planString(i), i; t.dominant != nil {
				t.dominant.shown = true
			}
			return
		}
	}
}

// isDominant reports whether a value is at least four fifths of the text.
func (t *tree) isDominant(n *json.Node) bool { return n.Size()*5 >= len(t.b)*4 }

// planString plans the document in the string at a node.
func (t *tree) planString(node int32) *nested {
	n := t.scan.Node(node)
	if n.Size() <= t.config.leafSize {
		return nil
	}
	level := int(n.Depth)
	if t.line != nil {
		level++
	}
	return t.planDecoded(int(n.Start), int(n.End), level, t.findClue(node))
}

// splitString splits the document in the string at a node, whose section is at.
func (t *tree) splitString(node int32, at int) error {
	inner := t.dominant
	if inner == nil || node != t.dominantNode {
		inner = t.planString(node)
	}
	n := t.scan.Node(node)
	if inner == nil {
		return t.addText(int(n.Start), int(n.End), at)
	}
	title := inner.formatTitle("")
	if n.HasKey() {
		key := json.Unquote(nil, t.key(n), maxTitle)
		title = caption.Clip(caption.Of(key, maxTitle/2)+": "+title, maxTitle)
	}
	return inner.addBelow(at, title)
}
