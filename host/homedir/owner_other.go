//go:build !unix

package homedir

import "io/fs"

// owner trusts all files: these systems use access lists instead of owners and modes.
func owner(fs.FileInfo) (uid int, own bool) { return 0, true }

// IsWritableByOthers returns false, because files have no modes on these systems.
func IsWritableByOthers(fs.FileMode) bool { return false }

// IsReadableByOthers returns false, because files have no modes on these systems.
func IsReadableByOthers(fs.FileMode) bool { return false }
