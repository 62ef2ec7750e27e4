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
	debounce     = 200 * time.Millisecond // after the last event of a folder
	debounceMost = time.Second            // after the first, however many follow
	pollEvery    = 30 * time.Second       // for file systems that tell nothing
	pollBlind    = 2 * time.Second        // if the system gives no watcher at all
)

// source tells of changes in directories; fsnotify in life.
type source interface {
	Add(dir string) error // again for the same one does no harm
	Events() <-chan fsnotify.Event
	Errors() <-chan error
	Close() error
}

// watcher watches the folders of one home. Events only say where to look:
// whether something changed is decided by content.
type watcher[M Module] struct {
	r      *Registry[M]
	home   string
	source source // nil if there is none: then it polls
	kick   chan struct{}

	mu     sync.Mutex
	prints map[string][32]byte // by folder, as last seen
	deaf   map[string]bool     // directories that cannot be watched, said once
}

// newWatcher listens to the home and its folders, through s or the system.
//
// Errors: the home is no folder. A system that gives no watcher is no error.
func newWatcher[M Module](r *Registry[M], s source) (*watcher[M], error) {
	w := &watcher[M]{
		r: r, home: r.home, source: s, kick: make(chan struct{}, 1),
		prints: make(map[string][32]byte), deaf: make(map[string]bool),
	}
	if _, err := os.ReadDir(w.home); err != nil {
		return nil, err
	}
	if err := w.attach(); err != nil {
		r.log.Warn("files cannot be watched, they are looked at now and then", "every", pollBlind, "cause", err)
	}
	for _, folder := range w.all() {
		w.listen(folder)
		w.prints[folder] = w.fingerprint(folder)
	}
	return w, nil
}

// attach gets a source that tells of the home, or leaves none.
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

// notifier is fsnotify as a source.
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

// all are the folders that are watched for Changes, and stages.
func (w *watcher[M]) all() []string {
	return append([]string{folderHome, folderStages}, objectFolders...)
}

// listen asks for events of a folder and the folders in it. One that is missing
// shows in the home when it is made.
func (w *watcher[M]) listen(folder string) {
	if w.source == nil {
		return
	}
	for _, dir := range w.dirsOf(folder) {
		err := w.source.Add(dir)
		if err == nil {
			delete(w.deaf, dir)
		} else if exists(dir) && !w.deaf[dir] {
			w.deaf[dir] = true
			w.r.log.Warn("folder cannot be watched, it is looked at now and then", "folder", dir, "every", pollEvery, "cause", err)
		}
	}
}

// burst is a row of events in one folder.
type burst struct{ first, last time.Time }

// due is when a burst counts as over.
func (b burst) due() time.Time {
	quiet, most := b.last.Add(debounce), b.first.Add(debounceMost)
	if most.Before(quiet) {
		return most
	}
	return quiet
}

// loop turns events into looks at folders, until the registry ends.
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
			w.note(bursts, e)
			schedule(timer, bursts)
		case err, ok := <-errs:
			if !ok {
				errs = nil
				continue
			}
			w.r.log.Warn("file events were lost, all folders are looked at", "cause", err)
			w.look(w.all())
		case <-timer.C:
			w.look(takeDue(bursts))
			schedule(timer, bursts)
		case <-poll.C:
			w.look(w.all())
		case <-w.r.life.Done():
			return
		}
	}
}

// note enters an event into the burst of its folder.
func (w *watcher[M]) note(bursts map[string]burst, e fsnotify.Event) {
	folder, ok := w.folderOf(e.Name)
	if !ok {
		return
	}
	now := time.Now()
	b, ok := bursts[folder]
	if !ok {
		b.first = now
	}
	b.last = now
	bursts[folder] = b
}

// folderOf says which folder a path belongs to; false if it is of no interest.
func (w *watcher[M]) folderOf(path string) (folder string, ok bool) {
	rel, err := filepath.Rel(w.home, path)
	if err != nil || temporary(filepath.Base(path)) {
		return "", false
	}
	top, _, nested := strings.Cut(filepath.ToSlash(rel), "/")
	switch {
	case top == folderStages || slices.Contains(objectFolders, top):
		return top, true
	case !nested && slices.Contains(homeFiles, top):
		return folderHome, true
	}
	return "", false
}

// schedule sets the timer to the burst that is over first.
func schedule(timer *time.Timer, bursts map[string]burst) {
	var next time.Time
	for _, b := range bursts {
		if due := b.due(); next.IsZero() || due.Before(next) {
			next = due
		}
	}
	if next.IsZero() {
		timer.Stop()
		return
	}
	timer.Reset(time.Until(next))
}

func takeDue(bursts map[string]burst) (folders []string) {
	now := time.Now()
	for folder, b := range bursts {
		if !b.due().After(now) {
			folders = append(folders, folder)
			delete(bursts, folder)
		}
	}
	slices.Sort(folders)
	return folders
}

// look looks at folders: modules in the background, for they may be large.
func (w *watcher[M]) look(folders []string) {
	w.check(w.r.life, folders)
	if slices.Contains(folders, folderStages) {
		select {
		case w.kick <- struct{}{}:
		default:
		}
	}
}

func (w *watcher[M]) scanLoop() {
	for {
		select {
		case <-w.kick:
			w.r.scan(w.r.life)
		case <-w.r.life.Done():
			return
		}
	}
}

// check reports the folders whose content differs from what was last seen, and
// listens to those that are new. Of stages/ the registry itself keeps track.
func (w *watcher[M]) check(ctx context.Context, folders []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, folder := range folders {
		if ctx.Err() != nil {
			return
		}
		w.listen(folder)
		if folder == folderStages {
			continue
		}
		if now := w.fingerprint(folder); now != w.prints[folder] {
			w.prints[folder] = now
			w.r.notices.add(folder)
		}
	}
}
