// Package hostile builds modules that try to stop, slow down or exhaust the host. The host
// accepts each of them when it reads the file, so it must stop them when they run.
//
// Modules returns every attack at every entry that a host calls: the start function,
// _initialize, a stage, hooks of a controller, a plugin of Extism and a WASI command. Tests
// and bench/hostile run them.
package hostile
