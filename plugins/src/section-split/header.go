package sectionsplit

import (
	"strings"

	"github.com/mcpctl/mcpctl/plugins/src/internal/caption"
	"github.com/mcpctl/mcpctl/plugins/src/scan/json"
)

// An index shows the parts of a value that is most of the text without the
// section that contains them, so the summary of that section moves above the index.

// isMost reports whether a member of an object is an array of more than half the text.
func (t *tree) isMost(node int32) bool {
	n := t.scan.Node(node)
	return n.Kind == json.Array && n.HasKey() && 2*n.Size() > len(t.b)
}

// keepHeader keeps the schema line of an array that is most of the text.
func (t *tree) keepHeader(node int32, l *level, schema string) {
	if t.topHeader == "" && t.isMost(node) {
		key := json.Unquote(nil, t.key(t.scan.Node(node)), maxTitle)
		t.topHeader = caption.Of(key, maxTitle/2) + ": " + l.noun + ", " + schema + "\n"
	}
}

// keepHeader passes the header lines of a nested document to the enclosing text if
// they contain more than its type and the document is most of that text. For a
// string that is nearly all of the text, planDominant has already done so.
func (n *nested) keepHeader() {
	switch {
	case n.outer.topHeader != "":
	case n.shown:
		n.outer.topHeader = n.topHeader
	case !n.decoded && 2*len(n.b) > len(n.outer.b) && strings.Count(n.header+n.topHeader, "\n") > 1:
		n.outer.topHeader = n.header + n.topHeader
	}
}
