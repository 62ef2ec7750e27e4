// Package rbac decides what the users and service accounts of a team server may do.
//
// Compile turns accounts and bindings into a Policy, which never changes. Policy.Allows
// decides one Request of one Subject, and Policy.Explain names the bindings that allow it.
// Bindings only allow: what no binding allows is denied.
//
// The package does not authenticate, does not store anything, and does not know which
// request of a client needs which verb.
package rbac
