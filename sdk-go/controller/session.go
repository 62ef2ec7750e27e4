package controller

import (
	"iter"

	"github.com/mcpctl/mcpctl/sdk-go/internal/entry"
	"github.com/mcpctl/mcpctl/sdk-go/internal/raw"
	"github.com/mcpctl/mcpctl/sdk-go/stage"
)

// State stores values of this controller in this session, in the host's memory. They
// survive a new version of the module, but not the end of the daemon.
//
// Limits: 1,000 keys of 256 bytes, 1 MiB in all.
type State struct{}

// Get returns a value of this hook or an earlier one, and reports whether there is one.
func (State) Get(key string) (string, bool) {
	h := raw.StateGet(key)
	if h < 0 {
		return "", false
	}
	return entry.Take(h), true
}

// Set stores a value. Errors: BadArg, Limit.
func (State) Set(key, value string) error { return entry.Check(raw.StateSet(key, value)) }

// Delete deletes a value. Errors: NotFound.
func (State) Delete(key string) error { return entry.Check(raw.StateDel(key)) }

// ToolKind is the origin of a tool.
type ToolKind string

// The kinds of tools.
const (
	UpstreamTool ToolKind = "upstream" // of a server
	VirtualTool  ToolKind = "virtual"  // of a controller
	HostTool     ToolKind = "host"     // read_section, whose calls reach no hook
)

// Tool is a tool of the project.
type Tool struct {
	Name   string // label server/tool, or name of a virtual tool
	Wire   string // the name that the client uses
	Kind   ToolKind
	Own    bool // a virtual tool of this controller
	Hidden bool // not listed
	Stale  bool // its server is unavailable

	list stage.JSON
	at   int // in the list
}

// Field returns a field of the definition: a string decoded, and any other value as its
// exact text. The empty pointer is the whole definition. It works only during the
// iteration over Tools.
//
// Errors: NotFound if there is no value at the pointer ("/description", "/inputSchema").
func (t Tool) Field(pointer string) (string, error) {
	return t.list.String("/" + decimal(t.at) + "/tool" + pointer)
}

// Tools iterates over all tools of the project, including hidden and virtual ones.
func (c *Ctx) Tools() iter.Seq[Tool] {
	return func(yield func(Tool) bool) {
		b, err := c.handle(raw.Tools())
		if err != nil {
			return
		}
		defer b.Free()
		t := Tool{list: b.JSON()}
		s := scanner{text: b.String()}
		s.array(func() bool {
			now := t
			t.at++
			return s.object(func(key string) bool { return now.read(&s, key) }) && yield(now)
		})
	}
}

// read reads the value of a key. The definition stays in the host.
func (t *Tool) read(s *scanner, key string) bool {
	switch key {
	case "name":
		return s.string(&t.Name)
	case "wire":
		return s.string(&t.Wire)
	case "kind":
		return s.string((*string)(&t.Kind))
	case "own":
		return s.bool(&t.Own)
	case "hidden":
		return s.bool(&t.Hidden)
	case "stale":
		return s.bool(&t.Stale)
	}
	return s.skip()
}

// HideTool hides a tool, given by label or wire name, from the list. It can still be
// called. In ToolsList only. Errors: NotFound.
func (c *Ctx) HideTool(name string) error { return toolError(name, raw.ToolHide(name)) }

// PatchTool applies a JSON merge patch (RFC 7396) such as {"outputSchema":null} to the
// definition of a tool, given by label or wire name. In ToolsList only.
//
// Errors: NotFound, BadArg if the patch changes the name or makes the inputSchema
// something other than an object.
func (c *Ctx) PatchTool(name, patch string) error { return toolError(name, raw.ToolPatch(name, patch)) }

// toolError returns the error of a result, with the name of the tool if it was not found.
func toolError(tool string, result int32) error {
	if result == raw.CodeNotFound {
		return &stage.Error{Code: stage.NotFound, Text: "tool " + tool + " not found"}
	}
	return entry.Check(result)
}

// AddTool adds a virtual tool with a definition in JSON, at least
// {"name":"...","inputSchema":{...}}. Its calls arrive at ToolCall. In ToolsList only.
//
// Limits: 64 tools of 64 KiB; a name is 1 to 48 letters, digits, _ and -.
// Errors: Conflict if another controller or the host uses the name, BadArg, Limit.
func (c *Ctx) AddTool(definition string) error { return entry.Check(raw.ToolAdd(definition)) }

// Server is a server of the project.
type Server struct {
	Name  string
	State string // ready, starting, failed, idle
	Tools int
	Error string
}

// Servers iterates over the project's servers.
func (c *Ctx) Servers() iter.Seq[Server] {
	return func(yield func(Server) bool) {
		b, err := c.handle(raw.Servers())
		if err != nil {
			return
		}
		defer b.Free()
		j := b.JSON()
		n, _ := j.Len("")
		for i := range n {
			at := "/" + decimal(i)
			var s Server
			s.Name, _ = j.String(at + "/name")
			s.State, _ = j.String(at + "/state")
			s.Error, _ = j.String(at + "/error")
			tools, _ := j.Int(at + "/tools")
			s.Tools = int(tools)
			if !yield(s) {
				return
			}
		}
	}
}

// Rewrite routes the call to another tool, given by label or wire name, with n bytes of
// b (-1: to the end) from off on as arguments. It takes effect with Pass. In ToolCall
// only.
//
// Errors: NotFound for an unknown or virtual tool, BadArg if the span is not a JSON
// object or has a duplicate key.
func (c *Ctx) Rewrite(tool string, b stage.Buf, off, n int) error {
	return toolError(tool, raw.CallRewrite(tool, entry.ID(b), word(off), word(n)))
}

// Notify queues a notification, which is sent before the answer. The params are a JSON
// object, or empty.
//
// Limits: 16 in a hook.
// Errors: Denied if the manifest does not list the method, which is not needed for
// notifications/message and the three list_changed; BadArg, Limit.
func (c *Ctx) Notify(method, params string) error { return entry.Check(raw.Notify(method, params)) }

// ToolsChanged notifies the client that the list of tools changed. The host delays the
// answer of this call until the client has read the list.
func (c *Ctx) ToolsChanged() error { return c.Notify("notifications/tools/list_changed", "") }

// PromptBody returns the text of a prompt as a client reads it, after the project's
// stages. The name of a system prompt is mcpctl-system/NAME.
//
// Errors: NotFound, Unavailable for a dead link.
func (c *Ctx) PromptBody(name string) (stage.Buf, error) { return c.handle(raw.PromptBody(name, 0)) }

// PromptStored returns the text of a prompt after the project's filters, but without its
// stages; see PromptBody.
func (c *Ctx) PromptStored(name string) (stage.Buf, error) {
	return c.handle(raw.PromptBody(name, raw.PromptStored))
}

// ProposePrompt proposes a prompt, {"name","content","priority"} in JSON, for review by
// a person and returns the id of the request.
//
// Errors: BadArg, Conflict, Limit.
func (c *Ctx) ProposePrompt(proposal string) (id string, err error) {
	h := raw.PromptPropose(proposal)
	if h < 0 {
		return "", entry.Check(h)
	}
	return entry.Take(h), nil
}

// OpenContent returns the exact bytes that are stored under a ref of this project and
// subject. Errors: NotFound.
func (c *Ctx) OpenContent(ref string) (stage.Buf, error) { return c.handle(raw.ContentOpen(ref)) }

// ContentMeta returns the properties of stored bytes as a JSON object: ref, source,
// contentType, mime, bytes, lines, tokens, sections, createdMs. Errors: NotFound.
func (c *Ctx) ContentMeta(ref string) (stage.Buf, error) { return c.handle(raw.ContentMeta(ref)) }

// Section returns the text that read_section would return to the client, including
// searches.
//
// Errors: NotFound for an unknown ref. For an unknown section the text is a message.
func (c *Ctx) Section(ref, section string) (stage.Buf, error) {
	return c.handle(raw.SectionRead(ref, section))
}
