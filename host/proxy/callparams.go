package proxy

import (
	"github.com/mcpctl/mcpctl/host/jsonrpc"
	"github.com/mcpctl/mcpctl/host/proxy/jsonedit"
	"github.com/mcpctl/mcpctl/host/proxy/names"
)

// handleArg is the argument of any tool that names the conversation of a call in the stateless
// version.
const handleArg = "_session"

// call is the decoded params of a tools/call.
type call struct {
	name    string
	params  jsonrpc.Object
	args    jsonrpc.Object
	section string // the argument _section
	asked   bool   // the argument _section is present

	question string // the argument _question
}

// decodeCall decodes the params strictly. The params for the server are encoded from
// the result, so that the server sees the values that were checked.
func decodeCall(raw []byte) (call, error) {
	params, err := jsonrpc.DecodeParams(raw)
	if err != nil {
		return call{}, err
	}
	name, ok := params.Text("name")
	if !ok {
		return call{}, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "tools/call: params.name %s", noText(params, "name"))
	}
	c := call{name: name, params: params}
	if args, ok := params.Get("arguments"); ok && string(args) != "null" {
		if c.args, err = jsonrpc.DecodeObject(args); err != nil {
			return call{}, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "tools/call: params.arguments: %s", errorText(err))
		}
	}
	return c, nil
}

// encode returns the params for the server: its own name for the tool and the decoded
// arguments. Other members are unchanged.
func (c *call) encode(to names.Target) []byte {
	c.params.Set("name", jsonedit.Quote(to.Name))
	if args, ok := c.params.Get("arguments"); ok && string(args) != "null" {
		c.params.Set("arguments", c.args.Raw())
	}
	return c.params.Raw()
}

// rewrite replaces the arguments. A _section or a _question among them overrides the client's.
func (c *call) rewrite(args jsonrpc.Object) error {
	c.args = args
	c.params.Set("arguments", args.Raw())
	return c.takeOwn()
}

// takeOwn removes the arguments that mcpctl reads itself from the call.
func (c *call) takeOwn() error {
	if err := c.takeSection(); err != nil {
		return err
	}
	return c.takeQuestion()
}

// takeSection removes the argument _section.
func (c *call) takeSection() error {
	if _, ok := c.args.Get(sectionArg); !ok {
		return nil
	}
	section, err := sectionText(c.args, sectionArg)
	if err != nil {
		return jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "arguments: %v", err)
	}
	c.args.Delete(sectionArg)
	c.section, c.asked = section, true
	return nil
}
