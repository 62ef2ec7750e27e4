package stage

import "runtime"

//go:wasmexport mcpctl_abi_v1
func exportMarker() {}

// exportStage lets the scheduler run once before it returns: what a call leaves
// behind would otherwise pile up where a host reuses the guest.
//
//go:wasmexport mcpctl_stage
func exportStage() int32 {
	code := run()
	runtime.Gosched()
	return code
}
