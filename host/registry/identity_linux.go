package registry

import (
	"fmt"
	"io/fs"
	"syscall"
	"time"
)

// identity returns a text that differs after each change of a file, and when the file
// changed. ok is false if the system cannot tell.
func identity(info fs.FileInfo) (id string, changed time.Time, ok bool) {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return "", changed, false
	}
	return fmt.Sprint(s.Dev, s.Ino, s.Size, s.Mtim, s.Ctim), time.Unix(s.Ctim.Unix()), true
}
