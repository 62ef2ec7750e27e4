// Package imports implements the functions that guests import: the ABI's, WASI
// without files, clock or network, and AssemblyScript's abort.
//
// A Call is the state of one call of a guest: everything that the functions read and
// write. Functions lists them for an engine, which invokes each as Func.Invoke. The
// package does not run guests and does not depend on the engine.
package imports
