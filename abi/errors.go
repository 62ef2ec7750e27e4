package abi

import (
	"errors"
	"fmt"
)

// Error kinds that callers act on. Test for them with errors.Is. The message of the
// wrapping error describes the object, the failure and, for limits, both values.
var (
	// ErrNotFound means that an object, module, role, ref or section does not exist.
	ErrNotFound = errors.New("not found")
	// ErrConfig means that a file or value is invalid: YAML, a config value, a name.
	ErrConfig = errors.New("invalid configuration")
	// ErrLimit means that a limit was reached. The message contains the limit, its
	// value and its key.
	ErrLimit = errors.New("limit reached")
	// ErrGuest means that a module trapped, failed or violated the ABI. It is never
	// caused by the user.
	ErrGuest = errors.New("guest failed")
	// ErrRefused means that a module returned FAIL, usually because it does not accept
	// its config or the content. It wraps ErrGuest.
	ErrRefused = fmt.Errorf("%w in order", ErrGuest)
	// ErrUnavailable means that something is not reachable or not ready. A retry may
	// succeed.
	ErrUnavailable = errors.New("unavailable")
	// ErrDenied means that permission is missing.
	ErrDenied = errors.New("denied")
	// ErrConflict means that a name or resource is already in use.
	ErrConflict = errors.New("conflict")
)
