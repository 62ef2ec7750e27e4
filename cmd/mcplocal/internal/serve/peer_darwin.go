package serve

import (
	"os"

	"golang.org/x/sys/unix"
)

// isPeerOwner reports whether the peer of a unix socket is a process of this user.
func isPeerOwner(fd uintptr) bool {
	cred, err := unix.GetsockoptXucred(int(fd), unix.SOL_LOCAL, unix.LOCAL_PEERCRED)
	return err == nil && int(cred.Uid) == os.Getuid()
}
