//go:build !unix

package wasm

import "time"

// processTime is not known here: the time of a run is that of the wall.
func processTime() (time.Duration, bool) { return 0, false }
