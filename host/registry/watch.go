package registry

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"
)

const (
	debounce     = 200 * time.Millisecond // delay after the last event of a directory
	debounceMost = time.Second            // maximum delay after the first event
	pollEvery    = 30 * time.Second       // for file systems without events
	pollBlind    = 2 * time.Second        // if no watcher can be created
)

// source is a source of file events: fsnotify, or a fake in tests.
type source interface {
	Add(dir string) error // may be repeated for the same directory
	Events() <-chan fsnotify.Event
	Errors() <-chan error
	Close() error
}

// watcher watches the directories of one home. Events only select the directories
// to check; a change is detected by comparing contents.
type watcher[M Module] struct {
	r           *Registry[M]
	home        string
	source      source // nil if no watcher can be created; then the watcher polls
	scanRequest chan struct{}

	mu        sync.Mutex
	prints    map[string][32]byte // last fingerprint of each directory but stages/
	unwatched map[string]bool     // directories that cannot be watched; each is logged once
}

// newWatcher watches the home and its directories using s, or fsnotify if s is nil.
//
// It returns an error if the home cannot be read. If fsnotify is not available, the
// watcher polls.
func newWatcher[M Module](r *Registry[M], s source) (*watcher[M], error) {
	w := &watcher[M]{
		r: r, home: r.home, source: s, scanRequest: make(chan struct{}, 1),
		prints: make(map[string][32]byte), unwatched: make(map[string]bool),
	}
	if _, err := os.ReadDir(w.home); err != nil {
		return nil, err
	}
	if err := w.attach(); err != nil {
		r.log.Warn("files cannot be watched, polling them", "every", pollBlind, "cause", err)
	}
	for _, dir := range w.allDirs() {
		w.addSource(dir)
		if dir != stagesDir { // the scan reads its files
			w.prints[dir] = w.fingerprint(dir)
		}
	}
	return w, nil
}

// attach opens the source and adds the home. On failure it leaves w.source nil.
func (w *watcher[M]) attach() (err error) {
	if w.source == nil {
		if w.source, err = openNotifier(); err != nil {
			return err
		}
	}
	if err = w.source.Add(w.home); err != nil {
		err = errors.Join(err, w.source.Close())
		w.source = nil
	}
	return err
}

// notifier adapts fsnotify.Watcher to source.
type notifier struct{ *fsnotify.Watcher }

func openNotifier() (source, error) {
	n, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, err
	}
	return notifier{n}, nil
}

func (n notifier) Events() <-chan fsnotify.Event { return n.Watcher.Events }
func (n notifier) Errors() <-chan error          { return n.Watcher.Errors }

func (w *watcher[M]) close() error {
	if w.source == nil {
		return nil
	}
	return w.source.Close()
}

// allDirs returns all watched directories.
func (w *watcher[M]) allDirs() []string {
	return append([]string{homeDir, stagesDir}, objectDirs...)
}

// addSource adds a directory and its subdirectories to the source. The creation of a
// missing directory is an event of the home.
func (w *watcher[M]) addSource(dir string) {
	if w.source == nil {
		return
	}
	for _, path := range w.listDirs(dir) {
		err := w.source.Add(path)
		if err == nil {
			delete(w.unwatched, path)
		} else if exists(path) && !w.unwatched[path] {
			w.unwatched[path] = true
			w.r.log.Warn("directory cannot be watched, polling it", "directory", path, "every", pollEvery, "cause", err)
		}
	}
}

// burst is the times of the first and last event in one directory since its last check.
type burst struct{ first, last time.Time }

// dueAt returns the time at which to check the directory.
func (b burst) dueAt() time.Time {
	quiet, most := b.last.Add(debounce), b.first.Add(debounceMost)
	if most.Before(quiet) {
		return most
	}
	return quiet
}

// loop checks directories after events and at every poll, until the registry is closed.
func (w *watcher[M]) loop() {
	w.r.routines.Go(w.scanLoop)
	var events <-chan fsnotify.Event
	var errs <-chan error
	every := pollBlind
	if w.source != nil {
		events, errs, every = w.source.Events(), w.source.Errors(), pollEvery
	}
	poll := time.NewTicker(every)
	defer poll.Stop()
	timer := time.NewTimer(debounce)
	timer.Stop()
	defer timer.Stop()
	bursts := make(map[string]burst)
	for {
		select {
		case e, ok := <-events:
			if !ok {
				events = nil
				continue
			}
			w.addEvent(bursts, e)
			schedule(timer, bursts)
		case err, ok := <-errs:
			if !ok {
				errs = nil
				continue
			}
			w.r.log.Warn("file events were lost, checking all directories", "cause", err)
			w.checkDirs(w.allDirs())
		case <-timer.C:
			w.checkDirs(takeDue(bursts))
			schedule(timer, bursts)
		case <-poll.C:
			w.checkDirs(w.allDirs())
		case <-w.r.life.Done():
			return
		}
	}
}

// addEvent adds an event to the burst of its directory.
func (w *watcher[M]) addEvent(bursts map[string]burst, e fsnotify.Event) {
	dir, ok := w.findDir(e.Name)
	if !ok {
		return
	}
	now := time.Now()
	b, ok := bursts[dir]
	if !ok {
		b.first = now
	}
	b.last = now
	bursts[dir] = b
}

// findDir returns the watched directory of a path; ok is false if the path is not watched.
func (w *watcher[M]) findDir(path string) (dir string, ok bool) {
	rel, err := filepath.Rel(w.home, path)
	if err != nil || isTemporary(filepath.Base(path)) {
		return "", false
	}
	top, _, nested := strings.Cut(filepath.ToSlash(rel), "/")
	switch {
	case top == stagesDir || slices.Contains(objectDirs, top):
		return top, true
	case !nested && slices.Contains(homeFiles, top):
		return homeDir, true
	}
	return "", false
}

// schedule sets the timer to the earliest due burst.
func schedule(timer *time.Timer, bursts map[string]burst) {
	var next time.Time
	for _, b := range bursts {
		if due := b.dueAt(); next.IsZero() || due.Before(next) {
			next = due
		}
	}
	if next.IsZero() {
		timer.Stop()
		return
	}
	timer.Reset(time.Until(next))
}

// takeDue removes the bursts that are due and returns their directories, sorted.
func takeDue(bursts map[string]burst) (dirs []string) {
	now := time.Now()
	for dir, b := range bursts {
		if !b.dueAt().After(now) {
			dirs = append(dirs, dir)
			delete(bursts, dir)
		}
	}
	slices.Sort(dirs)
	return dirs
}

// checkDirs checks directories. Modules are scanned in the background, because they may
// be large. Files of the home, such as stages.lock, decide which of them are loaded.
func (w *watcher[M]) checkDirs(dirs []string) {
	w.check(w.r.life, dirs)
	if slices.Contains(dirs, stagesDir) || slices.Contains(dirs, homeDir) {
		select {
		case w.scanRequest <- struct{}{}:
		default:
		}
	}
}

func (w *watcher[M]) scanLoop() {
	for {
		select {
		case <-w.scanRequest:
			w.r.scan(w.r.life)
		case <-w.r.life.Done():
			return
		}
	}
}

// check announces the directories whose content has changed and adds new
// subdirectories to the source. Changes in stages/ are found by scan.
func (w *watcher[M]) check(ctx context.Context, dirs []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, dir := range dirs {
		if ctx.Err() != nil {
			return
		}
		w.addSource(dir)
		if dir == stagesDir {
			continue
		}
		if now := w.fingerprint(dir); now != w.prints[dir] {
			w.prints[dir] = now
			w.r.notices.add(dir)
		}
	}
}
