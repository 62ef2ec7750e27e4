// Package reloop gives the functions of a module that Go's compiler made their
// control flow back.
//
// WebAssembly has blocks and loops, but no jump to a label. Go's compiler has a
// graph of basic blocks to write down, and writes one loop around a br_table of all
// of them: a jump stores the number of a block and goes round the loop. Whoever
// compiles that for a processor sees one loop in which every block may follow every
// other. Module writes such functions anew, as blocks and loops nested the way the
// jumps are (Norman Ramsey, "Beyond Relooper", ICFP 2022). They compute the same,
// and take two thirds of the time.
//
// The br_table stays where it is needed. A goroutine that waits, or a stack that
// grows, leaves all functions and enters them again later, each at the call it was
// in; so the beginning of a function, and of each loop with such a call in it, asks
// whether it was entered to go on elsewhere. A loop that can be entered in two
// places is entered in one of them the same way.
package reloop

import (
	"encoding/binary"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/mcpctl/mcpctl/abi"
)

// Result says what Module did.
type Result struct {
	Functions int  // of the module's own
	Restored  int  // of them, written anew
	Unnamed   bool // Go made the module but without names (-ldflags=-s), so nothing was done
}

// Module returns a module with the control flow of its functions restored, or the
// module as it is if Go did not make it. A function that does not look as Go's
// compiler writes it, or that defers, is left alone. What is restored once is not
// changed by a second run.
//
// Errors: abi.ErrGuest if file is no module, or ends too early.
func Module(file []byte) ([]byte, Result, error) {
	m, err := readModule(file)
	if err != nil {
		return nil, Result{}, fmt.Errorf("%w: %v", abi.ErrGuest, err)
	}
	res := Result{Functions: len(m.bodies)}
	if !m.named {
		// Without names deferreturn is not known, which is entered without a call.
		s := new(scratch)
		for i, body := range m.bodies {
			if _, ok := parse(s, body, -1); ok && m.takesBlock(i) {
				res.Unnamed = true
				break
			}
		}
		return file, res, nil
	}
	resumed := m.resumed()
	restored := make([]bool, len(m.bodies))
	side(len(m.bodies), func(s *scratch, i int) {
		if !m.takesBlock(i) {
			return
		}
		if f, ok := parse(s, m.bodies[i], m.deferReturn); ok {
			if out, ok := f.restore(resumed[i]); ok {
				m.bodies[i], restored[i] = out, true
			}
		}
	})
	for _, done := range restored {
		if done {
			res.Restored++
		}
	}
	if res.Restored == 0 {
		return file, res, nil
	}
	return m.write(), res, nil
}

// side does n things side by side: an author waits for them.
func side(n int, do func(s *scratch, i int)) {
	var next atomic.Int64
	var all sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		all.Go(func() {
			s := new(scratch)
			for i := next.Add(1) - 1; i < int64(n); i = next.Add(1) - 1 {
				do(s, int(i))
			}
		})
	}
	all.Wait()
}

// module is a module file, as far as it matters here.
type module struct {
	sections    []section
	blockTypes  []bool // of each type: takes an i32 and gives one, as Go's functions do
	funcTypes   []int  // of the module's own functions
	imported    int    // functions
	bodies      [][]byte
	named       bool  // it has the name of deferReturn
	deferReturn int64 // index of runtime.deferreturn
}

type section struct {
	id   byte
	body []byte
}

// Sections of the binary format.
const (
	sectionCustom   = 0
	sectionType     = 1
	sectionImport   = 2
	sectionFunction = 3
	sectionCode     = 10
)

const typeI32 = 0x7f

// takesBlock reports whether the function of that index among the module's own
// takes the number of a block, as all do that Go's compiler makes of Go.
func (m *module) takesBlock(i int) bool {
	t := m.funcTypes[i]
	return t < len(m.blockTypes) && m.blockTypes[t]
}

// readModule reads what Go's linker writes. Another maker's module may come out as
// one without functions: to find its mistakes is for who loads it.
func readModule(file []byte) (*module, error) {
	const header = 8
	if len(file) < header || string(file[:4]) != "\x00asm" {
		return nil, fmt.Errorf("file is no WebAssembly module")
	}
	m := &module{}
	r := &reader{b: file, at: header}
	for r.at < len(file) && !r.bad {
		id := r.byte()
		m.sections = append(m.sections, section{id, r.bytes(r.u32())})
	}
	if r.bad {
		return nil, fmt.Errorf("ends inside section %d", len(m.sections))
	}
	for _, s := range m.sections {
		r := &reader{b: s.body}
		switch s.id {
		case sectionType:
			m.readTypes(r)
		case sectionImport:
			m.readImports(r)
		case sectionFunction:
			for range r.count() {
				m.funcTypes = append(m.funcTypes, r.u32())
			}
		case sectionCode:
			for range r.count() {
				m.bodies = append(m.bodies, r.bytes(r.u32()))
			}
		case sectionCustom:
			m.readNames(r)
			r.bad = false // what is custom is nobody's to refuse
		}
		if r.bad {
			return &module{}, nil
		}
	}
	if len(m.bodies) != len(m.funcTypes) {
		return &module{}, nil
	}
	return m, nil
}

func (m *module) readTypes(r *reader) {
	for range r.count() {
		r.byte() // the form of a function
		params, results := r.bytes(r.u32()), r.bytes(r.u32())
		m.blockTypes = append(m.blockTypes, string(params) == string([]byte{typeI32}) && string(results) == string([]byte{typeI32}))
	}
}

// readImports counts the functions. Go imports nothing else.
func (m *module) readImports(r *reader) {
	for range r.count() {
		r.bytes(r.u32())
		r.bytes(r.u32())
		if r.byte() != 0 {
			return // another maker's module, in which the names will be missing
		}
		r.u32()
		m.imported++
	}
}

// readNames finds runtime.deferreturn in a section of names.
func (m *module) readNames(r *reader) {
	const functions = 1
	if string(r.bytes(r.u32())) != "name" {
		return
	}
	for r.at < len(r.b) && !r.bad {
		id := r.byte()
		of := &reader{b: r.bytes(r.u32())}
		if id != functions {
			continue
		}
		for range of.count() {
			index, name := of.u32(), of.bytes(of.u32())
			if string(name) == "runtime.deferreturn" && !of.bad {
				m.named, m.deferReturn = true, int64(index)
			}
		}
	}
}

// resumed finds the program counters at which functions are entered again: what a
// call leaves on the stack is a constant before it. Constants that only look so do
// no harm.
func (m *module) resumed() map[int][]int {
	// A program counter is the number of a function from 0x1000 on, not counting
	// imported ones, and 16 bits for the block (cmd/link/internal/wasm).
	const first, blockBits = 0x1000, 16
	found := make(map[int][]int)
	var adding sync.Mutex
	side(len(m.bodies), func(s *scratch, i int) {
		code, ok := readCode(m.bodies[i], &s.ops)
		if !ok {
			return
		}
		adding.Lock()
		defer adding.Unlock()
		for _, o := range code.ops {
			if o.code != opI64Const {
				continue
			}
			if f := o.imm>>blockBits - first; f >= 0 && f < int64(len(m.bodies)) {
				found[int(f)] = append(found[int(f)], int(o.imm&(1<<blockBits-1)))
			}
		}
	})
	for f, pcs := range found {
		slices.Sort(pcs)
		found[f] = slices.Compact(pcs)
	}
	return found
}

func (m *module) write() []byte {
	out := []byte("\x00asm\x01\x00\x00\x00")
	for _, s := range m.sections {
		body := s.body
		if s.id == sectionCode {
			body = binary.AppendUvarint(nil, uint64(len(m.bodies)))
			for _, b := range m.bodies {
				body = binary.AppendUvarint(body, uint64(len(b)))
				body = append(body, b...)
			}
		}
		out = append(out, s.id)
		out = binary.AppendUvarint(out, uint64(len(body)))
		out = append(out, body...)
	}
	return out
}
