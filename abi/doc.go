// Package abi is the contract between the host and everything that plugs into
// it: the names and numbers a Wasm module sees (zz_abi_gen.go, generated from
// abi.json), and the types that cross a border between two host packages.
//
// It imports the standard library only and holds no behaviour beyond what the
// contract itself fixes: how a section id is spelled (ids.go), how tokens are
// estimated (tokens.go), how a manifest is read (manifest.go).
package abi
