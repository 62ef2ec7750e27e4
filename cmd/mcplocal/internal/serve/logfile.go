package serve

import (
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/mcpctl/mcpctl/host/homedir"
)

// maxLog is the size at which the log of a home is rotated.
const maxLog = 10 << 20

// logWriter returns a writer for log messages: standard error, with rotation if it is the
// log file of the home.
func logWriter(home homedir.Dir, stderr *os.File) io.Writer {
	file := filepath.Join(string(home), "logs", "mcplocal.log")
	info, err := stderr.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return stderr
	}
	if log, err := os.Stat(file); err != nil || !os.SameFile(info, log) {
		return stderr
	}
	return &rotatedLog{out: stderr, file: file, limit: maxLog, due: maxLog}
}

// rotatedLog is a log file that is open for appending. When it reaches the limit, it is
// copied to FILE.1 and truncated, so that other processes can keep it open. It is not safe
// for concurrent use; a slog.Handler writes one record at a time.
type rotatedLog struct {
	out   *os.File
	file  string
	limit int64 // bytes between two rotations
	due   int64 // size of the file at the next rotation
}

// Write appends one record. If a rotation fails, the next attempt is made when the log has
// grown by the limit, so that the file is not copied for each record.
func (l *rotatedLog) Write(record []byte) (int, error) {
	if info, err := l.out.Stat(); err == nil && info.Size() > 0 && info.Size()+int64(len(record)) > l.due {
		l.due = l.limit
		if err := l.rotate(); err != nil { // keep logging
			l.due = info.Size() + l.limit
		}
	}
	return l.out.Write(record)
}

// rotate copies the log and truncates it. It opens the file again, because Windows cannot
// truncate a file that is open for appending only.
func (l *rotatedLog) rotate() error {
	log, err := os.OpenFile(l.file, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer log.Close()
	to, err := os.CreateTemp(filepath.Dir(l.file), ".rotated-*") // mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(to.Name()) // fails after the rename
	_, err = io.Copy(to, log)
	if err := errors.Join(err, to.Close()); err != nil {
		return err
	}
	if err := os.Rename(to.Name(), l.file+".1"); err != nil {
		return err
	}
	return log.Truncate(0)
}
