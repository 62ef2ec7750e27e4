//go:build unix

package homedir

import (
	"io/fs"
	"os"
	"syscall"
)

// owner returns the owner of a file and whether it is the user of this process.
func owner(info fs.FileInfo) (uid int, own bool) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return -1, false
	}
	return int(st.Uid), int(st.Uid) == os.Geteuid()
}

// IsWritableByOthers reports whether a file of mode perm can be written by other users.
func IsWritableByOthers(perm fs.FileMode) bool { return perm&0o022 != 0 }

// IsReadableByOthers reports whether a file of mode perm can be read by other users.
func IsReadableByOthers(perm fs.FileMode) bool { return perm&0o077 != 0 }
