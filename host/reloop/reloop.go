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
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/wasm/module"
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
	m, err := readProgram(file)
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
	return m.encode(), res, nil
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

// program is a module file, as far as it matters here.
type program struct {
	sections    []module.Section
	types       []module.Signature
	functions   []uint32 // type of each of the module's own functions
	bodies      [][]byte
	named       bool  // it has the name of deferReturn
	deferReturn int64 // index of runtime.deferreturn
}

// blockSignature is the signature of every function that Go's compiler makes of Go:
// it takes the number of a block.
var blockSignature = module.Signature{Params: []byte{module.TypeI32}, Results: []byte{module.TypeI32}}

// takesBlock reports whether a function of the module takes the number of a block.
func (m *program) takesBlock(i int) bool {
	t := int(m.functions[i])
	return t < len(m.types) && m.types[t].Equal(blockSignature)
}

// readProgram reads the output of Go's linker. A module of another compiler may be
// returned without functions; its errors are reported when it is loaded.
func readProgram(file []byte) (*program, error) {
	sections, err := module.Sections(file)
	if err != nil {
		return nil, fmt.Errorf("module %w", err)
	}
	m := &program{sections: sections}
	for _, s := range sections {
		r := module.NewReader(s.Body)
		switch s.ID {
		case module.SectionType:
			m.types = module.DecodeTypes(r)
		case module.SectionFunction:
			for range r.Count("functions", 1) {
				m.functions = append(m.functions, r.U32())
			}
		case module.SectionCode:
			for range r.Count("function bodies", 1) {
				m.bodies = append(m.bodies, r.Bytes(int(r.U32())))
			}
		case module.SectionCustom:
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
func (m *program) readNames(r *module.Reader) {
	const functions = 1
	if r.Name() != "name" {
		return
	}
	for r.Len() > 0 {
		id := r.Byte()
		names := module.NewReader(r.Bytes(int(r.U32())))
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

// resumed finds the program counters at which functions are entered again: what a
// call leaves on the stack is a constant before it. Constants that only look so do
// no harm.
func (m *program) resumed() map[int][]int {
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
			if o.code != module.OpI64Const {
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
	out := []byte(module.Header)
	for _, s := range m.sections {
		body := s.Body
		if s.ID == module.SectionCode {
			body = module.AppendU32(nil, uint32(len(m.bodies)))
			for _, b := range m.bodies {
				body = module.AppendU32(body, uint32(len(b)))
				body = append(body, b...)
			}
		}
		out = module.AppendSection(out, s.ID, body)
	}
	return out
}
