package sectionsplit

import (
	"github.com/mcpctl/mcpctl/plugins/src/internal/table"
	"github.com/mcpctl/mcpctl/plugins/src/scan/detect"
	"github.com/mcpctl/mcpctl/plugins/src/scan/json"
	"github.com/mcpctl/mcpctl/sdk-go/stage"
)

// config is the configuration of the stage; plugin.yaml describes the keys.
type config struct {
	minSize, leafSize, maxLines, maxDepth int

	groupBy string
	force   detect.Type
	splitOn string
	join    int // minSectionSize
}

func readConfig(c *stage.Ctx) (config, error) {
	f := config{
		minSize:  c.Int("minSize", 5000),
		leafSize: c.Int("maxSectionSize", c.Int("leafSize", 3000)),
		maxLines: c.Int("maxLines", 24),
		maxDepth: c.Int("maxDepth", 64),
		groupBy:  c.String("groupBy", table.Auto),
		force:    detect.Type(c.String("type", "auto")),
		splitOn:  c.String("splitOn", "auto"),
		join:     c.Int("minSectionSize", 0),
	}
	if f.force == "auto" {
		f.force = ""
	}
	if f.leafSize < 1 || f.maxLines < 2 || f.maxDepth < 1 {
		return f, stage.Fail("leafSize %d, maxLines %d, maxDepth %d: want at least 1, 2 and 1", f.leafSize, f.maxLines, f.maxDepth)
	}
	return f, nil
}

// detection returns the options of package detect for a text with the file name
// or URI hint and room for that many sections. A record of up to twice the leaf
// size is served whole instead of split.
func (f config) detection(hint, mime string, room int) detect.Options {
	return detect.Options{
		Force: f.force,
		Hint:  hint,
		MIME:  mime,

		GroupBy: f.groupField(),
		JSON: json.Options{
			Leaf:   f.leafSize,
			Record: 2 * f.leafSize,
			Nodes:  room,
			Depth:  f.maxDepth,
		},
	}
}

// groupField returns the field that groupBy names, or "" for auto and none.
func (f config) groupField() string {
	if f.groupBy == table.Auto || f.groupBy == table.None {
		return ""
	}
	return f.groupBy
}

// requestedField is the field that groupBy names. Nested documents share it.
type requestedField struct {
	field string // "" if groupBy names none
	found bool   // some elements have the field
}

// logIfMissing logs a note if no elements have the requested field.
func (w *requestedField) logIfMissing(log stage.Log) {
	if w.field != "" && !w.found {
		log.Info("no elements have the field to group by, grouped as by auto", "groupBy", w.field)
	}
}
