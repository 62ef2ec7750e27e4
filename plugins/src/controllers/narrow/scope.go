package narrow

import (
	"strings"

	"github.com/mcpctl/mcpctl/sdk-go/controller"
)

// scope selects the calls that are narrowed.
type scope struct {
	tools, bypass []string
	onlyReadOnly  bool
}

func readScope(c *controller.Ctx) scope {
	return scope{
		tools:        c.Strings("tools", "*"),
		bypass:       c.Strings("bypass", "list*", "create*", "delete*", "add*", "remove*", "update*", "set*"),
		onlyReadOnly: c.Bool("onlyReadOnly", true),
	}
}

// selects reports whether the globs select a label.
func (s scope) selects(label string) bool {
	return matchesAny(s.tools, label) && !matchesAny(s.bypass, label)
}

// covers reports whether calls of a tool are narrowed.
func (s scope) covers(t controller.Tool) bool {
	if t.Kind != controller.UpstreamTool || !s.selects(t.Name) {
		return false
	}
	reads, _ := t.Field("/annotations/readOnlyHint")
	return reads == "true" || !s.onlyReadOnly
}

func matchesAny(globs []string, label string) bool {
	_, name, _ := strings.Cut(label, "/")
	for _, g := range globs {
		text := name
		if strings.Contains(g, "/") {
			text = label
		}
		if matches(g, text) {
			return true
		}
	}
	return false
}

// matches reports whether a glob matches a whole text; * matches any text, including /.
// The first occurrence of each piece is sufficient, so one pass is enough.
func matches(glob, text string) bool {
	pieces := strings.Split(glob, "*")
	text, ok := strings.CutPrefix(text, pieces[0])
	if last := len(pieces) - 1; !ok || last == 0 {
		return ok && text == ""
	}
	for _, piece := range pieces[1 : len(pieces)-1] {
		i := strings.Index(text, piece)
		if i < 0 {
			return false
		}
		text = text[i+len(piece):]
	}
	return strings.HasSuffix(text, pieces[len(pieces)-1])
}
