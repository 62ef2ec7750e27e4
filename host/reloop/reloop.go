// Package reloop restores the control flow of modules that Go's compiler has built.
//
// WebAssembly has blocks and loops, but no jump to a label. Go's compiler encodes its
// graph of basic blocks as one loop around a br_table of all blocks: a jump stores the
// number of a block and continues the loop. A compiler for a processor then sees one
// loop in which every block may follow every other. Module rewrites such functions as
// blocks and loops that are nested like the jumps (Norman Ramsey, "Beyond Relooper",
// ICFP 2022). They compute the same and take two thirds of the time.
//
// A br_table remains where it is needed. A goroutine that waits, or a stack that grows,
// leaves all functions and enters them again later, each at the call in which it was. So
// the beginning of a function, and of each loop that contains such a call, checks
// whether it was entered to continue elsewhere. A loop with two entries is entered at
// the second one in the same way.
package reloop

import (
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/wasm/binary"
)

// Result describes the work of Module.
type Result struct {
	Functions int  // defined by the module
	Restored  int  // the number of them that were rewritten
	Unnamed   bool // Go built the module without names (-ldflags=-s), so nothing was restored
}

// Module returns a module with the control flow of its functions restored. A module that
// Go did not build is returned unchanged, and so is a function that does not have the
// form of Go's compiler or that uses defer. A second run changes nothing.
//
// Errors: abi.ErrGuest if file is not a module, or ends too early.
func Module(file []byte) ([]byte, Result, error) {
	m, err := readProgram(file)
	if err != nil {
		return nil, Result{}, fmt.Errorf("%w: %v", abi.ErrGuest, err)
	}
	res := Result{Functions: len(m.bodies)}
	if !m.named {
		// Functions that use defer are recognized by the name of deferreturn.
		s := new(scratch)
		for i, body := range m.bodies {
			if _, ok := parse(s, body, -1); ok && m.takesBlock(i) {
				res.Unnamed = true
				break
			}
		}
		return file, res, nil
	}
	resumed := m.resumePoints()
	restored := make([]bool, len(m.bodies))
	forEachParallel(len(m.bodies), func(s *scratch, i int) {
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
	return m.encode(), res, nil
}

// forEachParallel calls do for 0 to n-1 with all processors, because an author waits.
func forEachParallel(n int, do func(s *scratch, i int)) {
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

// program is a module file, as far as it matters here.
type program struct {
	sections    []binary.Section
	types       []binary.Signature
	functions   []uint32 // type of each of the module's own functions
	bodies      [][]byte
	named       bool  // it has the name of deferReturn
	deferReturn int64 // index of runtime.deferreturn
}

// blockSignature is the signature of every function that Go's compiler makes of Go:
// it takes the number of a block.
var blockSignature = binary.Signature{Params: []byte{binary.TypeI32}, Results: []byte{binary.TypeI32}}

// takesBlock reports whether a function of the module takes the number of a block.
func (m *program) takesBlock(i int) bool {
	t := int(m.functions[i])
	return t < len(m.types) && m.types[t].Equal(blockSignature)
}

// readProgram reads the output of Go's linker. A module of another compiler may be
// returned without functions; its errors are reported when it is loaded.
func readProgram(file []byte) (*program, error) {
	sections, err := binary.Sections(file)
	if err != nil {
		return nil, fmt.Errorf("module %w", err)
	}
	m := &program{sections: sections}
	for _, s := range sections {
		r := binary.NewReader(s.Body)
		switch s.ID {
		case binary.SectionType:
			m.types = binary.DecodeTypes(r)
		case binary.SectionFunction:
			for range r.Count("functions", 1) {
				m.functions = append(m.functions, r.U32())
			}
		case binary.SectionCode:
			for range r.Count("function bodies", 1) {
				m.bodies = append(m.bodies, r.Bytes(int(r.U32())))
			}
		case binary.SectionCustom:
			m.readNames(r)
			continue // errors in a custom section do not matter
		}
		if r.Err() != nil {
			return &program{}, nil
		}
	}
	if len(m.bodies) != len(m.functions) {
		return &program{}, nil
	}
	return m, nil
}

// readNames finds runtime.deferreturn in a section of names.
func (m *program) readNames(r *binary.Reader) {
	const functions = 1
	if r.Name() != "name" {
		return
	}
	for r.Len() > 0 {
		id := r.Byte()
		names := binary.NewReader(r.Bytes(int(r.U32())))
		if id != functions {
			continue
		}
		for range names.Count("names", 2) {
			index, name := names.U32(), names.Bytes(int(names.U32()))
			if string(name) == "runtime.deferreturn" {
				m.named, m.deferReturn = true, int64(index)
			}
		}
	}
}

// resumePoints finds the program counters at which functions are entered again: a call is
// preceded by a constant that it leaves on the stack. Other constants with such a value
// do no harm.
func (m *program) resumePoints() map[int][]int {
	// A program counter is the number of a function, starting at 0x1000 without imported
	// functions, and 16 bits for the block (cmd/link/internal/wasm).
	const first, blockBits = 0x1000, 16
	found := make(map[int][]int)
	var adding sync.Mutex
	forEachParallel(len(m.bodies), func(s *scratch, i int) {
		code, ok := readCode(m.bodies[i], &s.ops)
		if !ok {
			return
		}
		adding.Lock()
		defer adding.Unlock()
		for _, o := range code.ops {
			if o.code != binary.OpI64Const {
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

func (m *program) encode() []byte {
	out := []byte(binary.Header)
	for _, s := range m.sections {
		body := s.Body
		if s.ID == binary.SectionCode {
			body = binary.AppendU32(nil, uint32(len(m.bodies)))
			for _, b := range m.bodies {
				body = binary.AppendU32(body, uint32(len(b)))
				body = append(body, b...)
			}
		}
		out = binary.AppendSection(out, s.ID, body)
	}
	return out
}
