package proxymodel

import "fmt"

// BrokenError is the error for content with an invalid ProxyModel. The ProxyModel may
// contain a filter, so the content is withheld.
//
// Its text is safe for clients: one line with the object and a command, without file and
// source. Unwrap returns the details: strictyaml.Errors, or the *strictyaml.FieldError
// of a reference to a missing ProxyModel.
type BrokenError struct {
	KindName string // "proxymodel", or "project" if it refers to a missing ProxyModel
	Name     string
	Serves   string // the replacement; empty: content is withheld
	Missing  string // the missing filter that content is withheld for, if known
	Err      error
}

// Error returns the line for clients.
func (e *BrokenError) Error() string {
	fault := "has mistakes"
	if e.KindName == "project" {
		fault = "names a proxymodel that is not there"
	}
	return fmt.Sprintf("%s %q %s, nothing is shown: see mcpctl describe %s %s", e.KindName, e.Name, fault, e.KindName, e.Name)
}

// State describes in one line how content is handled until the object is corrected.
func (e *BrokenError) State() string {
	handling := e.Serves
	switch {
	case handling == "" && e.Missing != "":
		handling = fmt.Sprintf("content is withheld, because %q is missing and may be a filter", e.Missing)
	case handling == "":
		handling = "content is withheld, because a filter may be missing"
	}
	return fmt.Sprintf("%s %q is invalid: until it is corrected %s", e.KindName, e.Name, handling)
}

// Unwrap returns the details.
func (e *BrokenError) Unwrap() error { return e.Err }
