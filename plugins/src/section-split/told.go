package sectionsplit

import (
	"strings"

	"github.com/mcpctl/mcpctl/plugins/src/internal/caption"
	"github.com/mcpctl/mcpctl/plugins/src/scan/json"
)

// An index shows the parts of what is most of a text at once, without the section
// that holds them: so what is said above these stands above the index too.

// isMost reports whether a member of an object is an array that is most of the text.
func (t *tree) isMost(node int32) bool {
	n := t.scan.Node(node)
	return n.Kind == json.Array && n.Keyed() && 2*n.Size() > len(t.b)
}

// tell notes the line about the fields of an array that is most of the text.
func (t *tree) tell(node int32, l *level, schema string) {
	if t.told == "" && t.isMost(node) {
		key := json.Unquote(nil, t.key(t.scan.Node(node)), maxTitle)
		t.told = caption.Of(key, maxTitle/2) + ": " + l.noun + ", " + schema + "\n"
	}
}

// tell notes the lines about a document in the text round it if they say more than of
// what type it is, and it is most of that. What a string holds is another text: where
// it is nearly all, it is planned.
func (n *nested) tell() {
	switch {
	case n.outer.told != "":
	case n.shown:
		n.outer.told = n.told
	case !n.decoded && 2*len(n.b) > len(n.outer.b) && strings.Count(n.lines+n.told, "\n") > 1:
		n.outer.told = n.lines + n.told
	}
}
