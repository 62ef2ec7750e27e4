package sectionsplit

import (
	"github.com/mcpctl/mcpctl/plugins/src/internal/table"
	"github.com/mcpctl/mcpctl/plugins/src/scan/detect"
	"github.com/mcpctl/mcpctl/plugins/src/scan/json"
	"github.com/mcpctl/mcpctl/sdk-go/stage"
)

// config of the stage; plugin.yaml says what the keys mean.
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

// detection are the options of package detect for a text that is called hint, with
// room for so many sections. A record is served whole up to twice the size of a
// leaf rather than cut.
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

// groupField is the field that the config groups by, "" if it names none.
func (f config) groupField() string {
	if f.groupBy == table.Auto || f.groupBy == table.None {
		return ""
	}
	return f.groupBy
}

// wish is the field that the config groups by. It holds for the documents inside
// too.
type wish struct {
	field   string // "" for none
	granted bool   // elements have it
}

// answer tells who reads the log why groups are not those that were asked for.
func (w *wish) answer(log stage.Log) {
	if w.field != "" && !w.granted {
		log.Info("no elements have the field to group by, grouped as by auto", "groupBy", w.field)
	}
}
