package pageaccess

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
)

// isForeignPeer reports whether a process of another user sent a request over TCP. On Linux
// other users can read the ticket in the arguments of a browser that starts. It returns false
// on systems where the owner of a connection cannot be determined.
func isForeignPeer(r *http.Request) bool {
	local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !ok || local.Network() != "tcp" {
		return false
	}
	for _, table := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		f, err := os.Open(table)
		if err != nil {
			continue
		}
		foreign := hasForeignOwner(f, r.RemoteAddr, local.String(), os.Getuid())
		f.Close()
		if foreign {
			return true
		}
	}
	return false
}

// hasForeignOwner reports whether a connection from one port to the other belongs to another
// user, in a table such as /proc/net/tcp. It compares only the ports, because one address has
// several forms; a second connection with the same ports can only cause a rejection.
func hasForeignOwner(table io.Reader, from, to string, uid int) bool {
	const localAddress, remoteAddress, owner = 1, 2, 7
	fromPort, toPort := portSuffix(from), portSuffix(to)
	for lines := bufio.NewScanner(table); lines.Scan(); {
		w := strings.Fields(lines.Text())
		if len(w) > owner && strings.HasSuffix(w[localAddress], fromPort) && strings.HasSuffix(w[remoteAddress], toPort) && w[owner] != strconv.Itoa(uid) {
			return true
		}
	}
	return false
}

// portSuffix returns the port of an address as it is written in /proc/net/tcp.
func portSuffix(address string) string {
	_, port, err := net.SplitHostPort(address)
	n, convErr := strconv.ParseUint(port, 10, 16)
	if err != nil || convErr != nil {
		return ":?"
	}
	return fmt.Sprintf(":%04X", n)
}
