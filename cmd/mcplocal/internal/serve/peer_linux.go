package serve

import (
	"os"

	"golang.org/x/sys/unix"
)

// isPeerOwner reports whether the peer of a unix socket is a process of this user.
func isPeerOwner(fd uintptr) bool {
	cred, err := unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
	return err == nil && int(cred.Uid) == os.Getuid()
}
