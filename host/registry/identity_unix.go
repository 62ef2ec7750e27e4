//go:build linux || darwin

package registry

import (
	"fmt"
	"io/fs"
	"syscall"
	"time"
)

// identity returns a text that differs after each write to a file, and the time of the last
// change. ok is false if the system does not report them.
func identity(info fs.FileInfo) (id string, changed time.Time, ok bool) {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return "", changed, false
	}
	at := changeTime(s)
	return fmt.Sprint(s.Dev, s.Ino, s.Size, info.ModTime().UnixNano(), at), time.Unix(at.Unix()), true
}
