package recording

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// stampLayout is the start of the name of a file: its time in UTC.
const stampLayout = "20060102T150405Z"

const (
	maxOpen   = 64      // files; the one that was not used for longest is closed
	maxEnded  = 4096    // sessions whose end is remembered
	trimBytes = 4 << 20 // written between two checks of the limits of the directory
)

// Texts of note.End.
const (
	endSize = "the file has reached recordings.file"
	endDisk = "the recordings have reached recordings.size"
)

// writer writes the files. It is used by one goroutine.
type writer struct {
	opts    Options
	dropped func(session string) int
	files   map[string]*file // by session
	clock   int              // counts uses
	written int64            // since the limits were checked
	failing bool             // the last write failed; reported once
}

// file is the recording of one session.
type file struct {
	f       *os.File // nil while it is closed
	path    string
	project string
	bytes   int64
	used    int  // clock of the last use
	ended   bool // nothing more is written
	tools   bool // the tools were written
}

func newWriter(o Options, dropped func(string) int) *writer {
	return &writer{opts: o, dropped: dropped, files: make(map[string]*file)}
}

// add writes an exchange. An error is logged once; the exchange is lost.
func (w *writer) add(x *Exchange) {
	err := w.write(x)
	if err != nil && !w.failing {
		w.opts.Log.Warn("an exchange was not recorded", "project", x.Scope.Project, "error", err)
	}
	w.failing = err != nil
}

func (w *writer) write(x *Exchange) error {
	f, err := w.open(x)
	if err != nil || f.ended {
		return err
	}
	if n := w.dropped(x.Scope.Session); n > 0 {
		if err := w.writeNote(f, note{Dropped: n}); err != nil {
			return err
		}
	}
	if !f.tools && x.Waited > 0 {
		f.tools = true
		if tools := w.opts.Source.Tools(x.Scope.Project); len(tools) > 0 {
			if err := w.writeNote(f, note{Tools: tools}); err != nil {
				return err
			}
		}
	}
	b, err := newLine(x).encode()
	if err != nil {
		return err
	}
	if f.bytes+int64(len(b)) > w.opts.FileBytes {
		return w.end(f, endSize)
	}
	if err := w.writeLine(f, b); err != nil {
		return err
	}
	return w.trim(f)
}

// trim checks the limits of the directory now and then.
func (w *writer) trim(f *file) error {
	if w.written < min(trimBytes, w.opts.MaxBytes/4) {
		return nil
	}
	w.written = 0
	ok, err := w.opts.Dir.trim(w.opts.MaxBytes, w.opts.MaxFiles, w.isOpen)
	if err == nil && !ok {
		err = w.end(f, endDisk)
	}
	return err
}

func (w *writer) isOpen(path string) bool {
	for _, f := range w.files {
		if f.path == path && !f.ended {
			return true
		}
	}
	return false
}

// open returns the file of a session, and creates it with its header.
func (w *writer) open(x *Exchange) (*file, error) {
	w.clock++
	f, ok := w.files[x.Scope.Session]
	if !ok {
		return w.create(x)
	}
	f.used = w.clock
	if f.ended || f.f != nil {
		return f, nil
	}
	var err error
	f.f, err = os.OpenFile(f.path, os.O_WRONLY|os.O_APPEND, 0o600)
	if errors.Is(err, fs.ErrNotExist) { // a person has deleted it: nothing more is recorded
		f.ended = true
		return f, nil
	}
	w.limitOpen()
	return f, err
}

func (w *writer) create(x *Exchange) (*file, error) {
	if _, err := w.opts.Dir.trim(w.opts.MaxBytes, w.opts.MaxFiles-1, w.isOpen); err != nil {
		return nil, err
	}
	dir := filepath.Join(string(w.opts.Dir), x.Scope.Project)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	now := w.opts.Now().UTC()
	handle, err := createFile(dir, now, x.Scope.Session)
	if err != nil {
		return nil, err
	}
	f := &file{f: handle, path: handle.Name(), project: x.Scope.Project, used: w.clock}
	w.files[x.Scope.Session] = f
	w.limitOpen()
	h := w.opts.Source.Describe(x.Scope.Project)
	h.Format, h.Project, h.Session, h.Client, h.Started = Format, x.Scope.Project, x.Scope.Session, x.Client, now
	b, err := marshal(h)
	if err != nil {
		return nil, err
	}
	return f, w.writeLine(f, b)
}

// createFile creates a file with a new name: the time and a digest of the session.
func createFile(dir string, now time.Time, session string) (f *os.File, err error) {
	sum := sha256.Sum256([]byte(session))
	base := now.Format(stampLayout) + "-" + hex.EncodeToString(sum[:4])
	for n := 1; n < 100; n++ {
		name := base
		if n > 1 {
			name = fmt.Sprintf("%s-%d", base, n)
		}
		f, err = os.OpenFile(filepath.Join(dir, name+Extension), os.O_WRONLY|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o600)
		if !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
	return nil, err
}

// limitOpen closes the file that was not used for longest, and forgets old ended files.
func (w *writer) limitOpen() {
	open, ended := 0, 0
	var oldest *file
	for _, f := range w.files {
		if f.ended {
			ended++
		}
		if f.f == nil {
			continue
		}
		open++
		if oldest == nil || f.used < oldest.used {
			oldest = f
		}
	}
	if open > maxOpen {
		w.release(oldest)
	}
	if ended > maxEnded {
		for session, f := range w.files {
			if f.ended {
				delete(w.files, session)
				break
			}
		}
	}
}

func (w *writer) writeNote(f *file, n note) error {
	b, err := marshal(n)
	if err != nil {
		return err
	}
	return w.writeLine(f, b)
}

func (w *writer) writeLine(f *file, line []byte) error {
	n, err := f.f.Write(append(line, '\n'))
	f.bytes += int64(n)
	w.written += int64(n)
	return err
}

// end writes the last line of a file and closes it.
func (w *writer) end(f *file, why string) error {
	err := w.writeNote(f, note{End: why})
	f.ended = true
	w.release(f)
	return err
}

func (w *writer) release(f *file) {
	if f.f != nil {
		_ = f.f.Close() // every write was checked
		f.f = nil
	}
}

func (w *writer) endSession(session string) {
	if f, ok := w.files[session]; ok {
		w.writeLost(f, session)
		w.release(f)
		delete(w.files, session)
	}
}

func (w *writer) endProject(project string) {
	for session, f := range w.files {
		if f.project == project {
			w.endSession(session)
		}
	}
}

func (w *writer) closeAll() {
	for session := range w.files {
		w.endSession(session)
	}
}

// writeLost writes the number of exchanges that were dropped after the last line.
func (w *writer) writeLost(f *file, session string) {
	if n := w.dropped(session); n > 0 && f.f != nil {
		_ = w.writeNote(f, note{Dropped: n}) // the file stays readable without it
	}
}
