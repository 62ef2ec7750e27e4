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

	"github.com/mcpctl/mcpctl/plugins/src/internal/detect"
	"github.com/mcpctl/mcpctl/plugins/src/internal/jsonscan"
	"github.com/mcpctl/mcpctl/plugins/src/internal/table"
	"github.com/mcpctl/mcpctl/sdk-go/stage"
)

func init() { stage.Register("section-split", run) }

// outline is what a splitter plans to name.
type outline struct {
	lines string       // what stands above the index
	index int          // estimated size of the index in bytes
	name  func() error // adds the sections
}

// splitters by type; what has none is read in windows of the host's.
var splitters = map[detect.Type]func(*job) outline{
	detect.JSONArray:  splitJSON,
	detect.JSONObject: splitJSON,
	detect.NDJSON:     splitRecords,
	detect.Markdown:   splitProse,
	detect.Mixed:      splitProse,
	detect.Prose:      splitProse,
}

// job is one run.
type job struct {
	c      *stage.Ctx
	b      []byte
	found  detect.Result
	config config
	room   int // sections that may still be added beside those that are planned
}

func run(c *stage.Ctx) error {
	config, err := readConfig(c)
	if err != nil {
		return err
	}
	if c.Input.Len() < config.minSize || c.Sections.Len() > 0 {
		return stage.Pass
	}
	j := &job{c: c, b: c.Input.Bytes(), config: config, room: c.Limits().Sections}
	j.found = detect.Detect(j.b, config.detection(c))
	if j.found.Type == detect.Opaque {
		return stage.Pass
	}
	if err := c.Meta("type", string(j.found.Type)); err != nil {
		return err
	}
	split := splitters[j.found.Type]
	if split == nil {
		split = splitNothing
	}
	o := split(j)
	if !pays(len(o.lines)+o.index, len(j.b)) {
		return stage.Pass
	}
	if err := o.name(); err != nil && !errors.Is(err, stage.Limit) { // what is not named is read in windows
		return err
	}
	if _, err := c.Out.WriteString(o.lines); err != nil {
		return err
	}
	return c.Out.Index(stage.Top, 0, 0)
}

// maxIndex is the most that the host prints of an index, in bytes.
const maxIndex = 4096

// pays reports whether an answer is small enough to stand for the content: at
// least two fifths smaller.
func pays(answer, content int) bool { return answer*5 <= content*3 }

// splitNothing is for content of which only the size is known.
func splitNothing(j *job) outline {
	lines := jsonscan.CountLines(j.b)
	if len(j.b) > 0 && j.b[len(j.b)-1] != '\n' {
		lines++
	}
	return outline{lines: j.heading(table.Count(lines, "line")), name: func() error { return nil }}
}

// heading is the first line of an answer.
func (j *job) heading(count string) string {
	return string(j.found.Type) + ", " + count + ", " + strconv.Itoa(len(j.b)) + " bytes\n"
}
