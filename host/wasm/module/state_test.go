package module

import (
	"bytes"
	"slices"
	"testing"

	"github.com/mcpctl/mcpctl/host/wasm/binary"
)

// scan reads the instructions of a function.
func scan(code []byte) (keepsState bool, err error) {
	d := &decoder{File: &File{}}
	err = d.scanCode(binary.NewReader(code))
	return d.keepsState, err
}

// TestKeepsState verifies that every instruction is skipped with its immediates, and
// that those that change tables or drop segments are found.
func TestKeepsState(t *testing.T) {
	end := []byte{0x0b}
	for name, code := range map[string][]byte{
		"numbers":     {0x41, 0x80, 0x80, 0x7f, 0x42, 0xff, 0xff, 0x03, 0x43, 1, 2, 3, 4, 0x44, 1, 2, 3, 4, 5, 6, 7, 8, 0x6a, 0xc4},
		"blocks":      {0x02, 0x40, 0x03, 0x7f, 0x04, 0x80, 0x01, 0x05, 0x0b, 0x0b, 0x0b, 0x00, 0x01, 0x0f, 0x1a, 0x1b},
		"branches":    {0x0c, 0x80, 0x01, 0x0d, 0x01, 0x0e, 0x02, 0x26, 0x26, 0x26},
		"calls":       {0x10, 0x26, 0x11, 0x26, 0x26},
		"locals":      {0x20, 0x26, 0x21, 0x26, 0x22, 0x26, 0x23, 0x26, 0x24, 0x26, 0x25, 0x26},
		"memory":      {0x28, 0x26, 0x26, 0x3e, 0x26, 0x80, 0x26, 0x3f, 0x00, 0x40, 0x00},
		"references":  {0xd0, 0x70, 0xd1, 0xd2, 0x26, 0x1c, 0x01, 0x7f},
		"bulk memory": {0xfc, 0x0a, 0, 0, 0xfc, 0x0b, 0, 0xfc, 0x08, 0x26, 0, 0xfc, 0x10, 0x26, 0xfc, 0x07},
		"vectors": {0xfd, 0x00, 0x26, 0x26, 0xfd, 0x0c, 0x26, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 0xfd, 0x15, 0x26, 0xfd, 0x54, 0x26, 0x26, 0x26,
			0xfd, 0x5c, 0x26, 0x26, 0xfd, 0x6e, 0xfd, 0xff, 0x01},
	} {
		if keeps, err := scan(append(code, end...)); keeps || err != nil {
			t.Errorf("%s: keeps state %v, %v", name, keeps, err)
		}
	}
	for name, code := range map[string][]byte{
		"table.set":  {0x26, 0x02},
		"data.drop":  {0xfc, 0x09, 0x02},
		"table.init": {0xfc, 0x0c, 0x02, 0x02},
		"elem.drop":  {0xfc, 0x0d, 0x02},
		"table.copy": {0xfc, 0x0e, 0x02, 0x02},
		"table.grow": {0xfc, 0x0f, 0x02},
		"table.fill": {0xfc, 0x11, 0x02},
	} {
		deepest := bytes.Repeat([]byte{binary.OpBlock, binary.BlockVoid}, binary.MaxNesting)
		if keeps, err := scan(slices.Concat([]byte{0x41, 0x26}, code, deepest)); !keeps || err != nil {
			t.Errorf("%s: keeps state %v, %v", name, keeps, err) // an error if an immediate, 2, is taken for a block
		}
	}
}

// Counts that the compiler would trust are refused.
func TestScanCodeLimits(t *testing.T) {
	block := []byte{binary.OpBlock, binary.BlockVoid}
	for _, tc := range []struct {
		name string
		code []byte
		want string
	}{
		{"nesting", bytes.Repeat(block, binary.MaxNesting+1), "more than 2500 blocks inside each other"},
		{"blocks side by side", bytes.Repeat([]byte{binary.OpBlock, binary.BlockVoid, binary.OpEnd}, 5*binary.MaxNesting), ""},
		{"loops", bytes.Repeat([]byte{binary.OpLoop, binary.BlockVoid, binary.OpEnd}, 1001), "more than 1000 loops"},
		{"bulk instructions", bytes.Repeat([]byte{0xfc, 0x0b, 0}, 1001), "more than 1000 bulk instructions"},
		{"conversions", bytes.Repeat([]byte{0xfc, 0}, 1001), ""},
		{"targets", append([]byte{binary.OpBrTable}, binary.AppendU32(nil, 65_536+1)...), "claims 65537 targets of a br_table in 0 bytes"},
		{"all targets", slices.Concat([]byte{binary.OpBrTable}, binary.AppendU32(nil, 65_536+1), make([]byte, 65_536+2)), "65537 targets of a br_table, limit 65536"},
		{"most targets", slices.Concat([]byte{binary.OpBrTable}, binary.AppendU32(nil, 65_536), make([]byte, 65_536+1)), ""},
		{"cut off", []byte{0xfd, 0x0c, 1, 2}, "ends too early"},
	} {
		if _, err := scan(tc.code); err == nil && tc.want != "" || err != nil && err.Error() != tc.want {
			t.Errorf("%s: got %v, want %q", tc.name, err, tc.want)
		}
	}
}
