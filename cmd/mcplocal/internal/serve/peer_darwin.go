package serve

import "golang.org/x/sys/unix"

// peerUID is the user on the far side of a unix socket, -1 if unknown.
func peerUID(fd int) int {
	cred, err := unix.GetsockoptXucred(fd, unix.SOL_LOCAL, unix.LOCAL_PEERCRED)
	if err != nil {
		return -1
	}
	return int(cred.Uid)
}
