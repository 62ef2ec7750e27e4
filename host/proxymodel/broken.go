package proxymodel

import "fmt"

// BrokenError says that a content has no ProxyModel that works. Nobody can then
// say whether a filter belongs before it, so the content is withheld.
//
// Its text is what a client may read: one line that names the object and where
// to look, no file and no source. What the mistakes are is behind Unwrap:
// object.Errors, or the *object.FieldError of a reference that leads nowhere.
type BrokenError struct {
	KindName string // "proxymodel", or "project" for one that names what does not exist
	Name     string
	Serves   string // what serves in its place; empty: content is withheld
	Missing  string // the filter for which content is withheld, if it is known
	Err      error
}

// Error is the line for clients.
func (e *BrokenError) Error() string {
	what := "has mistakes"
	if e.KindName == "project" {
		what = "names a proxymodel that is not there"
	}
	return fmt.Sprintf("%s %q %s, nothing is shown: see mcpctl describe %s %s", e.KindName, e.Name, what, e.KindName, e.Name)
}

// State says in one line what content gets until the object is corrected.
func (e *BrokenError) State() string {
	what := e.Serves
	switch {
	case what == "" && e.Missing != "":
		what = fmt.Sprintf("content is withheld, for %q is missing and may be a filter", e.Missing)
	case what == "":
		what = "content is withheld, for a filter may be missing"
	}
	return fmt.Sprintf("%s %q is invalid: until it is corrected %s", e.KindName, e.Name, what)
}

// Unwrap gives the mistakes.
func (e *BrokenError) Unwrap() error { return e.Err }
