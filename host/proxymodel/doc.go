// Package proxymodel decides how content is processed: by which ProxyModel, with which
// stages and which config.
//
// A Plan is created for a Snapshot and a set of roles. It checks every ProxyModel, and
// its Resolve does not allocate. Validate returns all errors of one ProxyModel. A config
// is printed as canonical JSON; a guest reads these bytes, and cache keys contain them.
//
// The package does not run stages and does not know modules: it gets roles from the
// Roles interface.
package proxymodel
