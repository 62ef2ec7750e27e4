package binary

import (
	"slices"
	"testing"
)

// The compiler takes other encodings than the shortest one for other instructions, or for
// instructions of another length.
func TestInstructionRefuses(t *testing.T) {
	for _, tc := range []struct {
		name string
		code []byte
		want string // of the error; empty: accepted
	}{
		{"tail call", []byte{0x12, 0x00}, "uses tail calls, which this host does not run"},
		{"reserved", []byte{0xff}, "instruction 0xff is not one this host runs"},
		{"after a prefix", []byte{0xfc, 0x12, 0x00}, "instruction 0xfc 0x12 is not one this host runs"},
		{"relaxed vector", []byte{0xfd, 0x80, 0x02}, "instruction 0xfd 0x80 0x02 is not one this host runs"},
		{"long number of a vector", []byte{0xfd, 0x8c, 0x00}, "instruction 0xfd 0x8c 0x00 is not one this host runs"},
		{"long number of a bulk instruction", []byte{0xfc, 0x8b, 0x00}, "instruction 0xfc 0x8b 0x00 is not one this host runs"},
		{"vector above 127", []byte{0xfd, 0xb5, 0x01}, ""},
		{"block of references", []byte{0x02, 0x63, 0x70}, "block type 0x63 is not one this host runs"},
		{"long block type", []byte{0x02, 0xc0, 0x7f}, "block type 0xc0 is not one this host runs"},
		{"block type with unused bits", []byte{0x02, 0x82, 0x80, 0x80, 0x80, 0x20}, "block type 0x82 is not one this host runs"},
		{"block type by index", []byte{0x02, 0x82, 0x00}, ""},
		{"null of a type", []byte{0xd0, 0x80, 0x00}, "reference type 0x80 is not one this host runs"},
		{"select with two types", []byte{0x1c, 2, 0x7f, 0x7f}, "select with 2 types, want 1"},
		{"select of references", []byte{0x1c, 1, 0x63, 0x70}, "value type 0x63 is not one this host runs"},
		{"cut off", []byte{0xfd, 0x0c, 1, 2}, "ends too early"},
	} {
		r := NewReader(tc.code)
		var in Instruction
		r.Instruction(&in)
		if err := r.Err(); err == nil && (tc.want != "" || r.Len() > 0) || err != nil && err.Error() != tc.want {
			t.Errorf("%s: %v and %d bytes left, want %q", tc.name, err, r.Len(), tc.want)
		}
	}
}

func TestInstructionFields(t *testing.T) {
	r := NewReader([]byte{
		OpI32Const, 0x7f, OpCall, 0x85, 0x01, OpI32Load, 2, 0x10, OpBlock, BlockVoid, OpLoop, 3,
		OpBrTable, 2, 1, 0, 7, OpPrefixMisc, MiscMemoryInit, 4, 0, OpPrefixVector, 0xb5, 1,
	})
	var in Instruction
	for i, want := range []Instruction{
		{Op: OpI32Const, Value: -1}, {Op: OpCall, A: 133}, {Op: OpI32Load, A: 2, B: 16}, {Op: OpBlock, Value: -64}, {Op: OpLoop, Value: 3},
		{Op: OpBrTable, Targets: []uint32{1, 0, 7}}, {Op: OpPrefixMisc, Sub: MiscMemoryInit, A: 4}, {Op: OpPrefixVector, Sub: 0xb5},
	} {
		in = Instruction{}
		r.Instruction(&in)
		if in.Op != want.Op || in.Sub != want.Sub || in.Value != want.Value || in.A != want.A || in.B != want.B || !slices.Equal(in.Targets, want.Targets) {
			t.Errorf("%d: %+v, want %+v", i, in, want)
		}
	}
	if r.Err() != nil || r.Len() > 0 {
		t.Errorf("%v, %d bytes left", r.Err(), r.Len())
	}
}

// A reference to a function is reported only if nothing else is in the expression.
func TestSkipConst(t *testing.T) {
	for _, tc := range []struct {
		name  string
		expr  []byte
		index uint32
		ok    bool
	}{
		{"function", []byte{OpRefFunc, 5, OpEnd}, 5, true},
		{"function and a number", []byte{OpRefFunc, 5, OpI32Const, 0, OpEnd}, 5, false},
		{"number", []byte{OpI32Const, 5, OpEnd}, 0, false},
		{"cut off", []byte{OpRefFunc, 5}, 0, false},
	} {
		if index, ok := NewReader(tc.expr).SkipConst(); index != tc.index || ok != tc.ok {
			t.Errorf("%s: %d, %v", tc.name, index, ok)
		}
	}
}
