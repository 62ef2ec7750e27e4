package upstream

import (
	"maps"
	"slices"
	"strings"
)

// inherited are the variables that a server's process inherits from this one: what
// programs need to find themselves and their files. Everything else, and every
// secret, has to be named in its configuration.
var inherited = []string{
	"HOME", "LANG", "LOGNAME", "PATH", "SHELL", "SSL_CERT_DIR", "SSL_CERT_FILE", "TERM", "TMPDIR", "TZ", "USER",
	// Windows
	"APPDATA", "COMSPEC", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "PATHEXT", "PROGRAMDATA", "PROGRAMFILES",
	"SYSTEMDRIVE", "SYSTEMROOT", "TEMP", "TMP", "USERNAME", "USERPROFILE", "WINDIR",
}

// environment builds the environment of a server's process: the variables of ours that
// are on the allow-list or in pass, and its own. mark is what EndOrphans knows it by.
func environment(ours, pass []string, own map[string]Secret, mark string) []string {
	var env []string
	if mark != "" {
		env = append(env, markVar+"="+mark)
	}
	for _, entry := range ours {
		name, value, _ := strings.Cut(entry, "=")
		_, replaced := own[name]
		if replaced || !IsInherited(name) && !slices.Contains(pass, name) || strings.HasPrefix(value, "()") { // no shell functions
			continue
		}
		env = append(env, entry)
	}
	for _, name := range slices.Sorted(maps.Keys(own)) {
		env = append(env, name+"="+own[name].Reveal())
	}
	return env
}

// Environ is the environment of a program of ours that is no server: ours is what
// this process has, mark that of EndOrphans.
func Environ(ours []string, mark string) []string { return environment(ours, nil, nil, mark) }

// IsInherited reports whether the processes of all servers inherit a variable.
func IsInherited(name string) bool {
	return slices.Contains(inherited, name) || strings.HasPrefix(name, "LC_")
}
