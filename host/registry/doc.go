// Package registry knows which module plays a role, and keeps that true while
// files change.
//
// [Open] loads the built-in modules in the background, then every file of
// stages/*.wasm, whose roles win over built-in ones of the same name. A changed
// file is loaded beside the version that serves; calls that began with a version
// end with it ([Registry.Acquire]). A version that cannot be loaded, or that
// breaks three times while it is new ([Registry.ReportFailure]), leaves the last
// good one in service unless that lacks one of its roles, and [Registry.Status] says why.
//
// The package also holds the one file watcher of the home. Of folders other
// than stages/ it only says that their content changed ([Registry.Changes]).
//
// It runs no module and reads no object: a [Loader] makes modules of files.
package registry
