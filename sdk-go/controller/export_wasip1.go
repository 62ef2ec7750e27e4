package controller

import "runtime"

//go:wasmexport mcpctl_on_initialize
func exportInitialize() int32 { return export(OnInitialize) }

//go:wasmexport mcpctl_on_tools_list
func exportToolsList() int32 { return export(OnToolsList) }

//go:wasmexport mcpctl_on_tool_call
func exportToolCall() int32 { return export(OnToolCall) }

//go:wasmexport mcpctl_on_tool_result
func exportToolResult() int32 { return export(OnToolResult) }

//go:wasmexport mcpctl_on_close
func exportClose() int32 { return export(OnClose) }

// export lets the scheduler run once before it returns: what a call leaves behind
// would otherwise pile up where a host reuses the guest.
func export(hook string) int32 {
	code := run(hook)
	runtime.Gosched()
	return code
}
