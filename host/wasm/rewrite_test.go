package wasm

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/mcpctl/mcpctl/host/wasm/binary"
	"github.com/mcpctl/mcpctl/host/wasm/fuel"
	"github.com/mcpctl/mcpctl/host/wasm/module"
)

// FuzzRewrite verifies that a rewritten module computes the same: results, traps, memory and
// globals.
func FuzzRewrite(f *testing.F) {
	for seed := range uint64(300) {
		f.Add(seed, seed%3 == 0)
	}
	ctx := context.Background()
	engine := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfig().WithCoreFeatures(features))
	yields, refilled := 0, int64(0)
	yield := api.GoFunc(func(_ context.Context, stack []uint64) {
		yields++
		refilled -= int64(api.DecodeI32(stack[0]))
		stack[0] = 0 // so that the next payment calls Yield too
	})
	b := engine.NewHostModuleBuilder(fuel.Namespace)
	b.NewFunctionBuilder().WithGoFunction(yield, yieldSignature.Params, yieldSignature.Results).Export(fuel.Yield)
	if _, err := b.Instantiate(ctx); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, seed uint64, hungry bool) {
		file := (&generator{rng: rand.New(rand.NewPCG(seed, 1))}).module()
		parsed, err := module.Parse(file)
		if err != nil {
			t.Fatal(err)
		}
		original := parsed.WithGlobals()
		want := execute(ctx, t, engine, original, parsed.MutableGlobals())
		run := func(first int32) (executed, int64) {
			rewritten, err := fuel.Rewrite(original, first)
			if err != nil {
				t.Fatal(err)
			}
			yields, refilled = 0, int64(first)
			got := execute(ctx, t, engine, rewritten, parsed.MutableGlobals())
			return got, refilled - int64(got.fuel)
		}
		got, used := run(fuel.Slice)
		if hungry {
			var again int64
			if got, again = run(0); again != used {
				t.Errorf("used %d units of fuel with a Yield at each payment, %d without", again, used)
			}
		}
		if got.text != want.text || !bytes.Equal(got.memory, want.memory) {
			t.Errorf("original:  %s\nrewritten: %s\nmemory equal: %v", want.text, got.text, bytes.Equal(got.memory, want.memory))
		}
		if got.stack != fuel.StackBytes && got.returned {
			t.Errorf("%d bytes of the stack are left, want all %d", got.stack, fuel.StackBytes)
		}
		if hungry && yields == 0 {
			t.Error("Yield was not called")
		}
	})
}

// FuzzRewriteDamaged verifies that a damaged module is valid after the rewrite only if it was
// valid before, and the reverse: both decoders read the same instructions.
func FuzzRewriteDamaged(f *testing.F) {
	for seed := range uint64(400) {
		f.Add(seed)
	}
	ctx := context.Background()
	engine := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfig().WithCoreFeatures(features))
	valid := func(file []byte) bool {
		code, err := engine.CompileModule(ctx, file)
		if err == nil {
			code.Close(ctx)
		}
		return err == nil
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		rng := rand.New(rand.NewPCG(seed, 2))
		whole := (&generator{rng: rand.New(rand.NewPCG(seed%50, 1))}).module()
		for range 4 {
			file := bytes.Clone(whole)
			for range 1 + rng.IntN(3) {
				// Prefixes, block types and numbers that continue are the ones to confuse.
				file[rng.IntN(len(file))] = [...]byte{0xfc, 0xfd, 0x02, 0x03, 0x63, 0x64, 0x80, 0x8c, 0xd0, 0xd2, 0x1c, 0x0e, byte(rng.IntN(256))}[rng.IntN(13)]
			}
			parsed, err := module.Parse(file)
			if err != nil {
				continue
			}
			rewritten, err := fuel.Rewrite(parsed.WithGlobals(), fuel.Slice)
			if err != nil {
				if valid(file) {
					t.Errorf("a valid module is refused: %v\n%x", err, file)
				}
				continue
			}
			if before, after := valid(file), valid(rewritten); before != after {
				t.Errorf("valid %v, after the rewrite %v\n%x", before, after, file)
			}
		}
	})
}

// executed is the result of a module: results or trap, and globals, as text.
type executed struct {
	text     string
	memory   []byte
	returned bool   // it did not trap
	stack    uint64 // the counters; 0 in an original module
	fuel     int32
}

func execute(ctx context.Context, t *testing.T, engine wazero.Runtime, file []byte, globals int) executed {
	t.Helper()
	code, err := engine.CompileModule(ctx, file)
	if err != nil {
		t.Fatal(err)
	}
	defer code.Close(ctx)
	m, err := engine.InstantiateModule(ctx, code, wazero.NewModuleConfig().WithName(""))
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close(ctx)
	results, err := m.ExportedFunction("main").Call(ctx)
	text := fmt.Sprint(results)
	if err != nil {
		text = trapText(err)
	}
	for n := range globals {
		text += fmt.Sprintf(" %d", m.ExportedGlobal(module.GlobalName(n)).Get())
	}
	memory, _ := m.Memory().Read(0, m.Memory().Size())
	e := executed{text: text, memory: slices.Clone(memory), returned: err == nil}
	if g := m.ExportedGlobal(fuel.StackGlobal); g != nil {
		e.stack, e.fuel = g.Get(), api.DecodeI32(m.ExportedGlobal(fuel.FuelGlobal).Get())
	}
	return e
}

// generator creates random valid modules that end: each function lowers a global, and
// returns at once when that is used up. All values are i32.
type generator struct {
	rng    *rand.Rand
	out    []byte
	sig    binary.Signature // of the current function
	depth  int              // of statements inside each other
	labels []bool           // of the blocks around the current instruction, from the outermost: whether a branch may lead there
	loops  int
}

const (
	generated = 6 // functions
	variables = 4 // locals of each function, after its parameters
	counters  = 3 // locals of loops, after them
	gas       = 0 // the global that ends the program
)

// shapes are the types of functions: numbers of parameters and results.
var shapes = [...][2]int{{0, 0}, {2, 1}, {1, 2}, {0, 3}, {0, 1}}

func shapeOf(function int) int { return function % len(shapes) }

func ints(n int) []byte { return bytes.Repeat([]byte{binary.TypeI32}, n) }

func (g *generator) module() []byte {
	types := make([][]byte, len(shapes))
	for i, s := range shapes {
		types[i] = encodeType(binary.Signature{Params: ints(s[0]), Results: ints(s[1])})
	}
	var kinds, bodies, table [][]byte
	for i := range generated {
		kinds = append(kinds, []byte{byte(shapeOf(i))})
		bodies = append(bodies, bytesOf(g.function(i)))
		table = append(table, []byte{byte(i)})
	}
	globals := vector(slices.Concat([]byte{binary.TypeI32, 1, i32const}, sleb(300), []byte{end}), []byte{binary.TypeI32, 1, i32const, 7, end})
	return slices.Concat(header,
		sectionOf(binary.SectionType, vector(types...)), sectionOf(binary.SectionFunction, vector(kinds...)),
		sectionOf(binary.SectionTable, []byte{1, binary.TypeFuncref, 0, generated}), sectionOf(binary.SectionMemory, []byte{1, 1, 1, 3}),
		sectionOf(binary.SectionGlobal, globals),
		sectionOf(binary.SectionExport, vector(append(bytesOf([]byte("main")), binary.KindFunction, 3), append(bytesOf([]byte("memory")), binary.KindMemory, 0))),
		sectionOf(binary.SectionElement, slices.Concat([]byte{1, 0, i32const, 0, end}, vector(table...))),
		sectionOf(binary.SectionCode, vector(bodies...)))
}

func (g *generator) emit(code ...byte) { g.out = append(g.out, code...) }

func (g *generator) function(i int) []byte {
	shape := shapes[shapeOf(i)]
	g.out, g.depth, g.labels, g.loops = nil, 0, nil, 0
	g.sig = binary.Signature{Params: ints(shape[0]), Results: ints(shape[1])}
	g.emit(1, variables+counters, binary.TypeI32)
	g.emit(binary.OpGlobalGet, gas, i32const, 1, binary.OpI32Sub, binary.OpGlobalSet, gas)
	g.emit(binary.OpGlobalGet, gas, i32const, 0, binary.OpI32LtS, binary.OpIf, binary.BlockVoid)
	g.results()
	g.emit(binary.OpReturn, end)
	for range 1 + g.rng.IntN(5) {
		g.statement()
	}
	g.results()
	g.emit(end)
	return g.out
}

// results pushes the results of the function.
func (g *generator) results() {
	for range g.sig.Results {
		g.emit(i32const, byte(g.rng.IntN(60)))
	}
}

func (g *generator) variable() byte { return byte(g.rng.IntN(len(g.sig.Params) + variables)) }

// address pushes an address that is nearly always within the memory.
func (g *generator) address() {
	g.value()
	if g.rng.IntN(40) > 0 {
		g.emit(i32const)
		g.emit(sleb(0x3fff)...)
		g.emit(0x71) // and
	}
}

// value pushes a number.
func (g *generator) value() {
	if g.depth++; g.depth > 5 {
		g.emit(binary.OpLocalGet, g.variable())
		g.depth--
		return
	}
	defer func() { g.depth-- }()
	switch g.rng.IntN(12) {
	case 0, 1:
		g.emit(i32const, byte(g.rng.IntN(64)))
	case 2, 3:
		g.emit(binary.OpLocalGet, g.variable())
	case 4:
		g.emit(binary.OpGlobalGet, 1)
	case 5:
		g.address()
		g.emit(binary.OpI32Load, 2, 4)
	case 6:
		g.value()
		g.emit(binary.OpIf, binary.TypeI32)
		g.within(false, func() {
			g.value()
			g.emit(binary.OpElse)
			g.value()
		})
	case 7:
		g.call(4) // () -> i32
	case 8:
		g.emit(i32const, byte(g.rng.IntN(2)), binary.OpMemoryGrow, 0)
	default:
		g.value()
		g.value()
		g.emit([]byte{binary.OpI32Add, binary.OpI32Sub, 0x6c, 0x73, 0x6d, binary.OpI32ShrU, binary.OpI32Eq}[g.rng.IntN(7)])
	}
}

// call calls a function with a shape, or all functions of its type through the table.
func (g *generator) call(shape int) {
	for range shapes[shape][0] {
		g.value()
	}
	if g.rng.IntN(2) == 0 {
		g.emit(binary.OpCall, byte(shape))
		return
	}
	g.emit(i32const, byte(g.rng.IntN(generated)), binary.OpCallIndirect, byte(shape), 0) // traps if the type differs
}

// statement leaves nothing on the stack.
func (g *generator) statement() {
	if g.depth++; g.depth > 5 {
		g.depth--
		return
	}
	defer func() { g.depth-- }()
	switch g.rng.IntN(13) {
	case 0, 1:
		g.value()
		g.emit(binary.OpLocalSet, g.variable())
	case 2:
		g.value()
		g.emit(binary.OpGlobalSet, 1)
	case 3:
		g.address()
		g.value()
		g.emit(binary.OpI32Store, 2, 0)
	case 4, 5:
		g.loop()
	case 6:
		g.emit(binary.OpBlock, binary.BlockVoid)
		g.within(true, func() {
			g.statement()
			g.value()
			g.emit(binary.OpBrIf, g.label())
			g.statement()
		})
	case 7:
		g.emit(binary.OpBlock, binary.BlockVoid)
		g.within(true, func() {
			g.emit(binary.OpBlock, binary.BlockVoid)
			g.within(true, func() {
				g.value()
				g.emit(binary.OpBrTable, 2, g.label(), g.label(), g.label())
			})
			g.statement()
		})
	case 8:
		g.value()
		g.emit(binary.OpIf, binary.BlockVoid)
		g.within(true, func() {
			g.results()
			g.emit(binary.OpReturn)
		})
	case 9:
		shape := g.rng.IntN(len(shapes))
		g.call(shape)
		for range shapes[shape][1] {
			g.emit(drop)
		}
	case 10:
		g.address()
		g.value()
		g.emit(i32const, byte(g.rng.IntN(64)), binary.OpPrefixMisc, binary.MiscMemoryFill, 0)
	case 11:
		g.address()
		g.address()
		g.emit(i32const, byte(g.rng.IntN(64)), binary.OpPrefixMisc, binary.MiscMemoryCopy, 0, 0)
	case 12:
		g.emit(i32const, byte(g.rng.IntN(generated)), i32const, byte(g.rng.IntN(generated)), i32const, 1, binary.OpPrefixMisc, binary.MiscTableCopy, 0, 0)
	}
}

// within generates code in a block and its end. A branch must not lead to a block with a
// value, nor to a loop, which it would repeat without its counter.
func (g *generator) within(branches bool, generate func()) {
	g.labels = append(g.labels, branches)
	generate()
	g.labels = g.labels[:len(g.labels)-1]
	g.emit(end)
}

// label returns the index of a random block to which a branch may lead.
func (g *generator) label() byte {
	var all []byte
	for i, branches := range g.labels {
		if branches {
			all = append(all, byte(len(g.labels)-1-i))
		}
	}
	return all[g.rng.IntN(len(all))]
}

// loop repeats statements a few times. It has no parameters and no result, or a result, or
// two parameters and a result.
func (g *generator) loop() {
	if g.loops == counters {
		return
	}
	counter := byte(len(g.sig.Params) + variables + g.loops)
	g.loops++
	defer func() { g.loops-- }()
	repeat := func() {
		g.emit(binary.OpLocalGet, counter, i32const, 1, binary.OpI32Sub, binary.OpLocalTee, counter, binary.OpBrIf, 0)
	}
	g.emit(i32const, byte(1+g.rng.IntN(4)), binary.OpLocalSet, counter)
	switch g.rng.IntN(4) {
	case 0:
		g.emit(binary.OpLoop, binary.TypeI32)
		g.within(false, func() {
			g.statement()
			repeat()
			g.value()
		})
		g.emit(binary.OpLocalSet, g.variable())
	case 1:
		g.value()
		g.value()
		g.emit(binary.OpLoop, 1) // the type of shapes[1]
		g.within(false, func() {
			g.emit(binary.OpLocalSet, g.variable(), binary.OpLocalSet, g.variable())
			g.statement()
			g.value()
			g.value()
			repeat()
			g.emit(binary.OpI32Add)
		})
		g.emit(binary.OpLocalSet, g.variable())
	default:
		g.emit(binary.OpLoop, binary.BlockVoid)
		g.within(false, func() {
			g.statement()
			g.statement()
			repeat()
		})
	}
}
