package stage

//go:wasmexport mcpctl_abi_v1
func exportMarker() {}

// exportStage leaves the scheduler as it is: what a call leaves behind goes with the
// memory of the guest, which the host throws away or rewinds.
//
//go:wasmexport mcpctl_stage
func exportStage() int32 { return run() }
