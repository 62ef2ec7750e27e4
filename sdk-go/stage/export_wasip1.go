package stage

//go:wasmexport mcpctl_abi_v1
func exportMarker() {}

// exportStage does not clean up after a call, because the host drops or restores the
// memory of the guest.
//
//go:wasmexport mcpctl_stage
func exportStage() int32 { return run() }
