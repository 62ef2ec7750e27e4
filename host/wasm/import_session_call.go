package wasm

import (
	"slices"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/wasm/fault"
)

var callFuncs = map[string]importFunc{
	abi.FuncOutTo:       outTo,
	abi.FuncOutKind:     outKind,
	abi.FuncCallRewrite: callRewrite,
	abi.FuncNotify:      notify,
}

func outTo(r *run, a args) int32 {
	target, b := a.i32(0), &r.hook.blocks
	switch target {
	case abi.OutAnswer:
		b.open = false
		return 0
	case abi.OutBefore, abi.OutAfter:
	default:
		return r.refuse(abi.CodeBadArg, "target %d", target)
	}
	if code := r.only(abi.OnToolCall, abi.OnToolResult); code < 0 {
		return code
	}
	if len(b.all) >= abi.LimitBlocks {
		b.fault = fault.New(abi.ErrLimit, "%d blocks, limit %d", len(b.all)+1, abi.LimitBlocks)
		return r.refuse(abi.CodeLimit, "%v", b.fault)
	}
	b.open = true
	b.all = append(b.all, block{after: target == abi.OutAfter})
	return 0
}

func outKind(r *run, a args) int32 {
	flags := a.i32(0)
	if code := r.only(abi.OnToolCall, abi.OnToolResult); code < 0 {
		return code
	}
	if flags&^(abi.OutResult|abi.OutIsError|abi.OutStages) != 0 {
		return r.refuse(abi.CodeBadArg, "flags %d", flags)
	}
	r.hook.kind = flags
	return 0
}

func callRewrite(r *run, a args) int32 {
	tool := string(r.text(a, 0))
	if code := r.only(abi.OnToolCall); code < 0 {
		return code
	}
	span, ok := r.part(a.i32(2), a.i32(3), a.i32(4))
	if !ok {
		return badArg
	}
	switch kind, _, ok := r.hook.Host.Tool(tool); {
	case !ok:
		return r.notFound()
	case kind != abi.ToolUpstream:
		return r.refuse(abi.CodeNotFound, "tool %s is of kind %s: a call can go to a server's only", clipped(tool), kind)
	}
	arguments, err := strictObject(span)
	if err != nil {
		return r.refuse(abi.CodeBadArg, "arguments: %v", err)
	}
	r.hook.rewrite = &abi.CallRewrite{Tool: tool, Arguments: arguments}
	return 0
}

// openMethods are the notifications that need no grant.
var openMethods = []string{"notifications/tools/list_changed", "notifications/prompts/list_changed",
	"notifications/resources/list_changed", "notifications/message"}

func notify(r *run, a args) int32 {
	method, params := string(r.text(a, 0)), r.text(a, 2)
	h := r.hook
	if !slices.Contains(openMethods, method) && !slices.Contains(r.role.Notifications, method) {
		return r.refuse(abi.CodeDenied, "manifest does not list notification %s of role %s", clipped(method), r.role.Name)
	}
	size := len(params)
	for _, n := range h.notes {
		size += len(n.Params)
	}
	if len(h.notes) >= abi.LimitNotifications || size > abi.LimitNotificationBytes {
		return r.refuse(abi.CodeLimit, "%d notifications of %s bytes, limit %d and %s", len(h.notes)+1, fault.Group(size), abi.LimitNotifications, fault.Group(abi.LimitNotificationBytes))
	}
	n := abi.Note{Method: method}
	if len(params) > 0 {
		object, err := strictObject(params)
		if err != nil {
			return r.refuse(abi.CodeBadArg, "params of %s: %v", clipped(method), err)
		}
		n.Params = object
	}
	h.notes = append(h.notes, n)
	return 0
}
