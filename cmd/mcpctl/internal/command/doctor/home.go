package doctor

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/host/homedir"
	"github.com/mcpctl/mcpctl/host/secret"
)

// checkHome checks the home and the files that only its owner may read. It returns false if the
// home
// cannot be inspected.
func (e *exam) checkHome() bool {
	info, err := os.Stat(e.home)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		e.add(levelWarning, "home", "mcpctl import", "%s does not exist yet", e.home)
		return false
	case err != nil:
		e.add(levelError, "home", "ls -ld "+problem.Arg(filepath.Dir(e.home)), "%v", err)
		return false
	case !info.IsDir():
		e.add(levelError, "home", "export MCPCTL_HOME=DIR", "%s is not a directory", e.home)
		return false
	}
	if homedir.IsReadableByOthers(info.Mode().Perm()) {
		e.addMode("home", e.home, info, 0o700)
	} else {
		e.add(levelOK, "home", "", "%s, mode %04o", e.home, info.Mode().Perm())
	}
	for _, name := range []string{"token", "ref.key", secret.FileName, homedir.SettingsFile} {
		e.checkPrivateFile(name)
	}
	e.checkSettings()
	return true
}

// checkSettings reads config.yaml and reports all its errors.
func (e *exam) checkSettings() {
	settings, err := e.F.Settings()
	if err == nil {
		e.settings = settings
		return
	}
	p := problem.From(err)
	for _, fault := range append(p.Errors, p) {
		if fault == p && len(p.Errors) > 0 {
			continue // its parts are reported individually
		}
		message := fault.Error()
		if fault.At != "" {
			message += " (" + fault.At + ")"
		}
		e.add(levelError, "settings", "${EDITOR:-vi} "+problem.Arg(filepath.Join(e.home, homedir.SettingsFile)), "%s", message)
	}
}

// minKey is the minimum size of a key in bytes.
const minKey = 32

// checkPrivateFile checks one file of the home. Missing files are created on demand and are not
// reported.
func (e *exam) checkPrivateFile(name string) {
	file := filepath.Join(e.home, name)
	info, err := os.Lstat(file)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	key := name == "token" || name == "ref.key"
	switch {
	case err != nil:
		e.add(levelError, name, "ls -l "+problem.Arg(file), "%v", err)
	case !info.Mode().IsRegular() && key:
		e.add(levelError, name, "rm "+problem.Arg(file), "%s is not a regular file", file)
	case homedir.IsReadableByOthers(info.Mode().Perm()) && name != homedir.SettingsFile:
		e.addMode(name, file, info, 0o600)
	case key && info.Size() < minKey:
		e.add(levelError, name, "rm "+problem.Arg(file), "%s has %d bytes, too few for a key; without it a new one is created", file, info.Size())
	default:
		e.add(levelOK, name, "", "mode %04o", info.Mode().Perm())
	}
}

// isModeReported reports whether a text is about the mode of secrets.yaml and checkPrivateFile has
// already reported it.
func (e *exam) isModeReported(text string) bool {
	return strings.Contains(text, filepath.Join(e.home, secret.FileName)+" has mode ") &&
		slices.ContainsFunc(e.findings, func(f Finding) bool { return f.Check == secret.FileName && f.Level == levelError })
}

// addMode reports a file that other users can read or write, and repairs it if --fix is set.
func (e *exam) addMode(check, file string, info fs.FileInfo, want fs.FileMode) {
	command := "chmod 600 " + problem.Arg(file)
	if want == 0o700 {
		command = "chmod 700 " + problem.Arg(file)
	}
	access := "read it"
	if homedir.IsWritableByOthers(info.Mode().Perm()) {
		access = "read and write it"
	}
	e.add(levelError, check, command, "%s has mode %04o, want %04o: other users can %s", file, info.Mode().Perm(), want, access)
	if !e.Fix || info.Mode()&fs.ModeSymlink != 0 {
		return
	}
	f := &e.findings[len(e.findings)-1]
	if err := os.Chmod(file, want); err != nil {
		f.Message += "; --fix: " + err.Error()
		return
	}
	f.Fixed = true
}
