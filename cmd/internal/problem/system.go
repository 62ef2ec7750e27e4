package problem

import (
	"errors"
	"io/fs"
	"path/filepath"
	"syscall"
)

// ofSystem is what helps about an error of the file system; empty for others.
func ofSystem(err error) Advice {
	var at *fs.PathError
	if !errors.As(err, &at) {
		return Advice{}
	}
	path, dir := Arg(at.Path), Arg(filepath.Dir(at.Path))
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		if !filepath.IsAbs(at.Path) { // below a folder that is not the caller's
			return Advice{"make room; what was there before is untouched", "df -h"}
		}
		return Advice{"make room; what was there before is untouched", "df -h " + dir}
	case errors.Is(err, syscall.EROFS):
		return Advice{"nothing can be written there; a home may be anywhere", "export MCPCTL_HOME=DIR"}
	case errors.Is(err, fs.ErrPermission):
		return Advice{"its owner and mode do not let this user", "ls -ld " + path}
	case errors.Is(err, syscall.EISDIR):
		return Advice{"it is a folder, a file is wanted", "ls " + path}
	case errors.Is(err, syscall.ENOTDIR):
		return Advice{"a part of the path is a file, a folder is wanted", "ls -ld " + dir}
	case errors.Is(err, syscall.ELOOP):
		return Advice{"its links lead back to themselves", "ls -l " + path}
	case errors.Is(err, fs.ErrNotExist) && !filepath.IsAbs(at.Path):
		return Advice{"looked from the folder that the command was called in", "ls " + dir}
	case errors.Is(err, fs.ErrNotExist):
		return Advice{"", "ls " + dir}
	}
	return Advice{}
}
