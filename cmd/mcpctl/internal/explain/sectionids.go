package explain

import (
	"github.com/mcpctl/mcpctl/host/flow"
)

// Documents of the examples, as the demo's server calls them.
const (
	flows = "get_flows"
	guide = "read_guide"
)

// sectionIDs tells how the parts of a content are named and read. Its examples
// are true of the two documents: TestExamplesAreRead reads them.
var sectionIDs = Topic{
	Name:  "section-ids",
	Title: "How sections are named and read",
	Text: `A large answer is shown as an index. Each line "[id] title (size)" offers a section, and read_section(ref, section)
reads it: an index of its parts, or a leaf, which is the bytes of the original and nothing else. The parts of an
index have every byte of what it is about once, but for what only separates them. A ref names stored bytes and never
goes stale.

The id of a part depends on the content alone: leafSize, maxDepth and maxLines decide which parts there are and how
many a line offers, not what they are called. Three kinds of ids do follow the settings: groups and folds, which begin
with @ (groupBy, maxLines); what stands between parts, which is ~1, ~2 and so on; and parts of prose that
minSectionSize joins, which go by the name of the first of them, so that "intro" or "front-matter" may be gone.

Where several parts fit a path the answer is an index of those, and with "!" behind it the bytes of all of them. In
XML, where elements have no names but those of their kind, these are just the elements that the path names, also below
the last section: channel/item/title! are the titles of all items. a//b are all b in a, however deep, in XML, keys of
YAML and headings of HTML and Markdown: //parameters! is what stands below each of them.

A path of more than 120 bytes begins at the bytes of a section that it leads through: ~B1068-2022/properties/port.

The examples are of the flows of a Node-RED instance (JSON) and a user guide (Markdown), which "mcpctl demo" serves.`,
	Chapters: []Chapter{
		{Title: "Ids", Examples: []Example{
			{flows, "7d02ea3c.419f5c", "an element of a list: its id, name, key or title if no other has it, else its position", flow.AnswerLeaf, `{"id":"7d02ea3c.419f5c","type":"function","z":"7805686.aa4...`},
			{guide, "gson-user-guide/overview", "a path of names from the root; a heading is written in small letters and hyphens", flow.AnswerLeaf, "## Overview\n..."},
			{guide, "gson-user-guide/intro", "what stands before the first part of a section", flow.AnswerLeaf, "# Gson User Guide\n..."},
			{flows, "@z=4caae8ed.a8fe6", "a group, here the nodes of one tab: it adds no name to the ids of its members", flow.AnswerIndex, "[4caae8ed.a8fe6] TVHEAD_FLOW, tab (85B)\n..."},
			{flows, "@z=7805686.aa4fd98,type=mqtt%20in", "a group within a group; blanks, control characters and / % ? ! [ ] are written %XX", flow.AnswerIndex, "[50375c36.45ed2c] mqtt in (197B)\n..."},
			{guide, "gson-user-guide/using-gson-with-maven/serializing-and-deserializing-collection-with-objec-5fbbb2ea", "a name over 60 bytes is cut and ends with a part of its SHA-256; equal names get -2, -3", flow.AnswerLeaf, "### Serializing and Deserializing Collection with Objects of Arbitrary Types\n..."},
			{guide, "~L1-3", "lines, of any text; @1965 behind them says from which byte", flow.AnswerLeaf, "# Gson User Guide\n\n1. [Overview](#overview)\n"},
		}},
		{Title: "What read_section takes", Examples: []Example{
			{flows, "", "nothing: the first index again", flow.AnswerIndex, "json-array, 384 objects, 115095 bytes, grouped by z\n..."},
			{flows, "7d02ea3c.419f5c/name", "any path, offered or not: below the last section keys and positions go on", flow.AnswerLeaf, `"ButtonSeperator"`},
			{flows, "0/label", "an element by its position, counted from 0", flow.AnswerLeaf, `"GLOVE_FLOW"`},
			{flows, "[0].label", "the dotted form; $[0]['label'] and #/0/label too", flow.AnswerLeaf, `"GLOVE_FLOW"`},
			{guide, "Null Object Support", "a heading as it is written; if several fit, an index of those", flow.AnswerLeaf, "### Null Object Support\n..."},
			{flows, "?mqtt-broker", "search: what is called so, then what has it in its title, then in its bytes; one leaf alone is answered at once", flow.AnswerSearch, "2 sections match \"mqtt-broker\"\n..."},
			{flows, "@z=4d7be1f4.b5275?inject", "search below a section", flow.AnswerSearch, "5 sections match \"inject\"\n..."},
			{flows, "7805686.aa4fd98!", "the exact bytes, also of what has parts, or of all members of a group; over 40,000 bytes in windows", flow.AnswerLeaf, `{"id":"7805686.aa4fd98","type":"tab","label":"GLOVE_FLOW","disabled":false,"info":""}`},
			{flows, "!0-40", "bytes of it; without an id of the whole", flow.AnswerLeaf, `[{"id":"7805686.aa4fd98","type":"tab","l`},
		}},
	},
	More: "mcpctl proxymodel run subindex --file FILE --section ID",
}
