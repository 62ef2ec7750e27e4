package serve

import (
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/mcpctl/mcpctl/host"
)

// maxLog is how long the log of a home gets before it is rotated.
const maxLog = 10 << 20

// logWriter returns where messages go: standard error, which is rotated if it is the
// log of the home.
func logWriter(home host.Home, stderr *os.File) io.Writer {
	file := filepath.Join(string(home), "logs", "mcplocal.log")
	info, err := stderr.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return stderr
	}
	if log, err := os.Stat(file); err != nil || !os.SameFile(info, log) {
		return stderr
	}
	return &rotatedLog{out: stderr, file: file, limit: maxLog}
}

// rotatedLog is a log that is open for appending. Before it outgrows the limit it is
// copied to FILE.1 and truncated, so that others who have it open go on with it.
// It is written by one slog.Handler, which takes turns.
type rotatedLog struct {
	out   *os.File
	file  string
	limit int64
}

// Write appends one record.
func (l *rotatedLog) Write(record []byte) (int, error) {
	if info, err := l.out.Stat(); err == nil && info.Size() > 0 && info.Size()+int64(len(record)) > l.limit {
		_ = l.rotate() // a log that cannot be rotated goes on as it is: its records count more
	}
	return l.out.Write(record)
}

func (l *rotatedLog) rotate() error {
	from, err := os.Open(l.file)
	if err != nil {
		return err
	}
	defer from.Close()
	to, err := os.CreateTemp(filepath.Dir(l.file), ".rotated-*") // mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(to.Name()) // gone if it was renamed
	_, err = io.Copy(to, from)
	if err := errors.Join(err, to.Close()); err != nil {
		return err
	}
	if err := os.Rename(to.Name(), l.file+".1"); err != nil {
		return err
	}
	return l.out.Truncate(0)
}
