package reloop_test

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/tetratelabs/wazero"
)

// random is the body of a function in the form of Go's compiler. Each segment records its
// number and then continues at random.
type random struct {
	segments [][]byte
	table    []int // program counter -> segment
	resumed  []uint64
}

// Functions and globals of the module around it.
const (
	deferReturn = iota
	itself
	callee // returns 1 at random, to unwind the stack

	stackPointer = 0
	chance       = 1 // the state of a generator
	fuel         = 2 // number of segments that may still run
	noted        = 3 // number of bytes written to memory
)

func randomFunction(r *rand.Rand) *random {
	f := &random{}
	n := 2 + r.IntN(14)
	first := make([]int, n) // program counter of each segment
	for s := range n {
		first[s] = len(f.table)
		for range 1 + r.IntN(3)*r.IntN(2) {
			f.table = append(f.table, s)
		}
	}
	// Jumps lead to near segments, as in a program, or to any.
	spread := 2 + r.IntN(n)
	target := func(s int) int {
		return first[max(0, min(n-1, s+r.IntN(2*spread+1)-spread))]
	}
	// Short segments, which may end the body of a loop, do not end the program, so they
	// jump to other ones only.
	short := make([]bool, n)
	for s := range n - 1 {
		short[s] = r.IntN(3) == 0
	}
	for s := range n {
		around := n - 1 - s
		if short[s] {
			code := record(s)
			if to := target(s); !short[f.table[to]] {
				code = append(code, jump(to, around)...)
			}
			f.segments = append(f.segments, code)
			continue
		}
		code := note(s)
		for range r.IntN(3) {
			code = append(code, toss(r.IntN(16))...)
			switch r.IntN(4) {
			case 0:
				code = append(code, 0x45) // i32.eqz
			case 1: // an extra block around the jump
				code = append(code, 0x04, 0x40, 0x02, 0x40)
				code = append(code, jump(target(s), around+2)...)
				code = append(code, 0x0b, 0x0b)
				continue
			}
			code = append(code, 0x04, 0x40) // if
			code = append(code, jump(target(s), around+1)...)
			code = append(code, 0x0b)
		}
		switch {
		case s == n-1 || r.IntN(9) == 0:
			code = append(code, 0x41, 0, 0x0f) // return 0
		case r.IntN(4) == 0:
			code = append(code, jump(target(s), around)...)
		case r.IntN(3) == 0:
			pc := first[s+1]
			f.resumed = append(f.resumed, uint64(pc))
			code = append(code, 0x42) // i64.const, which the call leaves on the stack
			code = appendS(code, (0x1000+itself)<<16|int64(pc))
			code = append(code, 0x1a, 0x41, 0, 0x10, callee) // drop; i32.const 0; call
			code = binary.AppendUvarint(append(code, 0x0d), uint64(around+1))
		}
		f.segments = append(f.segments, code)
	}
	return f
}

func jump(pc, depth int) []byte {
	code := appendS([]byte{0x41}, int64(pc))
	return binary.AppendUvarint(append(code, 0x21, 0, 0x0c), uint64(depth))
}

// note writes the number of a segment to memory, and returns when the fuel is used up.
func note(s int) []byte {
	code := append(record(s), add(fuel, -1)...)
	return append(code, 0x23, fuel, 0x45, 0x04, 0x40, 0x41, 0, 0x0f, 0x0b) // if fuel == 0 { return 0 }
}

// record writes the number of a segment to memory.
func record(s int) []byte {
	code := []byte{0x23, noted, 0x41, byte(s), 0x3a, 0, 0} // memory[noted] = s
	return append(code, add(noted, 1)...)
}

func add(global byte, n int64) []byte {
	return append(appendS([]byte{0x23, global, 0x41}, n), 0x6a, 0x24, global)
}

// toss advances the generator and pushes one bit of it.
func toss(bit int) []byte {
	code := appendS([]byte{0x23, chance, 0x41}, 1103515245)
	code = appendS(append(code, 0x6c, 0x41), 12345)
	code = append(code, 0x6a, 0x24, chance, 0x23, chance)
	code = appendS(append(code, 0x41), int64(12+bit))
	return append(code, 0x76, 0x41, 1, 0x71)
}

func (f *random) body() []byte {
	code := []byte{0x01, 0x01, 0x7f, 0x23, stackPointer, 0x21, 1, 0x02, 0x40, 0x03, 0x40}
	for range f.segments {
		code = append(code, 0x02, 0x40)
	}
	code = append(code, 0x20, 0, 0x0e)
	code = binary.AppendUvarint(code, uint64(len(f.table)-1))
	for _, s := range f.table {
		code = binary.AppendUvarint(code, uint64(s))
	}
	code = append(code, 0x0b)
	for _, s := range f.segments {
		code = append(append(code, s...), 0x0b)
	}
	return append(code, 0x00, 0x0b, 0x41, 1, 0x0b)
}

func (f *random) module() []byte {
	out := []byte("\x00asm\x01\x00\x00\x00")
	section := func(id byte, body []byte) {
		out = binary.AppendUvarint(append(out, id), uint64(len(body)))
		out = append(out, body...)
	}
	section(1, []byte{1, 0x60, 1, 0x7f, 1, 0x7f}) // one type: i32 -> i32
	section(3, []byte{3, 0, 0, 0})
	section(5, []byte{1, 0, 1})
	globals := []byte{4}
	for range 4 {
		globals = append(globals, 0x7f, 1, 0x41, 0, 0x0b)
	}
	section(6, globals)
	exports := []byte{4}
	for _, e := range []struct {
		name        string
		kind, index byte
	}{{"f", 0, itself}, {"memory", 2, 0}, {"chance", 3, chance}, {"fuel", 3, fuel}} {
		exports = append(append(append(exports, byte(len(e.name))), e.name...), e.kind, e.index)
	}
	section(7, exports)
	unwind := append([]byte{0}, toss(3)...)
	unwind = append(append(unwind, toss(5)...), 0x71, 0x0b) // a quarter
	code := []byte{3}
	for _, b := range [][]byte{{0, 0x41, 0, 0x0b}, f.body(), unwind} {
		code = append(binary.AppendUvarint(code, uint64(len(b))), b...)
	}
	section(10, code)
	const name = "runtime.deferreturn"
	names := append([]byte{1, deferReturn, byte(len(name))}, name...)
	section(0, append([]byte("\x04name\x01"+string(rune(len(names)))), names...))
	return out
}

// walk runs the function and returns a description of its path.
func walk(t *testing.T, module []byte, pc, seed uint64) string {
	t.Helper()
	r := wazero.NewRuntimeWithConfig(t.Context(), wazero.NewRuntimeConfigInterpreter())
	defer r.Close(t.Context())
	m, err := r.Instantiate(t.Context(), module)
	if err != nil {
		t.Fatal(err)
	}
	const steps = 200
	m.ExportedGlobal("chance").(interface{ Set(v uint64) }).Set(seed*7919 + pc)
	m.ExportedGlobal("fuel").(interface{ Set(v uint64) }).Set(steps)
	res, err := m.ExportedFunction("f").Call(t.Context(), pc)
	left := m.ExportedGlobal("fuel").Get()
	trace, _ := m.Memory().Read(0, uint32(steps-left))
	return fmt.Sprint(trace, " gives ", res, err, " chance ", m.ExportedGlobal("chance").Get())
}

func appendS(b []byte, v int64) []byte {
	for {
		c := byte(v & 0x7f)
		v >>= 7
		if v == 0 && c&0x40 == 0 || v == -1 && c&0x40 != 0 {
			return append(b, c)
		}
		b = append(b, c|0x80)
	}
}
