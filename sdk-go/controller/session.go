package controller

import (
	"iter"

	"github.com/mcpctl/mcpctl/sdk-go/internal/entry"
	"github.com/mcpctl/mcpctl/sdk-go/internal/raw"
	"github.com/mcpctl/mcpctl/sdk-go/stage"
)

// State keeps values for this controller in this session, in the host's memory:
// they survive a new version of the module, not the end of the daemon.
//
// Limits: 1,000 keys of 256 bytes, 1 MiB in all.
type State struct{}

// Get is a value, written in this hook or kept by one before, and whether there is
// one.
func (State) Get(key string) (string, bool) {
	h := raw.StateGet(key)
	if h < 0 {
		return "", false
	}
	return entry.Take(h), true
}

// Set keeps a value. Errors: BadArg, Limit.
func (State) Set(key, value string) error { return entry.Check(raw.StateSet(key, value)) }

// Delete drops a value. Errors: NotFound.
func (State) Delete(key string) error { return entry.Check(raw.StateDel(key)) }

// ToolKind says where a tool comes from.
type ToolKind string

// The kinds of tools.
const (
	UpstreamTool ToolKind = "upstream" // a server's
	VirtualTool  ToolKind = "virtual"  // a controller's
	HostTool     ToolKind = "host"     // read_section: its calls reach no hook
)

// Tool is one tool of the project.
type Tool struct {
	Name   string // label server/tool, or name of a virtual tool
	Wire   string // what the client calls it
	Kind   ToolKind
	Own    bool // a virtual tool of this controller
	Hidden bool // not listed
	Stale  bool // its server is away

	list stage.JSON
	at   int // in the list
}

// Field reads the definition: a string decoded, any other value as its exact text;
// the empty pointer is the whole. It is valid while Tools goes through the list.
//
// Errors: NotFound if the pointer ("/description", "/inputSchema") leads nowhere.
func (t Tool) Field(pointer string) (string, error) {
	return t.list.String("/" + decimal(t.at) + "/tool" + pointer)
}

// Tools goes through all tools that the project has, hidden and virtual ones
// included.
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

// read takes the value of a key. The definition stays with the host.
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

// HideTool takes a tool, by label or wire name, out of the list. It can still be
// called. In ToolsList only. Errors: NotFound.
func (c *Ctx) HideTool(name string) error { return named(name, raw.ToolHide(name)) }

// PatchTool changes a tool's definition, named by label or wire name, by a JSON
// merge patch (RFC 7396) such as {"outputSchema":null}. In ToolsList only.
//
// Errors: NotFound, BadArg if the name would change or the inputSchema would be no
// object.
func (c *Ctx) PatchTool(name, patch string) error { return named(name, raw.ToolPatch(name, patch)) }

// named is the error of a result; of a tool that is not there it says which.
func named(tool string, result int32) error {
	if result == raw.CodeNotFound {
		return &stage.Error{Code: stage.NotFound, Text: "tool " + tool + " not found"}
	}
	return entry.Check(result)
}

// AddTool adds a virtual tool from its definition in JSON, at least
// {"name":"...","inputSchema":{...}}. A call of it comes to ToolCall. In ToolsList
// only.
//
// Limits: 64 tools of 64 KiB; a name is 1 to 48 letters, digits, _ and -.
// Errors: Conflict if another controller or the host has the name, BadArg, Limit.
func (c *Ctx) AddTool(definition string) error { return entry.Check(raw.ToolAdd(definition)) }

// Server is one server of the project.
type Server struct {
	Name  string
	State string // ready, starting, failed, idle
	Tools int
	Error string
}

// Servers goes through the project's servers.
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

// Rewrite routes the call to another tool, by label or wire name, with n bytes of
// b (-1: to the end) from off on as arguments. It takes effect with Pass. In
// ToolCall only.
//
// Errors: NotFound for an unknown or virtual tool, BadArg if the span is no JSON
// object or has a key twice.
func (c *Ctx) Rewrite(tool string, b stage.Buf, off, n int) error {
	return named(tool, raw.CallRewrite(tool, entry.ID(b), word(off), word(n)))
}

// Notify queues a notification; params are a JSON object, or empty. It goes out
// before the answer.
//
// Limits: 16 in a hook.
// Errors: Denied for a method other than the three list_changed and
// notifications/message that the manifest does not list; BadArg, Limit.
func (c *Ctx) Notify(method, params string) error { return entry.Check(raw.Notify(method, params)) }

// ToolsChanged tells the client to read the list of tools again. The host holds the
// answer of this call until it has.
func (c *Ctx) ToolsChanged() error { return c.Notify("notifications/tools/list_changed", "") }

// PromptBody is the text of a prompt as a client reads it: after the project's
// stages. A system prompt is named mcpctl-system/NAME.
//
// Errors: NotFound, Unavailable for a link that is dead.
func (c *Ctx) PromptBody(name string) (stage.Buf, error) { return c.handle(raw.PromptBody(name, 0)) }

// PromptStored is the text of a prompt without the project's stages, filters excepted;
// see PromptBody.
func (c *Ctx) PromptStored(name string) (stage.Buf, error) {
	return c.handle(raw.PromptBody(name, raw.PromptStored))
}

// ProposePrompt takes a prompt, {"name","content","priority"} in JSON, for review
// by a person, and gives the id of the request.
//
// Errors: BadArg, Conflict, Limit.
func (c *Ctx) ProposePrompt(proposal string) (id string, err error) {
	h := raw.PromptPropose(proposal)
	if h < 0 {
		return "", entry.Check(h)
	}
	return entry.Take(h), nil
}

// OpenContent opens the exact bytes stored under a ref of this project and
// subject. Errors: NotFound.
func (c *Ctx) OpenContent(ref string) (stage.Buf, error) { return c.handle(raw.ContentOpen(ref)) }

// ContentMeta gives facts about stored bytes as a JSON object: ref, source,
// contentType, mime, bytes, lines, tokens, sections, createdMs. Errors: NotFound.
func (c *Ctx) ContentMeta(ref string) (stage.Buf, error) { return c.handle(raw.ContentMeta(ref)) }

// Section gives what the client's read_section would get, search included.
//
// Errors: NotFound for an unknown ref; a section that is not there is answered in
// words.
func (c *Ctx) Section(ref, section string) (stage.Buf, error) {
	return c.handle(raw.SectionRead(ref, section))
}
