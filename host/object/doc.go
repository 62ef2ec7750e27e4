// Package object holds the Kinds that a person writes: Server, Project,
// ProxyModel, Prompt and PromptRequest. It reads them strictly from YAML,
// prints them canonically, and keeps them as files under the home.
//
// Decode turns a file into Objects or into Errors: every mistake of the file at
// once, each with its position. Store is the file source: it loads a Snapshot,
// an immutable view of all Objects, and writes single ones. ParsePlugin reads
// the plugin.yaml of a plugin folder with the same strictness.
//
// The package does not watch files, does not know which roles exist (see
// host/proxymodel) and never resolves a ${VAR} before somebody uses it.
package object
