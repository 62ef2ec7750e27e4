// Package sectionsplit replaces large content with an index of its sections.
//
// Each type has a splitter that names exact spans of the content. The host
// prints their index, serves their bytes and makes bytes outside every span
// reachable too. A splitter that finds little makes a poorer index, but loses
// no content, and no content is an error.
package sectionsplit

import (
	"errors"
	"strconv"
	"strings"
	"unsafe"

	"github.com/mcpctl/mcpctl/plugins/src/internal/caption"
	"github.com/mcpctl/mcpctl/plugins/src/internal/lines"
	"github.com/mcpctl/mcpctl/plugins/src/internal/table"
	"github.com/mcpctl/mcpctl/plugins/src/scan/detect"
	"github.com/mcpctl/mcpctl/sdk-go/stage"
)

func init() { stage.Register("section-split", run) }

// outline is the plan of a splitter: the sections that it would add.
type outline struct {
	count       string       // the number of parts and their noun
	header      string       // the header above the index
	parts       int          // the least number of sections
	index       int          // estimated size of the index in bytes
	addSections func() error // adds the sections

	largestLeaf func() int // returns the bytes of the largest section without children; nil if unknown
}

// describe returns the type and count of a text, for a reader who has not opened it.
func (j *job) describe(o outline) string { return string(j.found.Type) + ", " + o.count }

// findSplitter returns the splitter of a detected type, or nil if the host should
// serve the text in windows. Types whose detection already parsed the parts
// share one splitter.
func findSplitter(found detect.Result) func(*job) outline {
	switch found.Type {
	case detect.JSONArray, detect.JSONObject:
		return splitJSON
	case detect.JSONScalar:
		return splitString
	case detect.NDJSON:
		return splitRecords
	}
	switch {
	case found.Doc != nil:
		return splitProse
	case found.Parts != nil:
		return splitParts
	}
	return nil
}

// job is one text to split: the content, or a document inside it.
type job struct {
	c          *stage.Ctx
	b          []byte
	hint       string // file name or URI of the text
	found      detect.Result
	config     config
	batch      *stage.Batch // shared by all documents in the content
	room       *int         // number of sections that may be added in addition to the planned ones
	groupField *requestedField
	place
	nested    int    // number of enclosing documents
	topHeader string // header lines about the part that is most of the text, set while it is added
}

// place is the destination of the sections of a text.
type place struct {
	buf    stage.Buf // buffer that contains the text
	base   int       // offset of the text in buf
	parent int       // section that contains the text, or stage.Top
	string bool      // buf is a decoded string of the content
}

// add adds a section for [start, end) of the text. If id is empty, the host
// derives one from the title.
func (j *job) add(parent, start, end int, id, title []byte) (int, error) {
	return j.batch.Add(j.resolveParent(parent), j.buf, j.base+start, j.base+end, unsafeString(id), unsafeString(title))
}

// group adds a section without bytes of its own.
func (j *job) group(parent int, id, title string) (int, error) {
	return j.batch.Group(j.resolveParent(parent), id, title)
}

// summarize sets the summary of an added section.
func (j *job) summarize(at int, summary string) error {
	if err := j.flushSection(at); err != nil {
		return err
	}
	return j.c.Sections.SetSummaryText(at, summary)
}

// flushSection flushes the batch if it still contains the section.
func (j *job) flushSection(at int) error {
	if j.batch.Has(at) {
		return nil
	}
	return j.batch.Flush()
}

// resolveParent translates a parent in this text to a section of the content. The top
// of a nested document is the section that contains it.
func (j *job) resolveParent(parent int) int {
	if parent == stage.Top {
		return j.parent
	}
	return parent
}

// unsafeString returns b as a string without a copy. The host copies it anyway, and a
// copy of each title would dominate the cost of adding sections.
func unsafeString(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

func run(c *stage.Ctx) error {
	config, err := readConfig(c)
	if err != nil {
		return err
	}
	if c.Input.Len() < config.minSize || c.Sections.Len() > 0 {
		return stage.Pass
	}
	head, err := split(c, c.Input, config)
	if err != nil {
		return err
	}
	if _, err := c.Out.WriteString(head); err != nil {
		return err
	}
	return c.Out.Index(stage.Top, 0, 0)
}

// Outline adds the sections of the original, up to depth levels, for a stage
// that prints their index itself. It returns the header for that index.
//
// Errors: stage.Pass if an index would not be much smaller than the content or
// there is nothing to index.
func Outline(c *stage.Ctx, depth int) (head string, err error) {
	return split(c, c.Original, config{leafSize: 3000, maxLines: 24, maxDepth: depth, groupBy: table.Auto, splitOn: "auto"})
}

// OutlineUnits is Outline for a stage that shows single sections of about unit bytes: each
// section is split until its parts are not much larger, on all levels.
func OutlineUnits(c *stage.Ctx, unit int) (head string, err error) {
	return split(c, c.Original, config{leafSize: unit, maxLines: 24, maxDepth: 64, groupBy: table.Auto, splitOn: "auto"})
}

// split adds the sections of b and returns the header above their index.
//
// Errors: stage.Pass if the index would not be much smaller than b.
func split(c *stage.Ctx, b stage.Buf, config config) (head string, err error) {
	room := c.Limits().Sections
	j := &job{c: c, b: b.Bytes(), batch: c.Sections.Batch(), hint: c.Hint(), config: config, room: &room, groupField: &requestedField{field: config.groupField()}, place: place{buf: b, parent: stage.Top}}
	j.found = detect.Detect(j.b, config.detection(j.hint, c.MIME(), room))
	if j.found.Type == detect.Opaque {
		return "", stage.Pass
	}
	if err := errors.Join(c.Meta("type", string(j.found.Type)), c.Meta("syntax", syntaxes), c.Meta("confidence", string(j.found.Confidence))); err != nil {
		return "", err
	}
	outlined := findSplitter(j.found)
	if outlined == nil {
		outlined = splitUnknown
	}
	o := outlined(j)
	if !pays(len(o.header)+o.index, len(j.b)) || j.isSingleSection(o) {
		return "", stage.Pass
	}
	if err := errors.Join(o.addSections(), j.batch.Flush()); err != nil && !errors.Is(err, stage.Limit) { // the host serves sections without a name in windows
		return "", err
	}
	j.groupField.logIfMissing(c.Log)
	return o.header + j.topHeader, nil
}

// maxIndex is the size limit of an index that the host prints, in bytes.
const maxIndex = 4096

// pays reports whether an answer is at most three fifths of the content.
func pays(answer, content int) bool { return answer*5 <= content*3 }

// isSingleSection reports whether one section that is served whole is nearly all of a
// small text. Reading it would cost the index and then the text again.
func (j *job) isSingleSection(o outline) bool {
	most := 2 * j.config.leafSize // limit up to which the host serves a section whole
	return o.largestLeaf != nil && len(j.b)*9 < most*10 && o.largestLeaf()*10 > len(j.b)*9
}

// splitMany returns an outline for content with more parts on one level than can
// be named. The path of a part still reads it, which needs no section.
func splitMany(j *job, count string) outline {
	heading := strings.TrimSuffix(j.formatHeading(count), "\n")
	heading += ", more parts than can be named (limit " + strconv.Itoa(j.c.Limits().Sections) + "), shown in windows of lines and bytes\n"
	return outline{count: count, header: heading, addSections: func() error { return nil }}
}

// splitUnknown returns an outline without sections, for content whose structure is unknown.
func splitUnknown(j *job) outline {
	count := j.countLines()
	return outline{count: count, header: j.formatHeading(count), addSections: func() error { return nil }}
}

func (j *job) countLines() string {
	n := lines.Count(j.b)
	if len(j.b) > 0 && j.b[len(j.b)-1] != '\n' {
		n++
	}
	return caption.Count(n, "line")
}

// formatHeading returns the first line of an answer.
func (j *job) formatHeading(count string) string {
	return string(j.found.Type) + ", " + count + ", " + strconv.Itoa(len(j.b)) + " bytes\n"
}
