package explain

import (
	"github.com/mcpctl/mcpctl/host/flow"
)

// Tools of the demo server that return the documents of the examples.
const (
	flows = "get_flows"
	guide = "read_guide"
)

// sectionIDs is the topic about naming and reading sections. TestExamplesAreRead reads
// its examples in the two documents.
var sectionIDs = Topic{
	Name:  "section-ids",
	Title: "How sections are named and read",
	Text: `A large answer is shown as an index. Each line "[id] title (size)" is a section. read_section(ref, section) returns
either an index of its parts or a leaf, which contains exactly the bytes of the original. The parts of an index cover
every byte of their section once, except for separators between them. A ref identifies stored bytes, so it never
becomes stale.

An answer that no stage has indexed, because none applies, a stage failed or no LLM answered, is shown as an index too
if it has more estimated tokens than maxAnswerTokens of its project: 10,000 by default; 0 is no limit. It counts for all
texts of an answer of tools/call, resources/read and prompts/get together, also for a failed tool. The largest texts
are replaced first; many short ones become one index, with a section "text-N" for each. Answers of read_section and
answers that a controller writes itself are not replaced. The event of the answer contains the reason.

Ids depend only on the content: leafSize, maxDepth and maxLines determine which parts exist and how many of them a line
represents, not their ids. Three kinds of ids are exceptions: groups and folds, which begin with @ (groupBy, maxLines);
bytes between parts, which are ~1, ~2 and so on; and parts of prose that minSectionSize joins, which have the id of the
first of them, so that "intro" or "front-matter" may not exist.

If several parts match a path, the answer is an index of them; with "!" after the path, it is the bytes of all of them.
Below the last section, a path continues in JSON with keys and positions, and in XML with tags. In other types a name
leads to the leaf that contains it: a section of up to leafSize bytes is not split. In code it leads only to functions,
methods and types that are declared there. "?text" finds any text, such as fields and constants.

In XML, where elements are named only by their tag, only the matching elements are returned, also below the last
section: channel/item/title! returns the titles of all items, channel//link! all links in it at any depth, and item[3]
the third item, as in XPath; so does item-3, unless an id is the same, and item[last()] is the last one. item[@k='v']
and item[name='v'] are the items with this attribute or child. // is only for elements.

In JSON, .a[2]["b.c"], $.a[-1], $.a[*].b and #/a/b~1c mean the same as in jq, JSONPath and JSON Pointer, and lead to
nothing else. A key that an object has twice, or a name that several elements have, is answered by an index of them.

A path of more than 120 bytes starts at the byte range of a section on the path: ~B1068-2022/properties/port.

The examples use the flows of a Node-RED instance (JSON) and a user guide (Markdown), which "mcpctl demo" serves.`,
	Chapters: []Chapter{
		{Title: "Ids", Examples: []Example{
			{flows, "7d02ea3c.419f5c", "an element of a list: its id, name, key or title if that is unique, else its position", flow.AnswerLeaf, `{"id":"7d02ea3c.419f5c","type":"function","z":"7805686.aa4...`},
			{guide, "gson-user-guide/overview", "a path of names from the root; headings are written in lower case with hyphens", flow.AnswerLeaf, "## Overview\n..."},
			{guide, "gson-user-guide/intro", "the text before the first part of a section", flow.AnswerLeaf, "# Gson User Guide\n..."},
			{flows, "@z=4caae8ed.a8fe6", "a group, here the nodes of one tab; it is not part of the ids of its members", flow.AnswerIndex, "[4caae8ed.a8fe6] TVHEAD_FLOW, tab (85B)\n..."},
			{flows, "@z=7805686.aa4fd98,type=mqtt%20in", "a group in a group; white space, control characters and / % ? ! [ ] are written %XX", flow.AnswerIndex, "[50375c36.45ed2c] mqtt in (197B)\n..."},
			{guide, "gson-user-guide/using-gson-with-maven/serializing-and-deserializing-collection-with-objec-5fbbb2ea", "a name over 60 bytes is shortened and ends with a part of its SHA-256; equal names get -2, -3", flow.AnswerLeaf, "### Serializing and Deserializing Collection with Objects of Arbitrary Types\n..."},
			{guide, "~L1-3", "lines of any text; a suffix @1965 is the first byte", flow.AnswerLeaf, "# Gson User Guide\n\n1. [Overview](#overview)\n"},
		}},
		{Title: "What read_section takes", Examples: []Example{
			{flows, "", "empty: the first index again", flow.AnswerIndex, "json-array, 384 objects, 115095 bytes, grouped by z\n..."},
			{flows, "7d02ea3c.419f5c/name", "any path, listed or not; keys, positions and, in Markdown, headings continue below the last section", flow.AnswerLeaf, `"ButtonSeperator"`},
			{flows, "0/label", "an element by its position, counted from 0", flow.AnswerLeaf, `"GLOVE_FLOW"`},
			{flows, "[0].label", "the dotted form; also $[0]['label'] and #/0/label", flow.AnswerLeaf, `"GLOVE_FLOW"`},
			{flows, "TVHEAD_FLOW", "the name that a title begins with, an element of an array by id or name; in code also a::b and a/b", flow.AnswerIndex, "[4caae8ed.a8fe6] TVHEAD_FLOW, tab (85B)\n..."},
			{guide, "Null Object Support", "a heading as written; if several match, an index of them", flow.AnswerLeaf, "### Null Object Support\n..."},
			{flows, "?mqtt-broker", "search: sections with this id, then matching titles, then matching bytes; a single leaf is returned directly", flow.AnswerSearch, "2 sections match \"mqtt-broker\"\n..."},
			{flows, "@z=4d7be1f4.b5275?inject", "search in a section", flow.AnswerSearch, "5 sections match \"inject\"\n..."},
			{flows, "7805686.aa4fd98!", "the exact bytes, also of a section with parts or of all members of a group; over 40,000 bytes in windows", flow.AnswerLeaf, `{"id":"7805686.aa4fd98","type":"tab","label":"GLOVE_FLOW","disabled":false,"info":""}`},
			{flows, "!0-40", "a byte range of a section; without an id, of the original", flow.AnswerLeaf, `[{"id":"7805686.aa4fd98","type":"tab","l`},
		}},
	},
	More: "mcpctl proxymodel run subindex --file FILE --section ID",
}
