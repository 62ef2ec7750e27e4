//go:build unix

package object

import (
	"io/fs"
	"os"
	"syscall"
)

// owner returns who owns a file and whether that is us.
func owner(info fs.FileInfo) (uid int, mine bool) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return -1, false
	}
	return int(st.Uid), int(st.Uid) == os.Geteuid()
}

func writableByOthers(perm fs.FileMode) bool { return perm&0o022 != 0 }

// IsReadableByOthers reports whether a file of mode perm is open to other users.
func IsReadableByOthers(perm fs.FileMode) bool { return perm&0o077 != 0 }
