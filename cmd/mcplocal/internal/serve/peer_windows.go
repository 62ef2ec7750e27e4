package serve

import (
	"unsafe"

	"golang.org/x/sys/windows"
)

// ioctlPeerPID is SIO_AF_UNIX_GETPEERPID of the Windows SDK.
const ioctlPeerPID = 0x58000100

// isPeerOwner reports whether the peer of a unix socket is a process of this user.
func isPeerOwner(fd uintptr) bool {
	var pid, n uint32
	out := (*byte)(unsafe.Pointer(&pid))
	if windows.WSAIoctl(windows.Handle(fd), ioctlPeerPID, nil, 0, out, uint32(unsafe.Sizeof(pid)), &n, nil, 0) != nil {
		return false
	}
	process, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, pid)
	if err != nil {
		return false
	}
	defer windows.CloseHandle(process)
	peer, err := userOf(process)
	if err != nil {
		return false
	}
	own, err := userOf(windows.CurrentProcess())
	return err == nil && own.Equals(peer)
}

func userOf(process windows.Handle) (*windows.SID, error) {
	var token windows.Token
	if err := windows.OpenProcessToken(process, windows.TOKEN_QUERY, &token); err != nil {
		return nil, err
	}
	defer token.Close()
	user, err := token.GetTokenUser()
	if err != nil {
		return nil, err
	}
	return user.User.Sid, nil
}
