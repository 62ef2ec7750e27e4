package proxymodel

import "fmt"

// BrokenError says that a content has no ProxyModel that works. Nobody can then
// say whether a filter belongs before it, so the content is withheld.
//
// Its text is what a client may read: one line that names the object and where
// to look, no file and no source. What the mistakes are is behind Unwrap:
// object.Errors, or the *object.FieldError of a reference that leads nowhere.
type BrokenError struct {
	KindName string // "proxymodel", or "project" for one that names what is not there
	Name     string
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

// Unwrap gives the mistakes.
func (e *BrokenError) Unwrap() error { return e.Err }
