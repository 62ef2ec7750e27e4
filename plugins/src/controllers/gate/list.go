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
		`"description":"Call this first, with 5 keywords of your task: it gives its rules and opens the other tools.",` +
		`"inputSchema":{"type":"object","properties":{"tags":{"type":"array","items":{"type":"string"},"maxItems":10}},"required":["tags"]},` +
		`"_meta":{"anthropic/alwaysLoad":true}}`

	readTool = `{"name":"read_prompts",` +
		`"description":"Finds rules of this project. Use it before you rely on a convention you have not read.",` +
		`"inputSchema":{"type":"object","properties":{"tags":{"type":"array","items":{"type":"string"},` +
		`"description":"keywords or names"},` +
		`"section":{"type":"string","description":"in the best match: ?TEXT, an id, or ! for all"}},"required":["tags"]},` +
		`"annotations":{"readOnlyHint":true},"_meta":{"anthropic/alwaysLoad":true}}`

	proposeTool = `{"name":"propose_prompt",` +
		`"description":"Proposes a rule or lesson for later sessions. A person reviews it first.",` +
		`"inputSchema":{"type":"object","properties":{"name":{"type":"string"},"content":{"type":"string"},` +
		`"priority":{"type":"integer","description":"1-10, default 5; 10 goes to every session"}},"required":["name","content"]},` +
		`"_meta":{"anthropic/alwaysLoad":true}}`
)

// list shows begin_session alone, or once the session is open all but it. The
// gate's other tools are there, hidden, from the start: a client that lost its
// session may call one before it reads the list again.
//
// A project without prompts has no gate: begin_session would answer nothing. A
// session that was given its tools so keeps them when a prompt is added; its next
// call is answered with the prompts, as one that did not wait for begin_session.
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
	switch passed, _ := c.State.Get(statePassed); {
	case promptsOf(c).Len() == 0:
		return first(c.HideTool(toolBegin), c.HideTool(toolRead), c.HideTool(toolPropose), c.State.Set(statePassed, passedWhole), controller.Pass)
	case passed != "" && intercepts(c):
		return first(c.HideTool(toolBegin), withoutSchemas(c), c.State.Set(statePassed, passedBare), controller.Pass)
	}
	if err := first(c.HideTool(toolRead), c.HideTool(toolPropose)); err != nil {
		return err
	}
	return first(closeOthers(c), controller.Pass)
}

// withoutSchemas takes from the tools of servers the schema of their results: one
// with structured content could not show a block beside it.
func withoutSchemas(c *controller.Ctx) error {
	for t := range c.Tools() {
		if t.Kind != controller.UpstreamTool {
			continue
		}
		if err := c.PatchTool(t.Wire, noSchema); err != nil {
			return err
		}
	}
	return nil
}

// noSchema is the merge patch that removes outputSchema from a tool.
const noSchema = `{"outputSchema":null}`

// closeOthers hides the tools that are not the gate's, from clients that read the
// list again once it is open. Others see all of them, without the schema of their
// results; see withoutSchemas. Those that no controller before it has hidden are what
// will be there: begin_session names them.
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
			err = c.PatchTool(t.Wire, noSchema)
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
