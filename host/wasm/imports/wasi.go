package imports

import (
	"encoding/binary"
	"fmt"

	"github.com/mcpctl/mcpctl/host/wasm/module"
)

// Errors of WASI.
const (
	wasiOK    = 0
	wasiBadFD = 8
	wasiInval = 28
	wasiNoSys = 52
)

// Limits of one call of a WASI function.
const (
	maxVectors  = 1024
	streamBytes = 64 << 10 // that are written between two checks of the time
)

// wasiState is the clock and the random numbers of one call. Both are fixed sequences
// that start again with each call.
type wasiState struct {
	nanos  uint64 // since the start of the call, as the guest sees it
	random uint64
}

// wasiFuncs are all functions of module.WASI. Guests have no arguments, environment,
// files or sockets, except the arguments and streams of a command.
var wasiFuncs = func() map[string]run {
	all := make(map[string]run)
	add := func(f run, names ...string) {
		for _, n := range names {
			all[n] = f
		}
	}
	for name := range module.WASI {
		add(func(*Call, Args) int32 { return wasiBadFD }, name) // for all functions of files
	}
	add(func(*Call, Args) int32 { return wasiOK }, "environ_get", "sched_yield")
	add(func(*Call, Args) int32 { return wasiNoSys }, "proc_raise", "sock_accept", "sock_recv", "sock_send", "sock_shutdown")
	add(wasiArgs, "args_get")
	add(wasiArgSizes, "args_sizes_get")
	add(wasiNone, "environ_sizes_get")
	add(wasiResolution, "clock_res_get")
	add(wasiTime, "clock_time_get")
	add(wasiRandom, "random_get")
	add(wasiWrite, "fd_write")
	add(wasiRead, "fd_read")
	add(wasiStat, "fd_fdstat_get")
	add(wasiSetFlags, "fd_fdstat_set_flags")
	add(wasiFileStat, "fd_filestat_get")
	add(wasiClose, "fd_close")
	add(wasiPoll, "poll_oneoff")
	add(wasiExit, "proc_exit")
	return all
}()

// wasiNone reports zero strings of zero bytes.
func wasiNone(c *Call, a Args) int32 {
	clear(c.bytes(a.U32(0), 4))
	clear(c.bytes(a.U32(1), 4))
	return wasiOK
}

func wasiResolution(c *Call, a Args) int32 {
	binary.LittleEndian.PutUint64(c.bytes(a.U32(1), 8), wasiTick)
	return wasiOK
}

// The clock starts at a fixed time and advances by a microsecond with each reading.
const (
	wasiRealtime = 0                         // id of the wall clock
	wasiEpoch    = 1_700_000_000_000_000_000 // of the wall clock, ns since 1970
	wasiUptime   = 1_000_000                 // of other clocks, ns
	wasiTick     = 1000                      // ns
)

func (w *wasiState) now(clock uint32) uint64 {
	if clock == wasiRealtime {
		return w.nanos + wasiEpoch
	}
	return w.nanos + wasiUptime
}

func wasiTime(c *Call, a Args) int32 {
	c.wasi.nanos += wasiTick
	binary.LittleEndian.PutUint64(c.bytes(a.U32(2), 8), c.wasi.now(a.U32(0)))
	return wasiOK
}

// wasiRandom is splitmix64 with a fixed seed.
func wasiRandom(c *Call, a Args) int32 {
	b := c.text(a, 0)
	var word [8]byte
	for len(b) > 0 {
		c.wasi.random += 0x9e3779b97f4a7c15
		z := c.wasi.random
		z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		binary.LittleEndian.PutUint64(word[:], z^z>>31)
		b = b[copy(b, word[:]):]
	}
	return wasiOK
}

// wasiWrite writes to standard output or error.
func wasiWrite(c *Call, a Args) int32 {
	fd := a.U32(0)
	if fd != 1 && fd != 2 {
		return wasiBadFD
	}
	n := a.U32(2)
	if n > maxVectors {
		return wasiInval
	}
	vectors, written := c.bytes(a.U32(1), 8*n), c.bytes(a.U32(3), 4)
	total := uint32(0)
	for ; len(vectors) > 0; vectors = vectors[8:] {
		c.check()
		b := c.bytes(binary.LittleEndian.Uint32(vectors), binary.LittleEndian.Uint32(vectors[4:]))
		total += uint32(len(b))
		for len(b) > 0 { // it may be all of memory, with line ends only
			c.check()
			n := min(len(b), streamBytes)
			writeStream(c, int(fd), b[:n])
			b = b[n:]
		}
	}
	binary.LittleEndian.PutUint32(written, total)
	return wasiOK
}

// writeStream handles bytes for standard output or error: they go to the log, except
// the output of a command.
func writeStream(c *Call, fd int, b []byte) {
	if cmd := c.startedCommand(); cmd != nil && fd == 1 {
		writeStdout(c, b)
		return
	} else if cmd != nil {
		cmd.noteError(b)
	}
	c.log.write(fd-1, fd, b) // the levels are info for stdout and warn for stderr
}

// wasiRead reads the input of a command; other guests have none.
func wasiRead(c *Call, a Args) int32 {
	if a.U32(0) != 0 {
		return wasiBadFD
	}
	n, total := a.U32(2), uint32(0)
	if n > maxVectors {
		return wasiInval
	}
	if c.startedCommand() != nil {
		total = readInput(c, c.bytes(a.U32(1), 8*n))
	}
	binary.LittleEndian.PutUint32(c.bytes(a.U32(3), 4), total)
	return wasiOK
}

// isStream reports whether a descriptor is one of the three standard streams.
func isStream(fd uint32) bool { return fd <= 2 }

// wasiClose lets a command close its streams, as programs do when they end.
func wasiClose(c *Call, a Args) int32 {
	if c.command == nil || !isStream(a.U32(0)) {
		return wasiBadFD
	}
	return wasiOK
}

const characterDevice = 2 // a file type of WASI

func wasiFileStat(c *Call, a Args) int32 {
	if c.command == nil || !isStream(a.U32(0)) {
		return wasiBadFD
	}
	stat := c.bytes(a.U32(1), 64)
	clear(stat)
	stat[16] = characterDevice
	return wasiOK
}

func wasiStat(c *Call, a Args) int32 {
	if !isStream(a.U32(0)) {
		return wasiBadFD
	}
	stat := c.bytes(a.U32(1), 24)
	clear(stat)
	stat[0] = characterDevice
	return wasiOK
}

func wasiSetFlags(_ *Call, a Args) int32 {
	if !isStream(a.U32(0)) {
		return wasiBadFD
	}
	return wasiOK
}

// wasiPoll reports all subscriptions as ready: the guest's clock advances to the end of
// the first timer.
func wasiPoll(c *Call, a Args) int32 {
	const subscription, event = 48, 32
	n := a.U32(2)
	if n == 0 || n > maxVectors {
		return wasiInval
	}
	in, out, count := c.bytes(a.U32(0), n*subscription), c.bytes(a.U32(1), n*event), c.bytes(a.U32(3), 4)
	wait := ^uint64(0)
	for i := range n {
		s, e := in[i*subscription:], out[i*event:]
		userdata, tag := binary.LittleEndian.Uint64(s), s[8]
		if tag == 0 {
			wait = min(wait, c.wasi.timeout(s))
		}
		clear(e[:event])
		binary.LittleEndian.PutUint64(e, userdata)
		e[10] = tag
		if tag != 0 && c.command == nil { // the streams of a command are always ready
			binary.LittleEndian.PutUint16(e[8:], wasiBadFD)
		}
	}
	if wait != ^uint64(0) {
		c.wasi.nanos += wait
	}
	binary.LittleEndian.PutUint32(count, n)
	return wasiOK
}

// timeout returns the time until the timer of a subscription ends.
func (w *wasiState) timeout(subscription []byte) uint64 {
	clock := binary.LittleEndian.Uint32(subscription[16:])
	timeout := binary.LittleEndian.Uint64(subscription[24:])
	if isAbsolute := binary.LittleEndian.Uint16(subscription[40:])&1 != 0; !isAbsolute {
		return timeout
	}
	now := w.now(clock)
	return max(timeout, now) - now
}

func wasiExit(c *Call, a Args) int32 {
	if c.startedCommand() != nil {
		panic(&Exit{a.U32(0)})
	}
	panic(&Trap{Text: fmt.Sprintf("guest exited with status %d in mid-call", a.U32(0))})
}
