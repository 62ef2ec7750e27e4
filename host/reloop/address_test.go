package reloop

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/tetratelabs/wazero"

	"github.com/mcpctl/mcpctl/host/wasm/binary"
)

// Locals of the tested functions.
const (
	p, base, i, limit = 2, 3, 4, 5
	shared            = 6 // the first one that shareAddresses adds
)

// Parts of the tested functions.
var (
	get = func(local byte) string { return "\x20" + string(local) }
	set = func(local byte) string { return "\x21" + string(local) }
	// advance adds a number to a local.
	advance = func(local, by byte) string { return get(local) + "\x42" + string(by) + "\x7c" + set(local) }
	// field loads a number at an offset from the stack.
	field = func(offset byte) string { return get(stackPointer) + "\x29\x03" + string(offset) }

	zero    = "\x42\x00"
	wrap    = "\xa7"
	load    = "\x2d\x00\x00\x1a" // of a byte, dropped
	sum     = get(base) + get(i) + "\x7c" + wrap
	pointer = get(p) + wrap
	tee     = pointer + "\x22" + string(rune(shared))
	again   = get(shared)
	leave   = get(i) + get(limit) + "\x59\x0d\x01" // br_if 1 if i >= limit
)

const blockStart, loopStart, ifStart, elseStart, blockEnd = "\x02\x40", "\x03\x40", "\x04\x40", "\x05", "\x0b"

func TestShareAddresses(t *testing.T) {
	enter := field(8) + set(p) + field(8) + set(base) + zero + set(i)
	loop := func(body string) string {
		return blockStart + loopStart + leave + body + advance(p, 1) + advance(i, 1) + "\x0c\x00" + blockEnd + blockEnd
	}
	both := loop(pointer + load + sum + load)
	once := loop(tee + load + again + load)
	unchanged := func(code string) [2]string { return [2]string{code, code} }
	for name, c := range map[string][2]string{
		"pointer and sum": {enter + both, enter + once},
		"sum and pointer": {
			enter + loop(sum+load+pointer+load),
			enter + loop(sum+"\x22\x06"+load+again+load),
		},
		"index before the base":   {enter + loop(pointer+load+get(i)+get(base)+"\x7c"+wrap+load), enter + once},
		"pointer is a copy":       {get(base) + set(p) + zero + set(i) + both, get(base) + set(p) + zero + set(i) + once},
		"index advances first":    {enter + loopStart + pointer + load + sum + load + advance(i, 1) + advance(p, 1) + "\x0c\x00\x0b", enter + loopStart + tee + load + again + load + advance(i, 1) + advance(p, 1) + "\x0c\x00\x0b"},
		"block that ends by a br": {blockStart + enter + "\x0c\x00" + blockEnd + both, blockStart + enter + "\x0c\x00" + blockEnd + once},
		"address in an if":        {enter + loop(pointer+load+get(0)+ifStart+sum+load+blockEnd), enter + loop(tee+load+get(0)+ifStart+again+load+blockEnd)},
		"one address":             unchanged(enter + loop(pointer+load)),
		"addresses in two blocks": unchanged(enter + loop(blockStart+pointer+load+blockEnd+sum+load)),
		"then and else":           unchanged(enter + loop(get(0)+ifStart+pointer+load+elseStart+sum+load+blockEnd)),
		"index begins with 1":     unchanged(field(8) + set(p) + field(8) + set(base) + "\x42\x01" + set(i) + both),
		"other pointer":           unchanged(field(8) + set(p) + field(16) + set(base) + zero + set(i) + both),
		"store between":           unchanged(field(8) + set(p) + get(stackPointer) + zero + "\x37\x03\x08" + field(8) + set(base) + zero + set(i) + both),
		"call between":            unchanged(field(8) + set(p) + "\x10\x00" + field(8) + set(base) + zero + set(i) + both),
		"other path to the loop":  unchanged(blockStart + get(0) + "\x0d\x00" + enter + blockEnd + both),
		"loop in a loop":          unchanged(enter + loopStart + both + blockEnd),
		"pointer is assigned":     unchanged(enter + loop(pointer+load+sum+load+zero+set(p))),
		"index is assigned":       unchanged(enter + loop(pointer+load+sum+load+zero+set(i))),
		"base is assigned":        unchanged(enter + loop(pointer+load+sum+load+zero+set(base))),
		"branch to the beginning": {
			enter + loop(pointer+load+get(0)+"\x0d\x00"+sum+load),
			enter + loop(tee+load+get(0)+"\x0d\x00"+again+load),
		},
		"table": {
			enter + loop(pointer+load+blockStart+get(0)+"\x0e\x01\x00\x01"+blockEnd+sum+load),
			enter + loop(tee+load+blockStart+get(0)+"\x0e\x01\x00\x01"+blockEnd+again+load),
		},
		"different steps":          unchanged(enter + loopStart + pointer + load + sum + load + advance(p, 2) + advance(i, 1) + "\x0c\x00\x0b"),
		"index added to the index": unchanged(zero + set(p) + zero + set(base) + zero + set(i) + loop(pointer+load+get(i)+get(i)+"\x7c"+wrap+load)),
		"index added to pointer":   unchanged(enter + loop(pointer+load+get(p)+get(i)+"\x7c"+wrap+load)),
	} {
		t.Run(name, func(t *testing.T) {
			got := tidy(new(scratch), []byte("\x01\x05\x7e"+c[0]+"\x0b"), false)
			want := "\x01\x05\x7e" + c[1] + "\x0b"
			if c[0] != c[1] {
				want = "\x02\x05\x7e\x01\x7f" + c[1] + "\x0b"
			}
			if !bytes.Equal(got, []byte(want)) {
				t.Errorf("% x\nwant % x", got, want)
			}
		})
	}
}

// randomFunctionWithLoop returns the body of a function with a loop over a slice, or nearly so.
func randomFunctionWithLoop(seed uint64) []byte {
	return []byte("\x02\x01\x7f\x06\x7e" + randomLoop(rand.New(rand.NewPCG(seed, 3))) + "\x0b")
}

func randomLoop(r *rand.Rand) (body string) {
	chance := func(n int) bool { return r.IntN(n) == 0 }
	pick := func(of ...string) string { return of[r.IntN(len(of))] }
	local := func() byte { return byte(p + r.IntN(3)) }
	value := func() string { return pick(field(8), field(8), field(16), zero, get(p), get(base)) }
	noise := func() string {
		return pick("", "", get(limit)+"\x1a", field(8)+set(limit+1), value()+set(local()), get(stackPointer)+value()+"\x37\x03\x08")
	}
	var statement func(depth int) string
	statement = func(depth int) string {
		address := pick(pointer, pointer, sum, sum, get(i)+get(base)+"\x7c"+wrap, get(i)+get(local())+"\x7c"+wrap)
		switch r.IntN(8) {
		case 0, 1, 2: // stores the number of steps
			return address + get(limit+2) + "\x3c\x00\x00"
		case 3, 4: // adds to a sum
			return get(limit+1) + address + "\x31\x00\x00\x7c" + set(limit+1)
		case 5:
			if depth == 3 {
				return ""
			}
			code := pick(blockStart, get(limit+1)+zero+"\x52"+ifStart, get(limit+2)+"\x42\x01\x83\x50"+ifStart)
			for range r.IntN(4) {
				code += statement(depth + 1)
			}
			if code[0] == '\x20' && chance(2) {
				code += elseStart + statement(depth+1)
			}
			return code + blockEnd
		case 6:
			return get(limit+2) + "\x42\x03\x83\x50\x0d" + string(rune(r.IntN(depth+1)))
		}
		if chance(6) {
			return noise()
		}
		return ""
	}
	start := value() + set(p) + noise() + value() + set(base) + noise() + pick(zero, zero, zero, "\x42\x01") + set(i) + noise()
	if chance(2) {
		start = blockStart + start + pick("", "\x0c\x00", get(0)+"\x0d\x00") + blockEnd
	}
	body = blockStart + start + loopStart
	body += advance(limit+2, 1) + get(limit+2) + "\x42\x20\x59\x0d\x01" // leaves after 32 steps
	for range 1 + r.IntN(6) {
		body += statement(0)
	}
	by := byte(1 + r.IntN(2))
	first, second := advance(p, by), advance(i, by)
	if chance(2) {
		first, second = second, first
	}
	return body + first + pick("", "", "", noise()) + second + "\x0c\x00" + blockEnd + blockEnd + get(limit+1) + wrap
}

// FuzzShareAddresses verifies that a function with a loop computes the same after tidy.
func FuzzShareAddresses(f *testing.F) {
	for seed := range uint64(1000) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		body := randomFunctionWithLoop(seed)
		after := tidy(new(scratch), body, false)
		want, got := computeMemory(t, body), computeMemory(t, after)
		if want != got {
			t.Errorf("% x\n% x\n%s, want %s", body, after, got, want)
		}
	})
}

// TestRandomLoopsShareAddresses verifies that FuzzShareAddresses has loops to test.
func TestRandomLoopsShareAddresses(t *testing.T) {
	const seeds, want = 1000, 50
	found := 0
	for seed := range uint64(seeds) {
		body := randomFunctionWithLoop(seed)
		if after := tidy(new(scratch), body, false); after[0] != body[0] {
			found++
		}
	}
	if found < want {
		t.Errorf("%d of %d loops share addresses, want at least %d", found, seeds, want)
	}
}

// computeMemory runs a function and returns its result and the memory as text.
func computeMemory(t *testing.T, body []byte) string {
	t.Helper()
	module := []byte(binary.Header)
	module = binary.AppendSection(module, binary.SectionType, []byte("\x01\x60\x01\x7f\x01\x7f"))
	module = binary.AppendSection(module, binary.SectionFunction, []byte{1, 0})
	module = binary.AppendSection(module, binary.SectionMemory, []byte{1, 0, 1})
	module = binary.AppendSection(module, binary.SectionExport, []byte("\x02\x01f\x00\x00\x01m\x02\x00"))
	code := append(binary.AppendU32([]byte{1}, uint32(len(body))), body...)
	module = binary.AppendSection(module, binary.SectionCode, code)
	module = binary.AppendSection(module, binary.SectionData, []byte("\x01\x00\x41\x00\x0b\x20"+"........\x40\x00\x00\x00\x00\x00\x00\x00\x80\x00\x00\x00\x00\x00\x00\x00........"))
	r := wazero.NewRuntimeWithConfig(t.Context(), wazero.NewRuntimeConfigInterpreter())
	defer r.Close(t.Context())
	m, err := r.Instantiate(t.Context(), module)
	if err != nil {
		t.Fatalf("% x: %v", body, err)
	}
	result, err := m.ExportedFunction("f").Call(t.Context(), 0)
	memory, _ := m.Memory().Read(0, 4096)
	return fmt.Sprint(result, err != nil, memory)
}
