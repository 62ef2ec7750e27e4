package wasm

import (
	"context"
	"runtime/debug"
	"time"

	extism "github.com/extism/go-sdk"
	"github.com/tetratelabs/wazero/api"
)

// instance is a guest: made, and started once it is past _initialize. It serves
// one call of any entry; it is then thrown away, or made what it was before.
type instance struct {
	inst   api.Module
	plugin *extism.Plugin // of a module built for Extism, in place of inst
	shared *sharedMemory  // its memories; mem is one of them
	mem    *memory

	// What is made of inst once, since it may serve many calls: see snapshot.
	entries map[string]api.Function // by export; each has a stack of its own, 10 KB at least
	globals []api.MutableGlobal     // those that a rewind sets

	// What starting left behind, which the call goes on from.
	hostCalls int
	log       logBook
	wasi      wasiState
}

// close ends a guest, if there is one.
func (i *instance) close() {
	switch {
	case i == nil:
	case i.plugin != nil:
		i.plugin.Close(context.Background())
	case i.inst != nil:
		i.inst.Close(context.Background()) // its memory is free for another
	}
}

// entryOf gives an entry that the module has.
func (i *instance) entryOf(export string) api.Function {
	f := i.entries[export]
	if f == nil {
		f = i.inst.ExportedFunction(export)
		if i.entries == nil {
			i.entries = make(map[string]api.Function, 1)
		}
		i.entries[export] = f
	}
	return f
}

// ahead is the instance that a module makes before its next call asks for it. A Go
// guest takes 0.5 ms to make and start, ten times what a call on a short content
// takes; this way hardly anybody waits for it. All that it has done is to start,
// which no input has a part in, so it is as clean as one that is made for the call.
//
// It is guarded by the mutex of its Module.
type ahead struct {
	coming chan *instance // one will come, or nil if it did not start; nil: none is made
	expiry *time.Timer    // set once it is there
}

// aheadFor is how long an instance waits for a call: a module that is not in use
// holds no memory.
const aheadFor = time.Minute

// take gives the run the instance that was made ahead, or is being made. To wait for
// one costs the guest nothing.
func (r *run) take() bool {
	coming := r.m.takeAhead()
	if coming == nil {
		return false
	}
	if len(coming) == 0 {
		r.clock.pause() // it is the host that takes the time, and may have its hands full
		defer r.clock.resume()
	}
	select {
	case i := <-coming:
		return i != nil && r.adopt(i)
	case <-r.Done():
		r.m.rt.background.Go(func() { (<-coming).close() })
		return false
	}
}

// adopt makes i the run's instance, unless its memory is over the limit of this
// call.
func (r *run) adopt(i *instance) bool {
	if len(i.mem.buf) > r.call.Context.Limits.MemoryBytes {
		i.close()
		return false
	}
	i.mem.limit = uint64(r.call.Context.Limits.MemoryBytes)
	r.instance, r.started = *i, true
	return true
}

func (m *Module) takeAhead() chan *instance {
	m.mu.Lock()
	defer m.mu.Unlock()
	coming := m.ahead.coming
	m.ahead.coming = nil
	if m.ahead.expiry != nil {
		m.ahead.expiry.Stop()
		m.ahead.expiry = nil
	}
	return coming
}

// makeAhead makes the instance for the next call in the place of a run that has
// ended, out of that run's if it can be used again. done gives the place back.
func (m *Module) makeAhead(r *run, done func()) {
	i, whole := r.instance, r.returned // not all of the run: that holds what it read
	room := len(i.mem.buf)
	coming := m.announce()
	if coming == nil {
		i.close()
		done()
		return
	}
	m.rt.background.Go(func() {
		defer done()
		if whole && m.snapshot.rewind(&i) {
			coming <- &i
		} else {
			i.close()
			coming <- m.begin(room)
		}
		m.keepAhead(coming)
	})
}

// announce says that an instance will come; nil: none is wanted.
func (m *Module) announce() chan *instance {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed || m.ahead.coming != nil || m.rt.ctx.Err() != nil {
		return nil
	}
	m.ahead.coming = make(chan *instance, 1)
	return m.ahead.coming
}

// begin makes an instance and starts it under the limits of the host; nil: it did
// not start, or would start otherwise for a call that may have more memory.
func (m *Module) begin(room int) (i *instance) {
	defer func() {
		if p := recover(); p != nil {
			m.rt.log.Error("start panicked", "module", m.info.Hash, "panic", p, "stack", string(debug.Stack()))
			i = nil
		}
	}()
	r := m.newStart(m.rt.ctx)
	r.mem.room = room
	if err := r.start(); err != nil || r.mem.refused {
		r.close()
		return nil
	}
	r.leave()
	return &r.instance
}

// newStart is a run that ends before its entry, whichever that will be.
func (m *Module) newStart(ctx context.Context) *run {
	j := job{role: new(role)}
	m.complete(&j)
	return newRun(ctx, m, j)
}

// keepAhead lets an instance wait that nobody has taken so far.
func (m *Module) keepAhead(coming chan *instance) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.ahead.coming == coming {
		m.ahead.expiry = time.AfterFunc(aheadFor, func() { m.dropAhead(coming) })
	}
}

func (m *Module) dropAhead(coming chan *instance) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.ahead.coming == coming {
		m.endAhead()
	}
}

// endAhead ends the instance that nobody has taken, if there is one. It waits for
// one that is being made.
func (m *Module) endAhead() {
	if m.ahead.coming == nil {
		return
	}
	(<-m.ahead.coming).close()
	if m.ahead.expiry != nil {
		m.ahead.expiry.Stop()
	}
	m.ahead = ahead{}
}
