// Package wasm makes a .wasm file into a Module and runs its roles.
//
// Load reads and checks a file, compiles it and tries it once. Module.Guest gives
// one of its stages or filters ready to run, Guest.Run runs it over one Content;
// Module.Controller gives a controller, Controller.Hook runs one of its hooks and
// returns what it wants changed. Each time it is in a new instance that is thrown
// away afterwards. Everything a guest can see or do goes through the imports of
// this package (hostfunc.go, import_*.go): there are no files, sockets, clocks or
// random numbers behind them.
//
// A guest's fault never leaves this package as anything but an error that wraps
// abi.ErrGuest or abi.ErrLimit.
//
// It does not choose modules, order stages or controllers, cache results, keep the
// state of sessions or commit what a hook wants.
package wasm
