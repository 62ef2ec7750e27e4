package serve

import (
	"os"

	"golang.org/x/sys/unix"
)

// isPeerOwner reports whether the process at the other end of a unix socket is of
// this user.
func isPeerOwner(fd uintptr) bool {
	cred, err := unix.GetsockoptXucred(int(fd), unix.SOL_LOCAL, unix.LOCAL_PEERCRED)
	return err == nil && int(cred.Uid) == os.Getuid()
}
