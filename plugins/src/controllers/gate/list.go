package gate

import (
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/sdk-go/controller"
)

// The gate's tools. Their descriptions are always loaded: a model that defers
// tools would see no more than names.
const (
	beginTool = `{"name":"begin_session",` +
		`"description":"Opens this project: name what your task is about in 5 keywords, get the rules and notes that concern it, and the other tools. Call it before any of them.",` +
		`"inputSchema":{"type":"object","properties":{"tags":{"type":"array","items":{"type":"string"},"maxItems":10,` +
		`"description":"5 keywords of your task, for example [\"zigbee\",\"lights\",\"mqtt\",\"pairing\",\"automation\"]"}},"required":["tags"]},` +
		`"_meta":{"anthropic/alwaysLoad":true}}`

	readTool = `{"name":"read_prompts",` +
		`"description":"Looks up rules, decisions and guidelines of this project by keyword, or by the name of a prompt. Use it whenever you are about to rely on a convention that you have not read.",` +
		`"inputSchema":{"type":"object","properties":{"tags":{"type":"array","items":{"type":"string"},"maxItems":10,` +
		`"description":"keywords, or names of prompts, for example [\"security\",\"vpn\",\"firewall\"]"},` +
		`"section":{"type":"string","description":"reads within the prompt that matches best, as read_section does: an id of its index, ?TEXT to search, ! for all of it, empty for its index"}},"required":["tags"]},` +
		`"annotations":{"readOnlyHint":true},"_meta":{"anthropic/alwaysLoad":true}}`

	proposeTool = `{"name":"propose_prompt",` +
		`"description":"Proposes a prompt for this project: a rule or a lesson that whoever works here next should know. A person reviews it before it is in force.",` +
		`"inputSchema":{"type":"object","properties":{` +
		`"name":{"type":"string","description":"short name: small letters, digits and hyphens"},` +
		`"content":{"type":"string","description":"the text, in Markdown"},` +
		`"priority":{"type":"integer","minimum":1,"maximum":10,"description":"1-3 reference, 4-6 standard (default 5), 7-9 important, 10 always sent"}},"required":["name","content"]},` +
		`"_meta":{"anthropic/alwaysLoad":true}}`
)

// list shows begin_session alone, or once the session is open all but it. The
// gate's other tools are there, hidden, from the start: a client that lost its
// session may call one before it reads the list again.
func list(c *controller.Ctx) error {
	open := isOpen(c)
	if !open && !c.Gated() {
		return controller.Pass
	}
	for _, definition := range []string{beginTool, readTool, proposeTool} {
		if err := c.AddTool(definition); err != nil {
			return err
		}
	}
	if open {
		return first(c.HideTool(toolBegin), controller.Pass)
	}
	if err := first(c.HideTool(toolRead), c.HideTool(toolPropose)); err != nil {
		return err
	}
	return first(closeOthers(c), controller.Pass)
}

// closeOthers hides the tools that are not the gate's, from clients that read the
// list again once it is open. Others see all of them, without the schema of their
// results: one with structured content could not show a block beside it. Those that
// no controller before it has hidden are what will be there: begin_session names them.
func closeOthers(c *controller.Ctx) error {
	hide := c.ClientInfo().ListChanged
	var open toolNames
	for t := range c.Tools() {
		if !t.Own && !t.Hidden {
			open.add(t.Wire)
		}
		var err error
		switch {
		case t.Own:
		case hide:
			err = c.HideTool(t.Wire)
		case t.Kind == controller.UpstreamTool:
			err = c.PatchTool(t.Wire, `{"outputSchema":null}`)
		}
		if err != nil {
			return err
		}
	}
	return c.State.Set(stateTools, open.String())
}

// toolNames is a list of names that stays below maxTools.
type toolNames struct {
	text strings.Builder
	left int // names that had no room
}

func (n *toolNames) add(name string) {
	if n.left > 0 || n.text.Len()+2+len(name) > maxTools {
		n.left++
		return
	}
	n.text.WriteString(", " + name)
}

// String is what stands behind a name, and may be empty.
func (n *toolNames) String() string {
	if n.left > 0 {
		return n.text.String() + " and " + strconv.Itoa(n.left) + " more"
	}
	return n.text.String()
}

// first is the first of errs that is not nil.
func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
