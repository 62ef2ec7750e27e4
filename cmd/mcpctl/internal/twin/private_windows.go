package twin

import "io/fs"

// noFollow has no counterpart on Windows.
const noFollow = 0

// private reports whether info is a directory. The temporary directory of Windows is
// within the user's profile, which no other user can enter.
func private(info fs.FileInfo) bool { return info.IsDir() }
