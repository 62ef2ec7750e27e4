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
	return n.Kind == json.Array && n.Keyed() && 2*n.Size() > len(t.b)
}

// tell keeps the schema line of an array that is most of the text.
func (t *tree) tell(node int32, l *level, schema string) {
	if t.told == "" && t.isMost(node) {
		key := json.Unquote(nil, t.key(t.scan.Node(node)), maxTitle)
		t.told = caption.Of(key, maxTitle/2) + ": " + l.noun + ", " + schema + "\n"
	}
}

// tell passes the header lines of a nested document to the enclosing text if
// they contain more than its type and the document is most of that text. For a
// string that is nearly all of the text, plan has already done so.
func (n *nested) tell() {
	switch {
	case n.outer.told != "":
	case n.shown:
		n.outer.told = n.told
	case !n.decoded && 2*len(n.b) > len(n.outer.b) && strings.Count(n.lines+n.told, "\n") > 1:
		n.outer.told = n.lines + n.told
	}
}
