// Package abi defines the contract between the host and WebAssembly modules: the names
// and numbers that a module uses (zz_abi_gen.go, generated from abi.json), and the
// types that describe a call and its output.
//
// It imports only the standard library. It contains no behaviour except for rules that
// are part of the contract: the syntax of section ids (ids.go), the estimate of tokens
// (tokens.go) and the manifest (manifest.go). docs/abi.md is the reference.
package abi
