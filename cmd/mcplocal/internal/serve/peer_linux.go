package serve

import "golang.org/x/sys/unix"

// peerUID is the user on the far side of a unix socket, -1 if unknown.
func peerUID(fd int) int {
	cred, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil {
		return -1
	}
	return int(cred.Uid)
}
