//go:build !unix

package object

import "io/fs"

// Where files have access lists instead of modes, the home's own are trusted.
func owner(fs.FileInfo) (uid int, mine bool) { return 0, true }

func writableByOthers(fs.FileMode) bool { return false }

// IsReadableByOthers is false: these systems have no modes of files.
func IsReadableByOthers(fs.FileMode) bool { return false }
