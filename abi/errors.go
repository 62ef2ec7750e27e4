package abi

import (
	"errors"
	"fmt"
)

// Error kinds that callers act on. Test with errors.Is; the text of the error
// that wraps one says who, what, the two figures and the way out.
var (
	// ErrNotFound: no such object, module, role, ref or section.
	ErrNotFound = errors.New("not found")
	// ErrConfig: what a person wrote is wrong: YAML, config value, name.
	ErrConfig = errors.New("invalid configuration")
	// ErrLimit: a limit was reached; the text names it, the figure and its key.
	ErrLimit = errors.New("limit reached")
	// ErrGuest: a module trapped, answered wrongly or failed. Never the user's failure.
	ErrGuest = errors.New("guest failed")
	// ErrRefused: a module that works said FAIL, with a reason or without: most
	// often its config or the content is not to its liking. It is an ErrGuest.
	ErrRefused = fmt.Errorf("%w in order", ErrGuest)
	// ErrUnavailable: not reachable or not ready now; trying again may help.
	ErrUnavailable = errors.New("unavailable")
	// ErrDenied: not granted.
	ErrDenied = errors.New("denied")
	// ErrConflict: the name or place is taken.
	ErrConflict = errors.New("conflict")
)
