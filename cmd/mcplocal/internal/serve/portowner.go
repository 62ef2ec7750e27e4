package serve

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// portOwner returns the name and pid of the program that listens on a port. It returns "" on
// systems without /proc and for programs of other users.
func portOwner(address string) string {
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		return ""
	}
	for _, table := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		if inode := findListener(table, port); inode != "" {
			return socketOwner("socket:[" + inode + "]")
		}
	}
	return ""
}

// findListener finds the inode of the socket that listens on a port, in a file such as
// /proc/net/tcp.
func findListener(table, port string) (inode string) {
	f, err := os.Open(table)
	if err != nil {
		return ""
	}
	defer f.Close()
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return ""
	}
	const localAddress, state, inodeField, listening = 1, 3, 9, "0A"
	suffix := fmt.Sprintf(":%04X", n)
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if w := strings.Fields(lines.Text()); len(w) > inodeField && w[state] == listening && strings.HasSuffix(w[localAddress], suffix) {
			return w[inodeField]
		}
	}
	return ""
}

// socketOwner returns the name and pid of the process that has a socket open, or "".
func socketOwner(socket string) string {
	files, err := filepath.Glob("/proc/[0-9]*/fd/*")
	if err != nil {
		return ""
	}
	for _, file := range files {
		if link, err := os.Readlink(file); err != nil || link != socket {
			continue
		}
		pid := strings.Split(file, "/")[2]
		name, err := os.ReadFile(filepath.Join("/proc", pid, "comm"))
		if err != nil {
			return "pid " + pid
		}
		return strings.TrimSpace(string(name)) + ", pid " + pid
	}
	return ""
}
