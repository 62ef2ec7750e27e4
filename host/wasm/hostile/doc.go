// Package hostile builds modules that try to stop, slow down or exhaust the host. Each is
// valid and within all limits on files; only running it shows what it does.
//
// Modules returns every attack at every entry that a host calls: the start function,
// _initialize, a stage, hooks of a controller, a plugin of Extism and a WASI command. Tests
// and bench/hostile run them.
package hostile
