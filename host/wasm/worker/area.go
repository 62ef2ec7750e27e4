package worker

import (
	"os"
	"sync"
)

// areaBytes is the size of an area. Contents that do not fit go through the pipe.
const areaBytes = 1 << 20

// minShared is the least size of a content in an area. The pipe is as fast for smaller ones.
const minShared = 16 << 10

// areaFile is the descriptor of the area in the process: the first one after the standard ones.
const areaFile = 3

// area is memory that a daemon shares with the process of a module, for the contents of one call.
// Through the pipe both processes copy them page by page and wait for each other. The parent never
// reads from it.
type area struct {
	busy sync.Mutex // held by the call that uses the area
	mem  []byte     // nil if it is closed
	used int
}

// newArea returns an area and its file, or nil if the system has none.
func newArea() (*area, *os.File) {
	file, mem, err := createArea()
	if err != nil {
		return nil, nil
	}
	return &area{mem: mem}, file
}

// take reserves the area for a call until release. It returns nil if another call uses it or there is
// none. a may be nil.
func (a *area) take() *area {
	if a == nil || !a.busy.TryLock() {
		return nil
	}
	if a.mem == nil {
		a.busy.Unlock()
		return nil
	}
	a.used = 0
	return a
}

// release ends the use of an area that take returned, when the process no longer reads it.
func (a *area) release() {
	if a != nil {
		a.busy.Unlock()
	}
}

// close frees the area after the end of its process. a may be nil.
func (a *area) close() {
	if a == nil {
		return
	}
	a.busy.Lock()
	defer a.busy.Unlock()
	unmapArea(a.mem)
	a.mem = nil
}

// add copies a content into the area. ok is false if it is small or does not fit. a may be nil.
func (a *area) add(b []byte) (start int, ok bool) {
	if a == nil || len(b) < minShared || len(b) > len(a.mem)-a.used {
		return 0, false
	}
	start = a.used
	a.used += copy(a.mem[start:], b)
	return start, true
}
