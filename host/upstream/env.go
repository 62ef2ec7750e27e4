package upstream

import (
	"maps"
	"runtime"
	"slices"
	"strings"
)

// inherited lists the variables that a server's process inherits from this process:
// those that programs need to find other programs and their files. All others, including
// all secrets, must be named in the server's configuration.
var inherited = []string{
	"HOME", "LANG", "LOGNAME", "PATH", "SHELL", "SSL_CERT_DIR", "SSL_CERT_FILE", "TERM", "TMPDIR", "TZ", "USER",
	// Windows
	"APPDATA", "COMSPEC", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "PATHEXT", "PROGRAMDATA", "PROGRAMFILES",
	"SYSTEMDRIVE", "SYSTEMROOT", "TEMP", "TMP", "USERNAME", "USERPROFILE", "WINDIR",
}

// environment builds the environment of a server's process on an operating system: the
// variables of environ that are on the allow-list or in pass, and its own. EndOrphans
// finds the process by mark.
func environment(goos string, environ, pass []string, own map[string]Secret, mark string) []string {
	var env []string
	names := slices.Sorted(maps.Keys(own))
	if mark != "" {
		env = append(env, markVar+"="+mark)
	}
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		isPassed := IsInherited(goos, name) || HasName(goos, pass, name)
		if !isPassed || HasName(goos, names, name) || strings.HasPrefix(value, "()") { // no shell functions
			continue
		}
		env = append(env, entry)
	}
	for _, name := range names {
		env = append(env, name+"="+own[name].Reveal())
	}
	return env
}

// Environ returns the environment of a program that is not a server and that mcpctl
// starts: the variables of environ that are on the allow-list, and the mark of EndOrphans.
func Environ(environ []string, mark string) []string {
	return environment(runtime.GOOS, environ, nil, nil, mark)
}

// IsInherited reports whether the processes of all servers inherit a variable.
func IsInherited(goos, name string) bool {
	return HasName(goos, inherited, name) || strings.HasPrefix(name, "LC_")
}

// HasName reports whether names contains the name of a variable. On Windows, names that
// differ in case are equal: its PATH is "Path".
func HasName(goos string, names []string, name string) bool {
	return slices.ContainsFunc(names, func(n string) bool {
		return n == name || goos == "windows" && strings.EqualFold(n, name)
	})
}
