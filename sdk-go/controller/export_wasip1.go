package controller

// The exports leave the scheduler as it is: what a call leaves behind goes with the
// memory of the guest, which the host throws away or rewinds.

//go:wasmexport mcpctl_on_initialize
func exportInitialize() int32 { return run(OnInitialize) }

//go:wasmexport mcpctl_on_tools_list
func exportToolsList() int32 { return run(OnToolsList) }

//go:wasmexport mcpctl_on_tool_call
func exportToolCall() int32 { return run(OnToolCall) }

//go:wasmexport mcpctl_on_tool_result
func exportToolResult() int32 { return run(OnToolResult) }

//go:wasmexport mcpctl_on_close
func exportClose() int32 { return run(OnClose) }
