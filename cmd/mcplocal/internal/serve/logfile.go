package serve

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/mcpctl/mcpctl/host/homedir"
)

// maxLog is the size at which the log of a home is rotated.
const maxLog = 10 << 20

// logWriter returns a writer for log messages: standard error, with rotation if it is the
// log file of the home. flush waits for messages that are not written yet, for a limited
// time.
func logWriter(home homedir.Dir, stderr *os.File) (w io.Writer, flush func()) {
	file := filepath.Join(string(home), "logs", "mcplocal.log")
	info, err := stderr.Stat()
	if err != nil || !info.Mode().IsRegular() {
		l := newQueuedLog(stderr)
		return l, l.flush
	}
	if log, err := os.Stat(file); err != nil || !os.SameFile(info, log) {
		return stderr, func() {}
	}
	return &rotatedLog{out: stderr, file: file, limit: maxLog, due: maxLog}, func() {}
}

// queuedLog writes records in the background, because nobody may read the pipe or the
// terminal that they go to. It drops records while the queue is full. It is safe for
// concurrent use.
type queuedLog struct {
	records chan []byte
	dropped atomic.Int64
}

// Limits of a queuedLog.
const (
	queuedRecords = 1000
	flushLimit    = 500 * time.Millisecond
)

func newQueuedLog(out io.Writer) *queuedLog {
	l := &queuedLog{records: make(chan []byte, queuedRecords)}
	go l.write(out)
	return l
}

func (l *queuedLog) write(out io.Writer) {
	for record := range l.records {
		if n := l.dropped.Swap(0); n > 0 {
			_, _ = fmt.Fprintf(out, "%d records of the log were dropped, because nobody read them\n", n)
		}
		_, _ = out.Write(record) // there is no other place for it
	}
}

// Write implements io.Writer. It never waits.
func (l *queuedLog) Write(record []byte) (int, error) {
	select {
	case l.records <- bytes.Clone(record):
	default:
		l.dropped.Add(1)
	}
	return len(record), nil
}

// flush waits until the records are written.
func (l *queuedLog) flush() {
	for end := time.Now().Add(flushLimit); len(l.records) > 0 && time.Now().Before(end); {
		time.Sleep(time.Millisecond)
	}
	time.Sleep(time.Millisecond) // the last one is being written
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
