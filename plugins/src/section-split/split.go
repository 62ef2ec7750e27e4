// Package sectionsplit answers large content by an index of its sections.
//
// Each type has a splitter that names exact spans of the content; the host
// prints the index of them, serves their bytes and makes every byte reachable
// that no span covers. So a splitter that finds little costs quality, never
// correctness, and no content is an error.
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

// outline is what a splitter plans to name.
type outline struct {
	count string       // how many there are of what
	lines string       // what stands above the index
	parts int          // sections, at least
	index int          // estimated size of the index in bytes
	name  func() error // adds the sections

	largest func() int // bytes of the largest section that holds no other; nil: it is not known
}

// what says what the text is, to a reader who has not opened it.
func (j *job) what(o outline) string { return string(j.found.Type) + ", " + o.count }

// splitter of what was found; nil: it is read in windows of the host's. Types
// whose proof has found their parts need none of their own.
func splitter(found detect.Result) func(*job) outline {
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

// job is one text that is split: the content, or a document inside it.
type job struct {
	c      *stage.Ctx
	b      []byte
	hint   string // file name or URI of the text
	found  detect.Result
	config config
	batch  *stage.Batch // of all documents in the content
	room   *int         // sections that may still be added beside those that are planned
	wish   *wish
	place
	nested int    // documents round this one
	told   string // lines about what is most of the text, known once that is named
}

// place is where the sections of a text go.
type place struct {
	buf    stage.Buf // what the text is from
	base   int       // where it begins there
	parent int       // section that holds it, or stage.Top
	string bool      // buf is a string of the content, decoded
}

// add adds a section for [start, end) of the text. With an empty id the host
// makes one from the title.
func (j *job) add(parent, start, end int, id, title []byte) (int, error) {
	return j.batch.Add(j.below(parent), j.buf, j.base+start, j.base+end, text(id), text(title))
}

// group adds a section without bytes of its own.
func (j *job) group(parent int, id, title string) (int, error) {
	return j.batch.Group(j.below(parent), id, title)
}

// summarize gives a section that was added a summary.
func (j *job) summarize(at int, summary string) error {
	if err := j.settle(at); err != nil {
		return err
	}
	return j.c.Sections.SetSummaryText(at, summary)
}

// settle makes sure that a section that was added is with the host.
func (j *job) settle(at int) error {
	if j.batch.Has(at) {
		return nil
	}
	return j.batch.Flush()
}

// below is the section that stands for a parent: the top of a document may lie
// inside another one.
func (j *job) below(parent int) int {
	if parent == stage.Top {
		return j.parent
	}
	return parent
}

// text is b as a string, without a copy: what is handed on is copied there, and a copy
// of each title would be most of the work here.
func text(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

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

// Outline adds the sections of the original, of up to depth levels, for a stage
// that prints their index itself. It returns what stands above an index.
//
// Errors: stage.Pass if an index would not pay, or there is nothing to index.
func Outline(c *stage.Ctx, depth int) (head string, err error) {
	return split(c, c.Original, config{leafSize: 3000, maxLines: 24, maxDepth: depth, groupBy: table.Auto, splitOn: "auto"})
}

// split adds the sections of b and returns what stands above their index.
//
// Errors: stage.Pass if the index would not pay.
func split(c *stage.Ctx, b stage.Buf, config config) (head string, err error) {
	room := c.Limits().Sections
	j := &job{c: c, b: b.Bytes(), batch: c.Sections.Batch(), hint: c.Hint(), config: config, room: &room, wish: &wish{field: config.groupField()}, place: place{buf: b, parent: stage.Top}}
	j.found = detect.Detect(j.b, config.detection(j.hint, c.MIME(), room))
	if j.found.Type == detect.Opaque {
		return "", stage.Pass
	}
	if err := errors.Join(c.Meta("type", string(j.found.Type)), c.Meta("confidence", string(j.found.Confidence))); err != nil {
		return "", err
	}
	outlined := splitter(j.found)
	if outlined == nil {
		outlined = splitNothing
	}
	o := outlined(j)
	if !pays(len(o.lines)+o.index, len(j.b)) || j.undivided(o) {
		return "", stage.Pass
	}
	if err := errors.Join(o.name(), j.batch.Flush()); err != nil && !errors.Is(err, stage.Limit) { // what is not named is read in windows
		return "", err
	}
	j.wish.answer(c.Log)
	return o.lines + j.told, nil
}

// maxIndex is the most that the host prints of an index, in bytes.
const maxIndex = 4096

// pays reports whether an answer is small enough to stand for the content: at
// least two fifths smaller.
func pays(answer, content int) bool { return answer*5 <= content*3 }

// undivided reports whether nearly all of a small text is one section that is served
// whole: to read that would cost the index and the text again.
func (j *job) undivided(o outline) bool {
	most := 2 * j.config.leafSize // what the host serves whole
	return o.largest != nil && len(j.b)*9 < most*10 && o.largest()*10 > len(j.b)*9
}

// splitMany is for content of more parts on one level than can be named. Each
// is still read by its path, which needs no section.
func splitMany(j *job, count string) outline {
	heading := strings.TrimSuffix(j.heading(count), "\n")
	heading += ", more parts than can be named (limit " + strconv.Itoa(j.c.Limits().Sections) + "), shown in windows of lines and bytes\n"
	return outline{count: count, lines: heading, name: func() error { return nil }}
}

// splitNothing is for content of which only the size is known.
func splitNothing(j *job) outline {
	count := j.lineCount()
	return outline{count: count, lines: j.heading(count), name: func() error { return nil }}
}

func (j *job) lineCount() string {
	n := lines.Count(j.b)
	if len(j.b) > 0 && j.b[len(j.b)-1] != '\n' {
		n++
	}
	return caption.Count(n, "line")
}

// heading is the first line of an answer.
func (j *job) heading(count string) string {
	return string(j.found.Type) + ", " + count + ", " + strconv.Itoa(len(j.b)) + " bytes\n"
}
