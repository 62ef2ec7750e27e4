// Package registry maps roles to modules and reloads modules when their files
// change.
//
// [Open] loads the built-in modules in the background, then every file
// stages/*.wasm. Roles of files override built-in roles of the same name. A new
// version of a file is loaded while the current version serves; a call finishes
// with the version that it started with ([Registry.Acquire]). If a new version
// cannot be loaded, the previous one stays in service. If it fails three times
// ([Registry.ReportFailure]), the registry returns to the previous one, unless
// that lacks a role of the new one. [Registry.Status] reports the reason.
//
// The package also contains the only file watcher of the home. For directories
// other than stages/ it reports only that their content changed
// ([Registry.Changes]).
//
// It does not run modules or parse objects: a [Loader] compiles the files.
package registry
