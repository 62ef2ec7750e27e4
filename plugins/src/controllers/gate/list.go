package gate

import (
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/sdk-go/controller"
)

// Definitions of the tools of the gate. They set alwaysLoad, because a client that
// defers tools would show only names.
const (
	beginTool = `{"name":"begin_session",` +
		`"description":"Call this first, with 5 keywords of your task: it gives its rules and opens the other tools.",` +
		`"inputSchema":{"type":"object","properties":{"tags":{"type":"array","items":{"type":"string"},"maxItems":10}},"required":["tags"]},` +
		`"_meta":{"anthropic/alwaysLoad":true}}`

	readTool = `{"name":"read_prompts",` +
		`"description":"Finds rules of this project. Use it before you rely on a convention you have not read.",` +
		`"inputSchema":{"type":"object","properties":{"tags":{"type":"array","items":{"type":"string"},` +
		`"description":"keywords or names"},` +
		`"section":{"type":"string","description":"in the best match: a heading, ?TEXT, or ! for all"}},"required":["tags"]},` +
		`"annotations":{"readOnlyHint":true},"_meta":{"anthropic/alwaysLoad":true}}`

	proposeTool = `{"name":"propose_prompt",` +
		`"description":"Proposes a rule or lesson for later sessions. A person reviews it first.",` +
		`"inputSchema":{"type":"object","properties":{"name":{"type":"string"},"content":{"type":"string"},` +
		`"priority":{"type":"integer","description":"1-10, default 5; 10 goes to every session"}},"required":["name","content"]},` +
		`"_meta":{"anthropic/alwaysLoad":true}}`
)

// listTools shows only begin_session, or in an open session the tools except
// begin_session. read_prompts and propose_prompt exist from the start but are
// hidden: a client that lost its session may call one before it reloads the list.
//
// A project without prompts has no gate. If a prompt is added to such a project, a
// running session keeps its tools; its next call is intercepted.
func listTools(c *controller.Ctx) error {
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
		return firstError(c.HideTool(toolBegin), controller.Pass)
	}
	switch passed, _ := c.State.Get(statePassed); {
	case listPrompts(c).Len() == 0:
		return firstError(c.HideTool(toolBegin), c.HideTool(toolRead), c.HideTool(toolPropose), c.State.Set(statePassed, passedWhole), controller.Pass)
	case passed != "" && intercepts(c):
		return firstError(c.HideTool(toolBegin), removeSchemas(c), c.State.Set(statePassed, passedBare), controller.Pass)
	}
	if c.ClientInfo().ListChanged { // otherwise this list is the only one that the client reads
		if err := firstError(c.HideTool(toolRead), c.HideTool(toolPropose)); err != nil {
			return err
		}
	}
	return firstError(hideTools(c), controller.Pass)
}

// removeSchemas removes the output schema of upstream tools, because a client may
// show only structured content and hide the block of prompts.
func removeSchemas(c *controller.Ctx) error {
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

// hideTools hides the tools of others from a client that reloads the list when
// the gate opens. Other clients see all tools, without output schemas; see
// removeSchemas. The names of tools that no earlier controller has hidden are
// saved for the answer of begin_session.
func hideTools(c *controller.Ctx) error {
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

// toolNames is a list of names of up to maxTools bytes.
type toolNames struct {
	text strings.Builder
	left int // number of names that did not fit
}

func (n *toolNames) add(name string) {
	if n.left > 0 || n.text.Len()+2+len(name) > maxTools {
		n.left++
		return
	}
	n.text.WriteString(", " + name)
}

// String returns the list with a leading comma, or "".
func (n *toolNames) String() string {
	if n.left > 0 {
		return n.text.String() + " and " + strconv.Itoa(n.left) + " more"
	}
	return n.text.String()
}

// firstError returns the first error that is not nil.
func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
