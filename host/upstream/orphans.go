package upstream

import (
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// markVar is the environment variable that identifies the processes that a server of
// mcpctl has started, directly or not.
const markVar = "MCPCTL_MARK"

// EndOrphans ends the processes that the servers of a killed daemon have left running.
// The servers themselves end when their stdin is closed, but not the processes that they
// have started. EndOrphans returns the mark for the servers of this daemon (Config.Mark)
// and writes it to file for the next daemon. No other process may use file.
//
// A process is ended only if it has the random mark of the last daemon in its environment
// and is still in the session of that daemon, because a process that creates a session
// wants to outlive its parent. A reused process id is therefore no risk. A process has
// 250 ms to end after SIGTERM.
//
// EndOrphans ends processes on Linux only.
// Errors: those of file. Processes that cannot be inspected are ignored.
func EndOrphans(file string) (mark string, err error) {
	if last, session, ok := readMark(file); ok {
		endMarked(last, session)
	}
	mark = rand.Text()
	return mark, writeMark(file, mark, sessionID())
}

// readMark reads the mark of the last daemon. ok is false if the file does not exist or is
// invalid.
func readMark(file string) (mark string, session int, ok bool) {
	b, err := os.ReadFile(file)
	if err != nil {
		return "", 0, false
	}
	fields := strings.Fields(string(b))
	if len(fields) != 2 || len(fields[0]) < len(rand.Text()) {
		return "", 0, false
	}
	session, err = strconv.Atoi(fields[1])
	return fields[0], session, err == nil
}

// writeMark replaces the file atomically.
func writeMark(file, mark string, session int) error {
	tmp := filepath.Join(filepath.Dir(file), ".new-"+filepath.Base(file))
	if err := os.WriteFile(tmp, fmt.Appendf(nil, "%s %d\n", mark, session), 0o600); err != nil {
		return err
	}
	return os.Rename(tmp, file)
}
