package upstream

import (
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// markVar is the variable by which a process is known as one that a server of
// ours has started, directly or not.
const markVar = "MCPCTL_MARK"

// EndOrphans ends what the servers of a daemon that was killed have left running:
// their own end of a pipe tells servers, but not what these have started. It
// returns the mark for the servers of this daemon (Config.Mark) and keeps it in
// file for the next one. The caller alone may use file.
//
// A process is ended only if it carries the mark of the last daemon, which is
// random, in its environment, and is still in that daemon's session: one that
// made a session of its own has left on purpose. So no process is ever ended for
// a number that it happens to have. Such a process has 250 ms to go by itself.
//
// Linux only; elsewhere nothing is ended.
// Errors: those of file. What could not be looked at is left alone.
func EndOrphans(file string) (mark string, err error) {
	if last, session, ok := readMark(file); ok {
		endMarked(last, session)
	}
	mark = rand.Text()
	return mark, writeMark(file, mark, sessionID())
}

// readMark reads what the last daemon wrote; ok is false if there was none, or
// what it wrote is no mark.
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

// writeMark puts the file in place as a whole: half a mark would end nothing.
func writeMark(file, mark string, session int) error {
	tmp := filepath.Join(filepath.Dir(file), ".new-"+filepath.Base(file))
	if err := os.WriteFile(tmp, fmt.Appendf(nil, "%s %d\n", mark, session), 0o600); err != nil {
		return err
	}
	return os.Rename(tmp, file)
}
