package wasm

import (
	"context"
	"encoding/binary"
	"fmt"

	"github.com/tetratelabs/wazero"

	"github.com/mcpctl/mcpctl/host/wasm/module"
)

// Errors of WASI.
const (
	wasiOK     = 0
	wasiBadFD  = 8
	wasiInval  = 28
	wasiNoSys  = 52
	maxVectors = 1024
)

// wasiState is the clock and the random numbers of one run.
type wasiState struct {
	nanos  uint64 // since the start of the run, as the guest sees it
	random uint64
}

// wasiFuncs are all functions of module.WASI.
var wasiFuncs = func() map[string]importFunc {
	fs := make(map[string]importFunc)
	add := func(call importFunc, names ...string) {
		for _, n := range names {
			fs[n] = call
		}
	}
	for name := range module.WASI { // no files
		fs[name] = func(*run, args) int32 { return wasiBadFD }
	}
	add(func(*run, args) int32 { return wasiOK }, "environ_get", "sched_yield")
	add(func(*run, args) int32 { return wasiNoSys }, "proc_raise", "sock_accept", "sock_recv", "sock_send", "sock_shutdown")
	add(wasiArgs, "args_get")
	add(wasiArgSizes, "args_sizes_get")
	add(wasiNoneOf, "environ_sizes_get")
	add(wasiResolution, "clock_res_get")
	add(wasiTime, "clock_time_get")
	add(wasiRandom, "random_get")
	add(wasiWrite, "fd_write")
	add(wasiRead, "fd_read")
	add(wasiStat, "fd_fdstat_get")
	add(wasiFlags, "fd_fdstat_set_flags")
	add(wasiFileStat, "fd_filestat_get")
	add(wasiClose, "fd_close")
	add(wasiPoll, "poll_oneoff")
	add(wasiExit, "proc_exit")
	return fs
}()

func instantiateWASI(ctx context.Context, e wazero.Runtime) error {
	b := e.NewHostModuleBuilder(module.WASINamespace)
	for name, sig := range module.WASI {
		h := &hostFunc{name: name, params: len(sig.Params), early: true, call: wasiFuncs[name]}
		b.NewFunctionBuilder().WithGoFunction(h, valueTypes(sig.Params), valueTypes(sig.Results)).Export(name)
	}
	_, err := b.Instantiate(ctx)
	return err
}

func wasiNoneOf(r *run, a args) int32 {
	clear(r.memory(a.u32(0), 4))
	clear(r.memory(a.u32(1), 4))
	return wasiOK
}

func wasiResolution(r *run, a args) int32 {
	binary.LittleEndian.PutUint64(r.memory(a.u32(1), 8), 1000)
	return wasiOK
}

// The clock starts at a fixed moment and moves a microsecond with each look.
const (
	wasiEpoch     = 1_700_000_000_000_000_000 // wall clock, ns since 1970
	wasiMonotonic = 1_000_000
	wasiTick      = 1000
)

func wasiTime(r *run, a args) int32 {
	r.wasi.nanos += wasiTick
	now := r.wasi.nanos + wasiMonotonic
	if a.u32(0) == 0 {
		now = r.wasi.nanos + wasiEpoch
	}
	binary.LittleEndian.PutUint64(r.memory(a.u32(2), 8), now)
	return wasiOK
}

// wasiRandom is splitmix64 from a fixed seed.
func wasiRandom(r *run, a args) int32 {
	b := r.text(a, 0)
	var word [8]byte
	for len(b) > 0 {
		r.wasi.random += 0x9e3779b97f4a7c15
		z := r.wasi.random
		z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		binary.LittleEndian.PutUint64(word[:], z^z>>31)
		b = b[copy(b, word[:]):]
	}
	return wasiOK
}

// streamBytes of output are taken between two looks at the clock.
const streamBytes = 64 << 10

// wasiWrite sends stdout and stderr to the log.
func wasiWrite(r *run, a args) int32 {
	fd := a.u32(0)
	if fd != 1 && fd != 2 {
		return wasiBadFD
	}
	n := a.u32(2)
	if n > maxVectors {
		return wasiInval
	}
	vectors, written := r.memory(a.u32(1), 8*n), r.memory(a.u32(3), 4)
	total := uint32(0)
	for ; len(vectors) > 0; vectors = vectors[8:] {
		r.mustGoOn()
		b := r.memory(binary.LittleEndian.Uint32(vectors), binary.LittleEndian.Uint32(vectors[4:]))
		total += uint32(len(b))
		for len(b) > 0 { // it may be all of memory, and nothing but ends of lines
			r.mustGoOn()
			n := min(len(b), streamBytes)
			r.stream(int(fd), b[:n])
			b = b[n:]
		}
	}
	binary.LittleEndian.PutUint32(written, total)
	return wasiOK
}

// stream takes what was written to standard output or error: both go to the log,
// but for the output of a command.
func (r *run) stream(fd int, b []byte) {
	if c := r.program(); c != nil && fd == 1 {
		r.stdout(b)
		return
	} else if c != nil {
		c.hear(b)
	}
	r.log.write(fd-1, fd, b) // stdout is info, stderr warn
}

// wasiRead reads the input of a command; others have none.
func wasiRead(r *run, a args) int32 {
	if a.u32(0) != 0 {
		return wasiBadFD
	}
	n, total := a.u32(2), uint32(0)
	if n > maxVectors {
		return wasiInval
	}
	if r.program() != nil {
		total = r.stdin(r.memory(a.u32(1), 8*n))
	}
	binary.LittleEndian.PutUint32(r.memory(a.u32(3), 4), total)
	return wasiOK
}

// wasiClose lets a command close its streams, as programs do when they end.
func wasiClose(r *run, a args) int32 {
	if r.command == nil || a.u32(0) > 2 {
		return wasiBadFD
	}
	return wasiOK
}

// wasiFileStat calls the streams of a command character devices.
func wasiFileStat(r *run, a args) int32 {
	if r.command == nil || a.u32(0) > 2 {
		return wasiBadFD
	}
	stat := r.memory(a.u32(1), 64)
	clear(stat)
	stat[16] = 2
	return wasiOK
}

// wasiStat calls the three streams character devices.
func wasiStat(r *run, a args) int32 {
	if a.u32(0) > 2 {
		return wasiBadFD
	}
	stat := r.memory(a.u32(1), 24)
	clear(stat)
	stat[0] = 2
	return wasiOK
}

func wasiFlags(_ *run, a args) int32 {
	if a.u32(0) > 2 {
		return wasiBadFD
	}
	return wasiOK
}

// wasiPoll lets all that was waited for happen at once: the guest's clock jumps
// to where the first timer ends.
func wasiPoll(r *run, a args) int32 {
	const subscription, event = 48, 32
	n := a.u32(2)
	if n == 0 || n > maxVectors {
		return wasiInval
	}
	in, out, count := r.memory(a.u32(0), n*subscription), r.memory(a.u32(1), n*event), r.memory(a.u32(3), 4)
	jump := ^uint64(0)
	for i := range n {
		s, e := in[i*subscription:], out[i*event:]
		userdata, tag := binary.LittleEndian.Uint64(s), s[8]
		if tag == 0 {
			jump = min(jump, r.wasi.until(s))
		}
		clear(e[:event])
		binary.LittleEndian.PutUint64(e, userdata)
		e[10] = tag
		if tag != 0 && r.command == nil { // the streams of a command are always ready
			binary.LittleEndian.PutUint16(e[8:], wasiBadFD)
		}
	}
	if jump != ^uint64(0) {
		r.wasi.nanos += jump
	}
	binary.LittleEndian.PutUint32(count, n)
	return wasiOK
}

// until says how far off the end of a timer is.
func (w *wasiState) until(subscription []byte) uint64 {
	clock := binary.LittleEndian.Uint32(subscription[16:])
	timeout := binary.LittleEndian.Uint64(subscription[24:])
	if binary.LittleEndian.Uint16(subscription[40:])&1 == 0 {
		return timeout
	}
	now := w.nanos + wasiMonotonic
	if clock == 0 {
		now = w.nanos + wasiEpoch
	}
	return max(timeout, now) - now
}

func wasiExit(r *run, a args) int32 {
	if r.program() != nil {
		panic(&exited{a.u32(0)})
	}
	panic(&trap{text: fmt.Sprintf("guest exited with status %d in mid-call", a.u32(0))})
}
