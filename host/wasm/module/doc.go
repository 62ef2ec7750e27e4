// Package module reads WebAssembly module files: their declarations, the manifest in
// them, and the contract between a module and the host.
//
// Check parses a file and verifies everything that can be verified without
// compiling it; the resulting File holds the bytes to compile. Inspect returns
// the Info that people see. WithManifest and WithProducers write custom sections
// when a plugin is packed.
//
// The package does not compile or run code.
package module
