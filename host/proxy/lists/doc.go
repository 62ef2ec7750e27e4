// Package lists joins the lists of a project's servers into the ones that a client
// gets, and finds the server of each name and URI in them.
//
// Join writes one list. Tools, Addresses and the name table of the prompts hold the
// result for lookups. Where controllers edit the list of tools, NewSteeredTools lets an
// Editor change it first.
//
// It does not read lists from servers: package catalog does.
package lists
