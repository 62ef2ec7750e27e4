package problem

import (
	"errors"
	"io/fs"
	"path/filepath"
	"syscall"
)

// systemAdvice returns advice about errors of the file system. It is empty for other errors.
func systemAdvice(err error) Advice {
	var at *fs.PathError
	if !errors.As(err, &at) {
		return Advice{}
	}
	path, dir := Arg(at.Path), Arg(filepath.Dir(at.Path))
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		if !filepath.IsAbs(at.Path) { // relative to a directory other than the caller's
			return Advice{"free some space; existing files are unchanged", "df -h"}
		}
		return Advice{"free some space; existing files are unchanged", "df -h " + dir}
	case errors.Is(err, syscall.EROFS):
		return Advice{"the file system is read-only; the home can be in any directory", "export MCPCTL_HOME=DIR"}
	case errors.Is(err, fs.ErrPermission):
		return Advice{"its owner and mode deny access to this user", "ls -ld " + path}
	case errors.Is(err, syscall.EISDIR):
		return Advice{"it is a directory, want a file", "ls " + path}
	case errors.Is(err, syscall.ENOTDIR):
		return Advice{"a part of the path is a file, want a directory", "ls -ld " + dir}
	case errors.Is(err, syscall.ELOOP):
		return Advice{"its symbolic links form a loop", "ls -l " + path}
	case errors.Is(err, fs.ErrNotExist) && !filepath.IsAbs(at.Path):
		return Advice{"the path is relative to the working directory of the command", "ls " + dir}
	case errors.Is(err, fs.ErrNotExist):
		return Advice{"", "ls " + dir}
	}
	return Advice{}
}
