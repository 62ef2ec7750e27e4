package hostile

import (
	"slices"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/wasm/binary"
)

// Module is one attack at one entry.
type Module struct {
	Name    string // attack@entry
	Role    string
	Hook    abi.Hook // of the controller that attacks; empty: a stage
	OnLoad  bool     // the attack is in a function that runs when the module is loaded
	Endless bool     // only a limit on time or on the stack ends it
	File    []byte
}

// Role is the name of the only role of each module.
const Role = "head"

const extism = "extism"

// entries are the functions in which an attack runs.
var entries = []struct {
	name   string
	hook   abi.Hook
	onLoad bool
	build  func(b *builder, attack []byte)
}{
	{"start", "", true, func(b *builder, attack []byte) {
		b.native(nil)
		b.start = b.function("", "", "", attack)
	}},
	{"initialize", "", true, func(b *builder, attack []byte) {
		b.native(nil)
		b.function(abi.ExportInitialize, "", "", attack)
	}},
	{"stage", "", false, func(b *builder, attack []byte) { b.native(attack) }},
	{"hook-initialize", abi.OnInitialize, false, func(b *builder, attack []byte) { b.controller(abi.OnInitialize, attack) }},
	{"hook-tool-call", abi.OnToolCall, false, func(b *builder, attack []byte) { b.controller(abi.OnToolCall, attack) }},
	{extism, "", false, func(b *builder, attack []byte) {
		b.function("transform", "", "i", append(attack, binary.OpI32Const, 0))
	}},
	{"wasi", "", false, func(b *builder, attack []byte) { b.function("_start", "", "", attack) }},
}

// Modules returns all modules.
func Modules() []Module {
	var all []Module
	for _, a := range attacks {
		for _, e := range entries {
			b := newBuilder(e.name == extism)
			e.build(b, a.build(b))
			all = append(all, Module{Name: a.name + "@" + e.name, Role: Role, Hook: e.hook, OnLoad: e.onLoad, Endless: a.endless, File: b.encode()})
		}
	}
	return all
}

// Busy returns a stage that stays within its limits: it computes for some 0.3 s of each
// call.
func Busy() Module {
	const iterations = 200_000_000
	b := newBuilder(false)
	// The local counts down to 0.
	b.native(slices.Concat(i32(iterations), local(binary.OpLocalSet, 0), []byte{binary.OpLoop, binary.BlockVoid},
		local(binary.OpLocalGet, 0), i32(1), []byte{binary.OpI32Sub}, local(binary.OpLocalTee, 0), []byte{binary.OpBrIf, 0, binary.OpEnd}))
	return Module{Name: "busy", Role: Role, File: b.encode()}
}

// CompileBomb returns a stage that takes long to compile: in each of 1,000 loops inside
// each other the value of 10,000 locals may have changed.
func CompileBomb() Module {
	const loops, variables = 1000, 10_000 - 10
	b := newBuilder(false)
	code := repeat(loops, []byte{binary.OpLoop, binary.BlockVoid})
	for i := range variables {
		code = binary.AppendU32(append(code, binary.OpLocalGet), uint32(6+i))
		code = append(code, binary.OpI32Const, 1, binary.OpI32Add, binary.OpLocalSet)
		code = binary.AppendU32(code, uint32(6+i))
	}
	code = append(code, repeat(loops, local(binary.OpLocalGet, 0), []byte{binary.OpBrIf, 0, binary.OpEnd})...)
	b.more = variables
	b.native(code)
	return Module{Name: "compile-bomb", Role: Role, File: b.encode()}
}
