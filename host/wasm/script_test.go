package wasm

import (
	"cmp"
	"context"
	le "encoding/binary"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/wasm/binary"
	"github.com/mcpctl/mcpctl/host/wasm/module"
)

// script is a guest that calls imports in sequence. A test adds calls and reads their
// results. It is assembled here, so that tests need no toolchain.
//
// Memory from 0 to 64 KiB is for the test (data puts bytes there); the results of the calls
// follow, and texts among the arguments.
type script struct {
	pages    byte
	datas    []segment
	imports  []module.Import
	code     []byte
	calls    int
	entry    string // export of the code; empty: the stage
	texts    int    // bytes of texts among the arguments
	manifest string
	exports  []string // names of further functions () -> ()
	hooks    []string // names of further functions () -> i32
	init     []byte   // body of _initialize
	start    []byte   // body of a start function
	noMarker bool
	noResult bool // keeps no results: the guest needs no cache
	result   int32
}

type segment struct {
	at   int
	data string
}

// ref is the result of an earlier call, as an argument of a later one.
type ref int

const resultsAt = 64 << 10

// textsAt is the address of texts among the arguments, after the results.
const textsAt = 2 * resultsAt

func (s *script) data(at int, text string) *script {
	s.datas = append(s.datas, segment{at, text})
	return s
}

// call adds a call of a function of the ABI. Its result is kept.
func (s *script) call(name string, args ...any) ref {
	ns := abi.NSCore
	for _, i := range abi.Imports {
		if i.Name == name {
			ns = i.Namespace
			break
		}
	}
	return s.callOf(ns, name, binary.TypeI32, args...)
}

func (s *script) callOf(ns, name string, result byte, args ...any) ref {
	sig := binary.Signature{Params: make([]byte, len(args))}
	if result != 0 {
		sig.Results = []byte{result}
	}
	var push []byte
	extra := 0
	for i, a := range args {
		switch a := a.(type) {
		case int:
			sig.Params[i] = binary.TypeI32
			push = append(append(push, 0x41), sleb(int64(int32(a)))...)
		case int64:
			sig.Params[i] = binary.TypeI64
			push = append(append(push, 0x42), sleb(a)...)
		case string: // two parameters
			sig.Params[i] = binary.TypeI32
			extra++
			push = append(append(push, 0x41), sleb(int64(textsAt+s.texts))...)
			push = append(append(push, 0x41), sleb(int64(len(a)))...)
			s.data(textsAt+s.texts, a)
			s.texts += len(a)
		case ref:
			sig.Params[i] = binary.TypeI32
			push = append(append(push, 0x41), sleb(int64(resultsAt+4*int(a)))...)
			push = append(push, 0x28, 2, 0) // i32.load
		}
	}
	sig.Params = append(sig.Params, slices.Repeat([]byte{binary.TypeI32}, extra)...) // texts are combined with i32 only
	at := append([]byte{0x41}, sleb(int64(resultsAt+4*s.calls))...)
	if result == 0 {
		s.code = append(s.code, push...)
		s.code = append(append(s.code, 0x10), uleb(s.importIndex(ns, name, sig))...)
		return -1
	}
	s.code = append(append(s.code, at...), push...)
	s.code = append(append(s.code, 0x10), uleb(s.importIndex(ns, name, sig))...)
	s.code = append(s.code, 0x36, 2, 0) // i32.store
	s.calls++
	return ref(s.calls - 1)
}

func (s *script) importIndex(ns, name string, sig binary.Signature) int {
	for i, have := range s.imports {
		if have.Module == ns && have.Name == name && have.Signature.Equal(sig) {
			return i
		}
	}
	s.imports = append(s.imports, module.Import{Module: ns, Name: name, Signature: sig})
	return len(s.imports) - 1
}

// raw adds instructions.
func (s *script) raw(code ...byte) *script {
	s.code = append(s.code, code...)
	return s
}

// repeat runs the code that body adds n times.
func (s *script) repeat(n int, body func()) {
	const counter = 0 // the only local
	s.code = append(append(s.code, 0x41), sleb(int64(n))...)
	s.raw(0x21, counter, 0x03, 0x40) // local.set; loop
	body()
	s.raw(0x20, counter, 0x41, 1, 0x6b, 0x22, counter, 0x0d, 0, 0x0b) // counter--; br_if; end
}

// returns sets the return code of the stage; default: DONE.
func (s *script) returns(code int) *script {
	s.result = int32(code)
	return s
}

func sleb(v int64) []byte {
	var out []byte
	for {
		c := byte(v & 0x7f)
		v >>= 7
		if v == 0 && c&0x40 == 0 || v == -1 && c&0x40 != 0 {
			return append(out, c)
		}
		out = append(out, c|0x80)
	}
}

func uleb(n int) []byte { return le.AppendUvarint(nil, uint64(n)) }

func vector(parts ...[]byte) []byte {
	return append(uleb(len(parts)), slices.Concat(parts...)...)
}

func bytesOf(b []byte) []byte { return append(uleb(len(b)), b...) }

func sectionOf(id byte, body []byte) []byte { return append([]byte{id}, bytesOf(body)...) }

func encodeType(t binary.Signature) []byte {
	return slices.Concat([]byte{0x60}, bytesOf(t.Params), bytesOf(t.Results))
}

// keepKey is the key of a script's results in the cache.
const keepKey = "results"

// wasm assembles the module.
func (s *script) wasm() []byte {
	if !s.noResult {
		s.data(resultsAt-16, keepKey)
		s.call(abi.FuncCacheSet, resultsAt-16, len(keepKey), 0, resultsAt+4*s.calls)
		s.calls--
	}
	types := [][]byte{encodeType(binary.Signature{}), encodeType(binary.Signature{Results: []byte{binary.TypeI32}})}
	var imports [][]byte
	for _, i := range s.imports {
		imports = append(imports, slices.Concat(bytesOf([]byte(i.Module)), bytesOf([]byte(i.Name)), []byte{0}, uleb(len(types))))
		types = append(types, encodeType(i.Signature))
	}
	var functions, bodies, exports [][]byte
	function := func(kind byte, name string, locals, code []byte) {
		if name != "" {
			exports = append(exports, slices.Concat(bytesOf([]byte(name)), []byte{0}, uleb(len(imports)+len(functions))))
		}
		functions = append(functions, []byte{kind})
		bodies = append(bodies, bytesOf(slices.Concat(locals, code, []byte{0x0b})))
	}
	function(1, cmp.Or(s.entry, abi.ExportStage), []byte{1, 1, binary.TypeI32}, slices.Concat(s.code, []byte{0x41}, sleb(int64(s.result))))
	if !s.noMarker {
		function(0, abi.ExportMarker, []byte{0}, nil)
	}
	for _, e := range s.exports {
		function(0, e, []byte{0}, nil)
	}
	for _, h := range s.hooks {
		function(1, h, []byte{0}, []byte{0x41, abi.ReturnPass})
	}
	if s.init != nil {
		function(0, abi.ExportInitialize, []byte{0}, s.init)
	}
	if s.start != nil {
		function(0, "", []byte{0}, s.start)
	}
	exports = append(exports, slices.Concat(bytesOf([]byte(abi.ExportMemory)), []byte{2, 0}))
	var datas [][]byte
	for _, d := range s.datas {
		datas = append(datas, slices.Concat([]byte{0, 0x41}, sleb(int64(d.at)), []byte{0x0b}, bytesOf([]byte(d.data))))
	}
	out := []byte(binary.Header[:4] + "\x01\x00\x00\x00")
	out = append(out, sectionOf(binary.SectionType, vector(types...))...)
	out = append(out, sectionOf(binary.SectionImport, vector(imports...))...)
	out = append(out, sectionOf(binary.SectionFunction, vector(functions...))...)
	out = append(out, sectionOf(binary.SectionMemory, []byte{1, 0, max(s.pages, byte(3+s.texts>>16))})...)
	out = append(out, sectionOf(binary.SectionExport, vector(exports...))...)
	if s.start != nil {
		out = append(out, sectionOf(binary.SectionStart, uleb(len(imports)+len(functions)-1))...)
	}
	out = append(out, sectionOf(binary.SectionCode, vector(bodies...))...)
	out = append(out, sectionOf(binary.SectionData, vector(datas...))...)
	if s.manifest != "" {
		out = append(out, customSection(abi.ManifestSection, []byte(s.manifest))...)
	}
	return out
}

func customSection(name string, body []byte) []byte {
	return sectionOf(binary.SectionCustom, append(bytesOf([]byte(name)), body...))
}

// memoryKV is a KV in a map.
type memoryKV struct {
	mu     sync.Mutex
	values map[Namespace]map[string][]byte
	full   error // the result of Set, if not nil
}

func (kv *memoryKV) Get(ns Namespace, key []byte) ([]byte, bool) {
	kv.mu.Lock()
	defer kv.mu.Unlock()
	v, ok := kv.values[ns][string(key)]
	return v, ok
}

func (kv *memoryKV) Set(ns Namespace, key, value []byte) error {
	kv.mu.Lock()
	defer kv.mu.Unlock()
	if kv.full != nil && string(key) != keepKey {
		return kv.full
	}
	if kv.values == nil {
		kv.values = make(map[Namespace]map[string][]byte)
	}
	if kv.values[ns] == nil {
		kv.values[ns] = make(map[string][]byte)
	}
	kv.values[ns][string(key)] = slices.Clone(value)
	return nil
}

// results returns the results of the last script.
func (kv *memoryKV) results() []byte {
	kv.mu.Lock()
	defer kv.mu.Unlock()
	for _, m := range kv.values {
		if v, ok := m[keepKey]; ok {
			return v
		}
	}
	return nil
}

// forget removes the results of earlier scripts.
func (kv *memoryKV) forget() {
	kv.mu.Lock()
	defer kv.mu.Unlock()
	for _, m := range kv.values {
		delete(m, keepKey)
	}
}

// bench is a Runtime with fakes.
type bench struct {
	*Runtime
	kv *memoryKV
}

// newBench returns a bench whose guests have more time than any machine needs. Tests of
// the clock give less time, only to modules that nothing else ends.
func newBench(t testing.TB, change func(*Options)) *bench {
	t.Helper()
	b := &bench{kv: &memoryKV{}}
	o := Options{KV: b.kv, Limits: Limits{Time: time.Minute}}
	if os.Getenv("MCPCTL_TEST_PROCESSES") != "" && time.Now().Year() > 2000 { // the clock of synctest is in 2000, and stops for no process
		isolate(t, &o)
	}
	if change != nil {
		change(&o)
	}
	r, err := Open(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close(context.Background()) })
	b.Runtime = r
	return b
}

// guest loads a trusted module and returns its role of the same name.
func (b *bench) guest(t testing.TB, name string, file []byte) Guest {
	return b.role(t, name, file, true)
}

// role loads a module and returns its role of the same name.
func (b *bench) role(t testing.TB, name string, file []byte, trusted bool) Guest {
	t.Helper()
	m, err := b.Load(context.Background(), name, file, trusted)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	g, err := m.Guest(name)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// ran is the result of a script: the results of its calls, and its memory.
type ran struct {
	results []int32
	memory  []byte
	out     abi.Output
	err     error
}

func (r ran) u32(at int) int { return int(le.LittleEndian.Uint32(r.memory[at:])) }

// run runs a script with a call.
func (b *bench) run(t testing.TB, s *script, c abi.Call) ran {
	t.Helper()
	g := b.guest(t, "script", s.wasm())
	b.kv.forget()
	out, err := g.Run(context.Background(), c)
	left := b.kv.results()
	r := ran{out: out, err: err}
	if len(left) < resultsAt {
		return r
	}
	r.memory = left[:resultsAt]
	for rest := left[resultsAt:]; len(rest) >= 4; rest = rest[4:] {
		r.results = append(r.results, int32(le.LittleEndian.Uint32(rest)))
	}
	return r
}

// content returns the Call of the first stage of a pipeline.
func content(text string) abi.Call {
	b := []byte(text)
	return abi.Call{Input: b, Original: b, Context: abi.Context{Project: "home", Source: "files/read", ContentType: abi.ToolResult}}
}
