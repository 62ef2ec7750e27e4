// Package proxymodel finds out what happens to one piece of content: which
// ProxyModel serves it, and with which stages and config.
//
// A Plan is made once for a Snapshot and a set of roles; it checks every
// ProxyModel that is named and answers Resolve without allocating. Validate
// tells all mistakes of one ProxyModel. A config is printed as canonical JSON:
// the bytes that a guest reads and a cache key covers.
//
// The package runs nothing and knows no module: roles come through the Roles
// interface.
package proxymodel
