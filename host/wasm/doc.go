// Package wasm compiles WebAssembly modules and runs their roles.
//
// Runtime.Load checks and compiles a file and starts it once. Module.Guest returns a
// stage or filter, and Guest.Run runs it on one Content; Module.Controller returns a
// controller, and Controller.Hook runs one of its hooks and returns the changes it
// wants. Each call has a clean instance. Guests have no files, sockets, clocks or
// random numbers; everything they can do is in package imports.
//
// A fault of a guest is always returned as an error that wraps abi.ErrGuest or
// abi.ErrLimit; it never ends the host.
//
// The package does not choose modules, order stages or controllers, cache results, keep
// the state of sessions or commit the changes of a hook.
package wasm
