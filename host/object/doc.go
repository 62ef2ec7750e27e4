// Package object defines the Kinds that a user writes: Server, Project, ProxyModel,
// Prompt and PromptRequest; and User, Group, ServiceAccount and RbacBinding, which only a
// team server stores. It decodes them strictly from YAML, validates them and prints them
// canonically.
//
// Decode turns a file into Objects, or into strictyaml.Errors with all errors of the
// file. EncodeJSON and EncodeYAML print an Object with its credentials masked.
//
// The package does not read or write files (see host/store), does not know which roles
// exist (see host/proxymodel), and does not expand a ${VAR} before it is used.
package object
