package wasm

import (
	"errors"
	"fmt"
	"regexp"
	"slices"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/jsonspan"
	"github.com/mcpctl/mcpctl/host/wasm/fault"
)

var toolFuncs = map[string]importFunc{
	abi.FuncTools:     func(r *run, _ args) int32 { return r.give(r.hook.Host.Tools()) },
	abi.FuncServers:   func(r *run, _ args) int32 { return r.give(r.hook.Host.Servers()) },
	abi.FuncToolHide:  toolHide,
	abi.FuncToolPatch: toolPatch,
	abi.FuncToolAdd:   toolAdd,
}

// toolEdits are what a hook wants done to the list.
type toolEdits struct {
	hidden     []string
	isHidden   map[string]bool
	patches    []abi.ToolPatch
	patchBytes int
	added      []abi.VirtualTool
}

// knows reports whether there is a tool to edit, one that the hook has just added
// included.
func (h *hook) knows(tool string) bool {
	if _, _, ok := h.Host.Tool(tool); ok {
		return true
	}
	return slices.ContainsFunc(h.tools.added, func(t abi.VirtualTool) bool { return t.Name == tool })
}

func toolHide(r *run, a args) int32 {
	tool := string(r.text(a, 0))
	if code := r.only(abi.OnToolsList); code < 0 {
		return code
	}
	t := &r.hook.tools
	switch {
	case t.isHidden[tool]:
		return 0
	case !r.hook.knows(tool):
		return r.notFound()
	case t.isHidden == nil:
		t.isHidden = make(map[string]bool)
	}
	t.isHidden[tool] = true
	t.hidden = append(t.hidden, tool)
	return 0
}

func toolPatch(r *run, a args) int32 {
	tool, patch := string(r.text(a, 0)), r.text(a, 2)
	if code := r.only(abi.OnToolsList); code < 0 {
		return code
	}
	if !r.hook.knows(tool) {
		return r.notFound()
	}
	t := &r.hook.tools
	size := t.patchBytes + len(tool) + len(patch)
	if len(patch) > abi.LimitVirtualToolBytes || size > abi.LimitPatchBytes {
		return r.refuse(abi.CodeLimit, "patch of %s bytes, limit %s, and %s in all, limit %s", fault.Group(len(patch)),
			fault.Group(abi.LimitVirtualToolBytes), fault.Group(size), fault.Group(abi.LimitPatchBytes))
	}
	object, err := strictObject(patch)
	if err == nil {
		err = patchable(object)
	}
	if err != nil {
		return r.refuse(abi.CodeBadArg, "patch of %s: %v", clipped(tool), err)
	}
	t.patchBytes = size
	t.patches = append(t.patches, abi.ToolPatch{Tool: tool, Patch: object})
	return 0
}

// patchable refuses a patch after which a definition would not be that of the
// tool, or of none.
func patchable(patch []byte) error {
	if _, ok := jsonspan.Lookup(patch, "/name"); ok {
		return errors.New("name cannot change")
	}
	if m, ok := jsonspan.Lookup(patch, "/inputSchema"); ok && jsonspan.KindAt(patch, m.Start) != jsonspan.Object {
		return errors.New("inputSchema must stay an object")
	}
	return nil
}

func toolAdd(r *run, a args) int32 {
	definition := r.text(a, 0)
	if code := r.only(abi.OnToolsList); code < 0 {
		return code
	}
	if len(definition) > abi.LimitVirtualToolBytes {
		return r.refuse(abi.CodeLimit, "virtual tool of %s bytes, limit %s", fault.Group(len(definition)), fault.Group(abi.LimitVirtualToolBytes))
	}
	tool, err := virtualTool(definition)
	if err != nil {
		return r.refuse(abi.CodeBadArg, "virtual tool: %v", err)
	}
	t := &r.hook.tools
	i := slices.IndexFunc(t.added, func(o abi.VirtualTool) bool { return o.Name == tool.Name })
	switch kind, owner, ok := r.hook.Host.Tool(tool.Name); {
	case ok && kind == abi.ToolHost:
		return r.refuse(abi.CodeConflict, "tool %s is the host's", tool.Name)
	case ok && kind == abi.ToolVirtual && owner != r.role.Name:
		return r.refuse(abi.CodeConflict, "tool %s is that of controller %s", tool.Name, owner)
	case i >= 0:
		t.added[i] = tool
	case len(t.added) >= abi.LimitVirtualTools:
		return r.refuse(abi.CodeLimit, "%d virtual tools, limit %d", len(t.added)+1, abi.LimitVirtualTools)
	default:
		t.added = append(t.added, tool)
	}
	return 0
}

const toolNamePattern = "[A-Za-z0-9_-]{1,48}"

var toolNameRE = regexp.MustCompile("^" + toolNamePattern + "$")

// virtualTool checks a definition.
func virtualTool(definition []byte) (abi.VirtualTool, error) {
	object, err := strictObject(definition)
	if err != nil {
		return abi.VirtualTool{}, err
	}
	if why := demand(object, 0, "", field{"name", jsonspan.String, true}, field{"inputSchema", jsonspan.Object, true},
		field{"description", jsonspan.String, false}); why != "" {
		return abi.VirtualTool{}, errors.New(why)
	}
	m, _ := jsonspan.Lookup(object, "/name")
	name, err := jsonspan.Unquote(object[m.Start:m.End])
	if err != nil || !toolNameRE.Match(name) {
		return abi.VirtualTool{}, fmt.Errorf("name %s: want %s", clipped(string(object[m.Start:m.End])), toolNamePattern)
	}
	return abi.VirtualTool{Name: string(name), Definition: object}, nil
}

// clipped is a guest's word in a sentence.
func clipped(s string) string { return fault.Printable([]byte(s), 100) }
