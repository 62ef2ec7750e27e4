package imports

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/abi"
)

const (
	sectionSize = 40          // bytes of the original for each section
	minusOne    = 0xffff_ffff // an argument: no parent, no buffer
	limitCode   = int32(abi.CodeLimit)
)

// newCall returns a call of a stage whose guest has n names in its memory, 16 bytes
// each, and an original with sectionSize bytes for each.
func newCall(n int) *Call {
	var m Memory
	for i := range n {
		m.Bytes = fmt.Appendf(m.Bytes, "n%06d, kind %-2d", i, i%7)
	}
	c := &Call{}
	request := abi.Call{Original: make([]byte, n*sectionSize)}
	request.Input = request.Original
	request.Context.Limits.Sections = n + 7
	c.Init(&Config{Context: context.Background(), Role: &abi.Role{Kind: abi.KindStage}, Request: request, Services: &Services{}, Stopped: new(atomic.Bool)})
	c.SetMemory(&m)
	return c
}

// invoke calls f and returns its result, or the trap with which it ended the guest.
func invoke(f run, c *Call, a Args) (result int32, trap *Trap) {
	defer func() {
		if p := recover(); p != nil {
			trap = p.(*Trap)
		}
	}()
	c.function, c.args = "f", a
	return f(c, a), nil
}

// stopAfter sets the stop flag of a call after a time.
func stopAfter(t *testing.T, c *Call, d time.Duration) {
	timer := time.AfterFunc(d, func() { c.config.Stopped.Store(true) })
	t.Cleanup(func() { timer.Stop() })
}
