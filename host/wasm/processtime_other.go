//go:build !unix

package wasm

import "time"

// processTime reports that the processor time is unknown, so wall time counts for a
// run.
func processTime() (time.Duration, bool) { return 0, false }
