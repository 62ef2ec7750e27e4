package imports

import (
	"errors"
	"fmt"
	"regexp"
	"slices"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/jsonspan"
	"github.com/mcpctl/mcpctl/host/wasm/fault"
)

var toolFuncs = map[string]run{
	abi.FuncTools:     func(c *Call, _ Args) int32 { return c.buffers.addOwned(c.hook.Host.Tools()) },
	abi.FuncServers:   func(c *Call, _ Args) int32 { return c.buffers.addOwned(c.hook.Host.Servers()) },
	abi.FuncToolHide:  toolHide,
	abi.FuncToolPatch: toolPatch,
	abi.FuncToolAdd:   toolAdd,
}

func toolHide(c *Call, a Args) int32 {
	tool := string(c.text(a, 0))
	if code := c.requireHook(abi.OnToolsList); code < 0 {
		return code
	}
	if !c.hook.hasTool(tool) {
		return c.refuseNotFound()
	}
	c.hook.hideTool(tool)
	return 0
}

func toolPatch(c *Call, a Args) int32 {
	tool, patch := string(c.text(a, 0)), c.text(a, 2)
	if code := c.requireHook(abi.OnToolsList); code < 0 {
		return code
	}
	if !c.hook.hasTool(tool) {
		return c.refuseNotFound()
	}
	t := &c.hook.tools
	size := t.patchBytes + len(tool) + len(patch)
	if len(patch) > abi.LimitVirtualToolBytes || size > abi.LimitPatchBytes {
		return c.refuse(abi.CodeLimit, "patch of %s bytes, limit %s, and %s in all, limit %s", fault.Group(len(patch)),
			fault.Group(abi.LimitVirtualToolBytes), fault.Group(size), fault.Group(abi.LimitPatchBytes))
	}
	object, err := strictObject(patch)
	if err == nil {
		err = checkPatch(object)
	}
	if err != nil {
		return c.refuse(abi.CodeBadArg, "patch of %s: %v", shorten(tool), err)
	}
	t.patchBytes = size
	t.patches = append(t.patches, abi.ToolPatch{Tool: tool, Patch: object})
	return 0
}

// checkPatch refuses a patch after which a definition would not be valid for the tool.
func checkPatch(patch []byte) error {
	if _, ok := jsonspan.Lookup(patch, "/name"); ok {
		return errors.New("name cannot change")
	}
	if m, ok := jsonspan.Lookup(patch, "/inputSchema"); ok && jsonspan.KindAt(patch, m.Start) != jsonspan.Object {
		return errors.New("inputSchema must stay an object")
	}
	return nil
}

func toolAdd(c *Call, a Args) int32 {
	definition := c.text(a, 0)
	if code := c.requireHook(abi.OnToolsList); code < 0 {
		return code
	}
	if len(definition) > abi.LimitVirtualToolBytes {
		return c.refuse(abi.CodeLimit, "virtual tool of %s bytes, limit %s", fault.Group(len(definition)), fault.Group(abi.LimitVirtualToolBytes))
	}
	tool, err := parseVirtualTool(definition)
	if err != nil {
		return c.refuse(abi.CodeBadArg, "virtual tool: %v", err)
	}
	t := &c.hook.tools
	i := slices.IndexFunc(t.added, func(o abi.VirtualTool) bool { return o.Name == tool.Name })
	switch kind, owner, ok := c.hook.Host.Tool(tool.Name); {
	case ok && kind == abi.ToolHost:
		return c.refuse(abi.CodeConflict, "tool %s is the host's", tool.Name)
	case ok && kind == abi.ToolVirtual && owner != c.config.Role.Name:
		return c.refuse(abi.CodeConflict, "tool %s is that of controller %s", tool.Name, owner)
	case i >= 0:
		t.added[i] = tool
	case len(t.added) >= abi.LimitVirtualTools:
		return c.refuse(abi.CodeLimit, "%d virtual tools, limit %d", len(t.added)+1, abi.LimitVirtualTools)
	default:
		t.added = append(t.added, tool)
	}
	return 0
}

const toolNamePattern = "[A-Za-z0-9_-]{1,48}"

var toolNameRE = regexp.MustCompile("^" + toolNamePattern + "$")

func parseVirtualTool(definition []byte) (abi.VirtualTool, error) {
	object, err := strictObject(definition)
	if err != nil {
		return abi.VirtualTool{}, err
	}
	if why := checkFields(object, 0, "", field{"name", jsonspan.String, true}, field{"inputSchema", jsonspan.Object, true},
		field{"description", jsonspan.String, false}); why != "" {
		return abi.VirtualTool{}, errors.New(why)
	}
	m, _ := jsonspan.Lookup(object, "/name")
	name, err := jsonspan.Unquote(object[m.Start:m.End])
	if err != nil || !toolNameRE.Match(name) {
		return abi.VirtualTool{}, fmt.Errorf("name %s: want %s", shorten(string(object[m.Start:m.End])), toolNamePattern)
	}
	return abi.VirtualTool{Name: string(name), Definition: object}, nil
}

// shorten returns a word from the guest for use in an error text.
func shorten(s string) string { return fault.Printable([]byte(s), 100) }

// callFuncs change a tools/call and its result.
var callFuncs = map[string]run{
	abi.FuncOutTo:       outTo,
	abi.FuncOutKind:     outKind,
	abi.FuncCallRewrite: callRewrite,
	abi.FuncNotify:      notify,
}

func outTo(c *Call, a Args) int32 {
	target := a.I32(0)
	switch target {
	case abi.OutAnswer:
		c.hook.blocks.open = false
		return 0
	case abi.OutBefore, abi.OutAfter:
	default:
		return c.refuse(abi.CodeBadArg, "target %d", target)
	}
	if code := c.requireHook(abi.OnToolCall, abi.OnToolResult); code < 0 {
		return code
	}
	if err := c.hook.blocks.add(target == abi.OutAfter); err != nil {
		return c.refuse(abi.CodeLimit, "%v", err)
	}
	return 0
}

func outKind(c *Call, a Args) int32 {
	flags := a.I32(0)
	if code := c.requireHook(abi.OnToolCall, abi.OnToolResult); code < 0 {
		return code
	}
	if flags&^(abi.OutResult|abi.OutIsError|abi.OutStages) != 0 {
		return c.refuse(abi.CodeBadArg, "flags %d", flags)
	}
	c.hook.flags = flags
	return 0
}

func callRewrite(c *Call, a Args) int32 {
	tool := string(c.text(a, 0))
	if code := c.requireHook(abi.OnToolCall); code < 0 {
		return code
	}
	span, ok := c.part(a.I32(2), a.I32(3), a.I32(4))
	if !ok {
		return badArg
	}
	switch kind, _, ok := c.hook.Host.Tool(tool); {
	case !ok:
		return c.refuseNotFound()
	case kind != abi.ToolUpstream:
		return c.refuse(abi.CodeNotFound, "tool %s is of kind %s: a call can go to a server's only", shorten(tool), kind)
	}
	arguments, err := strictObject(span)
	if err != nil {
		return c.refuse(abi.CodeBadArg, "arguments: %v", err)
	}
	c.hook.rewrite = &abi.CallRewrite{Tool: tool, Arguments: arguments}
	return 0
}

// openMethods are the notifications that every controller may send.
var openMethods = []string{"notifications/tools/list_changed", "notifications/prompts/list_changed",
	"notifications/resources/list_changed", "notifications/message"}

// MayNotify reports whether a role may send notifications of a method.
func MayNotify(role *abi.Role, method string) bool {
	return slices.Contains(openMethods, method) || slices.Contains(role.Notifications, method)
}

func notify(c *Call, a Args) int32 {
	method, params := string(c.text(a, 0)), c.text(a, 2)
	h, role := c.hook, c.config.Role
	if !MayNotify(role, method) {
		return c.refuse(abi.CodeDenied, "manifest does not list notification %s of role %s", shorten(method), role.Name)
	}
	size := len(params)
	for _, n := range h.notes {
		size += len(n.Params)
	}
	if len(h.notes) >= abi.LimitNotifications || size > abi.LimitNotificationBytes {
		return c.refuse(abi.CodeLimit, "%d notifications of %s bytes, limit %d and %s", len(h.notes)+1, fault.Group(size),
			abi.LimitNotifications, fault.Group(abi.LimitNotificationBytes))
	}
	n := abi.Note{Method: method}
	if len(params) > 0 {
		object, err := strictObject(params)
		if err != nil {
			return c.refuse(abi.CodeBadArg, "params of %s: %v", shorten(method), err)
		}
		n.Params = object
	}
	h.notes = append(h.notes, n)
	return 0
}
