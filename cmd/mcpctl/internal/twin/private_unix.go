//go:build unix

package twin

import (
	"io/fs"
	"os"
	"syscall"
)

// noFollow makes an open fail for a symbolic link.
const noFollow = syscall.O_NOFOLLOW

// private reports whether info is a directory of this user that no other user can
// enter.
func private(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && info.IsDir() && info.Mode().Perm() == 0o700 && int(st.Uid) == os.Geteuid()
}
