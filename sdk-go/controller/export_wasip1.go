package controller

// The exports do not clean up after a call, because the host drops or restores the
// memory of the guest.

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
