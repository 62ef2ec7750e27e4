//go:build !linux

package worker

import "time"

// processorTime returns 0: only the time on the wall is known.
func (p *Process) processorTime() time.Duration { return 0 }

// growPipe does nothing: the size of the buffer is up to the system.
func growPipe(any) {}
