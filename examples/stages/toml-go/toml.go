// Toml is a stage that replaces a TOML file with an index of its tables.
//
// It teaches a type of content to the host, which knows only JSON: the declaration in
// syntax says which bytes between sections are structure and where names are.
package main

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/mcpctl/mcpctl/sdk-go/stage"
)

func init() { stage.Register("toml", split) }

func main() {}

// syntax declares that headers of tables are structure, so that an index does not list
// a line for them, and that keys are names, so that a path such as package/edition leads
// to the table with that key.
const syntax = `[{
	"types": ["toml"],
	"separators": "(?:\\s*\\[\\[?[^\\[\\]\\n]+\\]\\]?[ \\t]*(?:#[^\\n]*)?\\r?\\n)*\\s*",
	"names": [{"before": " \t\n\"'.", "after": " =\"'."}]
}]`

var (
	header = regexp.MustCompile(`^\s*\[\[?\s*([^\[\]]+?)\s*\]\]?\s*(?:#.*)?$`)
	pair   = regexp.MustCompile(`^\s*[\w."' -]+=`)
)

// table is a table that has not ended.
type table struct {
	path    string
	section int // its position, when it is added
	start   int
	end     int
	parent  int // index in the list of tables, or -1
}

func split(c *stage.Ctx) error {
	if c.Input.Len() < c.Int("minSize", 2000) || c.Sections.Len() > 0 {
		return stage.Pass
	}
	tables, ok := parse(c.Input.String())
	if !ok || len(tables) < 2 {
		return stage.Pass
	}
	for i := range tables {
		t := &tables[i]
		parent, name := stage.Top, t.path
		if t.parent >= 0 {
			parent, name = tables[t.parent].section, strings.TrimPrefix(t.path, tables[t.parent].path+".")
		}
		var err error
		if t.section, err = c.Sections.Add(parent, c.Input, t.start, t.end, name); err != nil {
			return err
		}
		if err = c.Sections.SetID(t.section, name); err != nil {
			return err
		}
	}
	if err := c.Meta("type", "toml"); err != nil {
		return err
	}
	if err := c.Meta("syntax", syntax); err != nil {
		return err
	}
	if _, err := fmt.Fprintf(c.Out, "toml, %d tables\n", len(tables)); err != nil {
		return err
	}
	return c.Out.Index(stage.Top, 0, 0)
}

// parse returns the tables of a text in order. It reports false if the text is not
// TOML: a line outside of a value is neither a header nor a pair nor a comment.
func parse(text string) (tables []table, ok bool) {
	open := -1    // the table that contains the current line
	quotes := ""  // of the string of several lines that contains it
	brackets := 0 // of the array that contains it
	at := 0
	for line := range strings.Lines(text) {
		start := at
		at += len(line)
		line = strings.TrimSpace(line)
		switch m := header.FindStringSubmatch(line); {
		case quotes != "":
			if strings.Count(line, quotes)%2 == 1 {
				quotes = ""
			}
		case brackets > 0:
			brackets += strings.Count(line, "[") - strings.Count(line, "]")
		case line == "" || line[0] == '#':
		case m != nil:
			for open >= 0 && !strings.HasPrefix(m[1], tables[open].path+".") {
				tables[open].end = start
				open = tables[open].parent
			}
			tables = append(tables, table{path: m[1], start: start, parent: open})
			open = len(tables) - 1
		case !pair.MatchString(line):
			return nil, false
		default:
			_, value, _ := strings.Cut(line, "=")
			for _, q := range []string{`"""`, `'''`} {
				if strings.Count(value, q)%2 == 1 {
					quotes = q
				}
			}
			if value = strings.TrimSpace(value); quotes == "" && strings.HasPrefix(value, "[") {
				brackets = strings.Count(value, "[") - strings.Count(value, "]")
			}
		}
	}
	for ; open >= 0; open = tables[open].parent {
		tables[open].end = len(text)
	}
	return tables, true
}
