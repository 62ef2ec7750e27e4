package fuel

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/host/wasm/binary"
)

// builder assembles a module whose functions have no parameters, results or locals.
type builder struct {
	bodies [][]byte
	table  []byte // functions in the table
	extra  []byte // sections after the functions
}

func section(id byte, body ...byte) []byte { return binary.AppendSection(nil, id, body) }

func (b *builder) encode() []byte {
	n := byte(len(b.bodies))
	code := []byte{n}
	for _, body := range b.bodies {
		code = binary.AppendU32(code, uint32(len(body)+2))
		code = append(append(append(code, 0), body...), binary.OpEnd)
	}
	out := slices.Concat([]byte(binary.Header), section(binary.SectionType, 1, binary.FunctionForm, 0, 0),
		section(binary.SectionFunction, append([]byte{n}, make([]byte, n)...)...))
	if b.table != nil {
		out = append(out, section(binary.SectionTable, 1, binary.TypeFuncref, 0, 9)...)
	}
	out = append(out, b.extra...)
	if b.table != nil {
		out = append(out, section(binary.SectionElement, append([]byte{1, 0, binary.OpI32Const, 0, binary.OpEnd, byte(len(b.table))}, b.table...)...)...)
	}
	return append(out, section(binary.SectionCode, code...)...)
}

func functions(bodies ...[]byte) *builder { return &builder{bodies: bodies} }

// A module that refers to what it does not have is refused: the rewritten module has more.
func TestRewriteRefuses(t *testing.T) {
	reserved := slices.Concat([]byte(binary.Header), section(binary.SectionType, 1, binary.FunctionForm, 0, 0),
		section(binary.SectionImport, append(append([]byte{1}, binary.AppendName(binary.AppendName(nil, Namespace), Yield)...), binary.KindFunction, 0)...))
	export := functions(nil)
	export.extra = section(binary.SectionExport, append(append([]byte{1}, binary.AppendName(nil, FuelGlobal)...), binary.KindFunction, 0)...)
	global := functions(nil)
	global.extra = section(binary.SectionExport, append(append([]byte{1}, binary.AppendName(nil, "a")...), binary.KindGlobal, 0)...)
	for _, tc := range []struct {
		name string
		file []byte
		want string
	}{
		{"exported global", global.encode(), "export section: export a is global 0 of 0"},
		{"label", functions([]byte{binary.OpBr, 1}).encode(), "code section: function 0: label 1 of 1"},
		{"label in a table", functions([]byte{binary.OpBlock, binary.BlockVoid, binary.OpBrTable, 1, 0, 2, binary.OpEnd}).encode(), "code section: function 0: label 2 of 2"},
		{"local", functions([]byte{binary.OpLocalGet, 0, binary.OpDrop}).encode(), "code section: function 0: local 0 of 0"},
		{"global", functions([]byte{binary.OpGlobalGet, 0, binary.OpDrop}).encode(), "code section: function 0: global 0 of 0"},
		{"function", functions(nil, []byte{binary.OpCall, 2}).encode(), "code section: function 1: function 2 of 2"},
		{"type", functions([]byte{binary.OpBlock, 1, binary.OpEnd}).encode(), "code section: function 0: type 1 of 1"},
		{"type of a call", functions([]byte{binary.OpI32Const, 0, binary.OpCallIndirect, 1, 0}).encode(), "code section: function 0: type 1 of 1"},
		{"code after the end", functions([]byte{binary.OpEnd, binary.OpNop}).encode(), "code section: function 0: 2 bytes after the last end"},
		{"open block", functions([]byte{binary.OpBlock, binary.BlockVoid}).encode(), "code section: function 0: ends inside a block"},
		{"unknown instruction", functions([]byte{0x12, 0}).encode(), "code section: function 0: uses tail calls, which this host does not run"},
		{"import of Yield", reserved, "imports mcpctl:fuel.yield, which is reserved"},
		{"export of the counter", export.encode(), "export section: exports mcpctl_fuel, which is reserved"},
		{"too many counters", functions(bytes.Repeat(bytes.Repeat([]byte{binary.OpLoop, binary.BlockVoid, binary.OpEnd}, 1000), 80)).encode(),
			"has so many loops and calls that their counters would exceed 4 times the size of the module"},
	} {
		if _, err := Rewrite(tc.file, Slice); err == nil || err.Error() != tc.want {
			t.Errorf("%s: got %v, want %s", tc.name, err, tc.want)
		}
	}
}

// A module is rewritten once: the result has what is reserved.
func TestRewriteTwice(t *testing.T) {
	once, err := Rewrite(functions(nil).encode(), Slice)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Rewrite(once, Slice); err == nil || !strings.Contains(err.Error(), "reserved") {
		t.Errorf("got %v", err)
	}
	if again, err := Rewrite(functions(nil).encode(), Slice); err != nil || !bytes.Equal(again, once) {
		t.Errorf("the same module became another one: %v", err)
	}
}

// The frames of a function are counted only if it may take part in a recursion, or in a
// long chain of calls.
func TestLimitedFunctions(t *testing.T) {
	call := func(f byte) []byte { return []byte{binary.OpCall, f} }
	indirect := []byte{binary.OpI32Const, 0, binary.OpCallIndirect, 0, 0}
	for _, tc := range []struct {
		name  string
		built *builder
		want  []int
	}{
		{"leaf and its caller", functions(nil, call(0)), nil},
		{"recursion", functions(call(0)), []int{0}},
		{"mutual recursion with a caller and a leaf", functions(call(1), append(call(2), call(3)...), call(1), nil), []int{1, 2}},
		{"indirect call of itself", &builder{bodies: [][]byte{indirect, nil}, table: []byte{0}}, []int{0}},
		{"indirect call of a leaf", &builder{bodies: [][]byte{indirect, nil}, table: []byte{1}}, nil},
		{"indirect call without a table", functions(indirect), nil},
		{"function that is not in the table", &builder{bodies: [][]byte{indirect, indirect}, table: []byte{1}}, []int{1}},
	} {
		if got := limited(t, tc.built.encode()); !slices.Equal(got, tc.want) {
			t.Errorf("%s: %v, want %v", tc.name, got, tc.want)
		}
	}
	// 64 KiB of frames at each end of the chain are not counted.
	if got := limited(t, deepChain(3000)); len(got) < 1000 || len(got) > 2500 {
		t.Errorf("of a chain of 3,000 functions %d are counted", len(got))
	}
}

// deepChain returns a module of n functions that each call the one before.
func deepChain(n int) []byte {
	code, types := binary.AppendU32(nil, uint32(n)), append(binary.AppendU32(nil, uint32(n)), make([]byte, n)...)
	for i := range n {
		body := []byte{0}
		if i > 0 {
			body = binary.AppendU32(append(body, binary.OpCall), uint32(i-1))
		}
		code = append(binary.AppendU32(code, uint32(len(body)+1)), body...)
		code = append(code, binary.OpEnd)
	}
	return slices.Concat([]byte(binary.Header), section(binary.SectionType, 1, binary.FunctionForm, 0, 0), section(binary.SectionFunction, types...), section(binary.SectionCode, code...))
}

// limited returns the indexes of the limited functions.
func limited(t *testing.T, file []byte) (list []int) {
	t.Helper()
	p, err := open(file)
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range p.functions {
		if f.limited {
			list = append(list, i)
		}
	}
	return list
}

// TestHeight checks the estimate of the operands that a frame holds.
func TestHeight(t *testing.T) {
	get, add := []byte{binary.OpMemorySize, 0}, []byte{binary.OpI32Add}
	for _, tc := range []struct {
		name string
		code []byte
		want int
	}{
		{"none", nil, 0},
		{"one after another", slices.Repeat(slices.Concat(get, []byte{binary.OpDrop}), 10), 1},
		{"at once", slices.Concat(slices.Repeat(get, 10), slices.Repeat(add, 9), []byte{binary.OpDrop}), 10},
		{"in a block", slices.Concat(get, []byte{binary.OpBlock, binary.TypeI32}, get, []byte{binary.OpEnd}, add, []byte{binary.OpDrop}), 2},
		{"unreachable", slices.Concat([]byte{binary.OpUnreachable}, slices.Repeat(add, 5), get, []byte{binary.OpDrop}), 1},
	} {
		p, err := open(functions(tc.code).encode())
		if err != nil {
			t.Fatal(err)
		}
		// Each of the few instructions adds half a byte.
		if got := p.functions[0].frame - frameBase - tc.want*frameValue; got < 0 || got >= 2*frameValue {
			t.Errorf("%s: a frame of %d bytes, want %d operands", tc.name, p.functions[0].frame, tc.want)
		}
	}
}

// TestCosts checks the cost of a function and of its loops.
func TestCosts(t *testing.T) {
	two := []byte{binary.OpMemorySize, 0, binary.OpDrop}
	loop := func(code ...[]byte) []byte {
		return slices.Concat([]byte{binary.OpLoop, binary.BlockVoid}, slices.Concat(code...), []byte{binary.OpEnd})
	}
	for _, tc := range []struct {
		name string
		code []byte
		want []int32
	}{
		{"nothing", nil, []int32{0}},
		{"instructions", slices.Repeat(two, 5), []int32{10}},
		{"an empty loop is not free", loop(), []int32{0, minLoopCost}},
		{"loops pay for themselves", slices.Concat(two, loop(two, loop(two, two), two)), []int32{2, 4 + minLoopCost, 4 + minLoopCost}},
		{"call", []byte{binary.OpCall, 0}, []int32{costCall}},
		{"growth", []byte{binary.OpI32Const, 0, binary.OpMemoryGrow, 0, binary.OpDrop}, []int32{2 + costGrow}},
	} {
		p, err := open(functions(tc.code).encode())
		if err != nil {
			t.Fatal(err)
		}
		if got := p.functions[0].costs; !slices.Equal(got, tc.want) {
			t.Errorf("%s: %v, want %v", tc.name, got, tc.want)
		}
	}
}

func TestRefill(t *testing.T) {
	for _, debt := range []int32{-1, -100, -Slice, -Slice - 1, -(1 << 29), math.MinInt32} {
		fuel, added := Refill(debt)
		if fuel < 0 || fuel > Slice || added%Slice != 0 || int64(debt)+added != int64(fuel) {
			t.Errorf("%d: %d, added %d", debt, fuel, added)
		}
	}
}

// Loops inside many others have no frames around them: a compiler takes the square of the loops.
func TestRewriteDeepLoops(t *testing.T) {
	const depth = 1000
	body := append(bytes.Repeat([]byte{binary.OpLoop, binary.BlockVoid}, depth), bytes.Repeat([]byte{binary.OpEnd}, depth)...)
	p, err := open(functions(body).encode())
	if err != nil {
		t.Fatal(err)
	}
	w := writer{program: p}
	r := binary.NewReader(w.encodeFunction(&p.functions[0]))
	r.Bytes(3) // two locals
	loops := 0
	for in := (binary.Instruction{}); r.Len() > 0; {
		if r.Instruction(&in); in.Op == binary.OpLoop {
			loops++
		}
	}
	if want := depth + maxFramed; loops != want || r.Err() != nil {
		t.Errorf("%d loops, want %d; %v", loops, want, r.Err())
	}
}
