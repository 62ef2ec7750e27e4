package controllertest

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/sdk-go/controller"
	"github.com/mcpctl/mcpctl/sdk-go/internal/raw"
	"github.com/mcpctl/mcpctl/sdk-go/internal/testhost"
)

func (h *host) Tools() int32   { return h.Handle(testhost.Text(h.s.toolsJSON())) }
func (h *host) Servers() int32 { return h.Handle(testhost.Text(h.s.serversJSON())) }

// requireHook refuses a function in all hooks except one.
func (h *host) requireHook(function, hook string) int32 {
	if h.name != hook {
		return h.Refuse(raw.CodeUnsupported, function+" in "+h.name)
	}
	return 0
}

// label returns the label of a tool, including tools that the hook has added.
func (h *host) label(tool string) (string, bool) {
	if t, ok := h.s.findTool(tool); ok {
		return t.Name, true
	}
	return strings.Clone(tool), hasName(h.edits.added, tool)
}

func (h *host) ToolHide(tool string) int32 {
	if code := h.requireHook("tool_hide", controller.OnToolsList); code < 0 {
		return code
	}
	label, ok := h.label(tool)
	if !ok {
		return h.Refuse(raw.CodeNotFound, "no tool "+tool)
	}
	h.edits.hidden = append(h.edits.hidden, label)
	return 0
}

func (h *host) ToolPatch(tool, merge string) int32 {
	if code := h.requireHook("tool_patch", controller.OnToolsList); code < 0 {
		return code
	}
	label, ok := h.label(tool)
	if !ok {
		return h.Refuse(raw.CodeNotFound, "no tool "+tool)
	}
	if len(merge) > raw.LimitVirtualToolBytes {
		return h.Refuse(raw.CodeLimit, "patch of "+testhost.Commas(len(merge))+" bytes, limit 65,536")
	}
	if why := checkPatch(merge); why != "" {
		return h.Bad("patch of " + tool + ": " + why)
	}
	size := len(tool) + len(merge)
	for _, p := range h.edits.patches {
		size += len(p.tool) + len(p.patch)
	}
	if size > raw.LimitPatchBytes {
		return h.Refuse(raw.CodeLimit, "patches of "+testhost.Commas(size)+" bytes, limit 4,194,304")
	}
	h.edits.patches = append(h.edits.patches, patch{label, strings.Clone(merge)})
	return 0
}

// checkPatch returns the reason why a patch would make a definition invalid or rename
// the tool, or "".
func checkPatch(merge string) string {
	if why := checkObject(merge); why != "" {
		return why
	}
	var fields map[string]json.RawMessage
	_ = json.Unmarshal([]byte(merge), &fields) // an object
	if _, ok := fields["name"]; ok {
		return "name cannot change"
	}
	if schema, ok := fields["inputSchema"]; ok && kindOf(schema) != "an object" {
		return "inputSchema must stay an object"
	}
	return ""
}

func (h *host) ToolAdd(definition string) int32 {
	if code := h.requireHook("tool_add", controller.OnToolsList); code < 0 {
		return code
	}
	if len(definition) > raw.LimitVirtualToolBytes {
		return h.Refuse(raw.CodeLimit, "virtual tool of "+testhost.Commas(len(definition))+" bytes, limit 65,536")
	}
	name, why := parseVirtualTool(definition)
	if why != "" {
		return h.Bad("virtual tool: " + why)
	}
	at := slices.IndexFunc(h.edits.added, func(t Tool) bool { return t.Name == name })
	added := Tool{Name: name, Wire: name, Kind: controller.VirtualTool, Own: true, Definition: strings.Clone(definition)}
	switch t, ok := h.s.findTool(name); {
	case ok && t.Kind == controller.HostTool:
		return h.Refuse(raw.CodeConflict, "tool "+name+" is the host's")
	case ok && t.Kind == controller.VirtualTool && !t.Own:
		return h.Refuse(raw.CodeConflict, "tool "+name+" is that of another controller")
	case at >= 0:
		h.edits.added[at] = added
	case len(h.edits.added) == raw.LimitVirtualTools:
		return h.Refuse(raw.CodeLimit, "65 virtual tools, limit 64")
	default:
		h.edits.added = append(h.edits.added, added)
	}
	return 0
}

var toolName = regexp.MustCompile("^[A-Za-z0-9_-]{1,48}$")

// parseVirtualTool returns the name in a definition, or the reason why it is invalid.
func parseVirtualTool(definition string) (name, why string) {
	if why := checkObject(definition); why != "" {
		return "", why
	}
	var fields map[string]json.RawMessage
	_ = json.Unmarshal([]byte(definition), &fields) // an object
	if why := checkFields(fields, "", field{"name", "a string", true}, field{"inputSchema", "an object", true}, field{"description", "a string", false}); why != "" {
		return "", why
	}
	_ = json.Unmarshal(fields["name"], &name)
	if !toolName.MatchString(name) {
		return "", "name " + quote(name) + ": want [A-Za-z0-9_-]{1,48}"
	}
	return name, ""
}

func (h *host) CallRewrite(tool string, buf, off, n int32) int32 {
	if code := h.requireHook("call_rewrite", controller.OnToolCall); code < 0 {
		return code
	}
	p, _, code := h.Span(buf, off, n)
	if code < 0 {
		return code
	}
	switch t, ok := h.s.findTool(tool); {
	case !ok:
		return h.Refuse(raw.CodeNotFound, "no tool "+tool)
	case t.Kind != controller.UpstreamTool:
		return h.Refuse(raw.CodeNotFound, "tool "+tool+" is no server's")
	default:
		if why := checkObject(string(p)); why != "" {
			return h.Bad("arguments: " + why)
		}
		h.rewrite = &Rewrite{Tool: t.Name, Arguments: strings.TrimSpace(string(p))}
	}
	return 0
}

// openMethods are the notifications that the manifest need not list.
var openMethods = []string{"notifications/tools/list_changed", "notifications/prompts/list_changed",
	"notifications/resources/list_changed", "notifications/message"}

func (h *host) Notify(method, params string) int32 {
	if !slices.Contains(openMethods, method) && !slices.Contains(h.s.Notifications, method) {
		return h.Refuse(raw.CodeDenied, "manifest does not list notification "+method)
	}
	size := len(params)
	for _, n := range h.notes {
		size += len(n.Params)
	}
	if len(h.notes) == raw.LimitNotifications || size > raw.LimitNotificationBytes {
		return h.Refuse(raw.CodeLimit, "notifications over 16 or 262,144 bytes")
	}
	if why := checkObject(params); params != "" && why != "" {
		return h.Bad("params of " + method + ": " + why)
	}
	h.notes = append(h.notes, Note{strings.Clone(method), strings.Clone(params)})
	return 0
}
