package hostile

import (
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
