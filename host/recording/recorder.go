package recording

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Source describes the configuration of projects to a Recorder. It is called by the
// writer, not by requests.
type Source interface {
	// Describe returns the Header of a recording that begins now, without the fields of
	// the session.
	Describe(project string) Header
	// Tools returns the tools of a project's servers, as far as they are known.
	Tools(project string) []Tool
}

// Options of a Recorder. Dir, Source and Always are required.
type Options struct {
	Dir       Dir
	Source    Source
	Always    func(project string) bool // the project is recorded without Start
	MaxBytes  int64                     // of all files; default 256 MiB
	FileBytes int64                     // of one file; default 64 MiB
	MaxFiles  int                       // default 1000
	Queue     int                       // exchanges that wait for the disk; default 256
	Log       *slog.Logger              // default: none
	Now       func() time.Time
}

// maxQueueBytes limits the memory of exchanges that wait for the disk.
const maxQueueBytes = 64 << 20

func (o Options) withDefaults() Options {
	if o.MaxBytes <= 0 {
		o.MaxBytes = 256 << 20
	}
	if o.FileBytes <= 0 {
		o.FileBytes = 64 << 20
	}
	if o.MaxFiles <= 0 {
		o.MaxFiles = 1000
	}
	if o.Queue <= 0 {
		o.Queue = 256
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return o
}

// Recorder writes exchanges to files. Add never waits for the disk: exchanges that do not
// fit in the queue are dropped and counted. Safe for concurrent use.
type Recorder struct {
	opts  Options
	queue chan task
	bytes atomic.Int64 // of the queue

	mu      sync.Mutex
	until   map[string]time.Time // projects that Start records
	dropped map[string]int       // by session, since the last line that counts them
	timed   atomic.Int32         // len(until)

	close sync.Once
	ended chan struct{} // closed by Close
	work  sync.WaitGroup
}

// task is work for the writer: an exchange, or a request to end files.
type task struct {
	exchange *Exchange
	project  string        // end the files of this project
	session  string        // end the file of this session
	done     chan struct{} // closed when the task is done; may be nil
}

// New returns a Recorder. Close ends it.
func New(o Options) *Recorder {
	o = o.withDefaults()
	r := &Recorder{opts: o, queue: make(chan task, o.Queue), until: make(map[string]time.Time), dropped: make(map[string]int), ended: make(chan struct{})}
	r.work.Go(func() { r.run(newWriter(o, r.takeDropped)) })
	return r
}

// Close writes what is queued and ends the files. It can be called twice.
func (r *Recorder) Close() error {
	r.close.Do(func() { close(r.ended) })
	r.work.Wait()
	return nil
}

// Start records a project until a time, in addition to Options.Always. A later call
// replaces the time.
func (r *Recorder) Start(project string, until time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.until[project] = until
	r.timed.Store(int32(len(r.until)))
}

// Stop ends what Start began. It returns once all exchanges are written, and ends the
// files of the project unless it is recorded anyway.
func (r *Recorder) Stop(ctx context.Context, project string) error {
	r.forget(project)
	if r.opts.Always(project) {
		project = ""
	}
	return r.wait(ctx, task{project: project})
}

// Sync returns once everything that was added before is written.
func (r *Recorder) Sync(ctx context.Context) error { return r.wait(ctx, task{}) }

// wait queues a task and waits for it.
func (r *Recorder) wait(ctx context.Context, t task) error {
	t.done = make(chan struct{})
	select {
	case r.queue <- t:
	case <-r.ended:
		return errClosed
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case <-t.done:
		return nil
	case <-r.ended:
		return errClosed
	case <-ctx.Done():
		return ctx.Err()
	}
}

var errClosed = errors.New("the recorder is closed")

func (r *Recorder) forget(project string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.until, project)
	r.timed.Store(int32(len(r.until)))
}

// Active returns the projects that Start records, sorted.
func (r *Recorder) Active() []string {
	now := r.opts.Now()
	r.mu.Lock()
	defer r.mu.Unlock()
	maps.DeleteFunc(r.until, func(_ string, until time.Time) bool { return !now.Before(until) })
	r.timed.Store(int32(len(r.until)))
	return slices.Sorted(maps.Keys(r.until))
}

// Wants reports whether a project is recorded now. It is cheap if none is.
func (r *Recorder) Wants(project string) bool {
	if r.timed.Load() > 0 && slices.Contains(r.Active(), project) {
		return true
	}
	return r.opts.Always(project)
}

// Add records an exchange. The bytes that it refers to must not change later.
func (r *Recorder) Add(x Exchange) {
	if !r.Wants(x.Scope.Project) {
		return
	}
	size := x.size()
	if r.bytes.Add(size) <= maxQueueBytes {
		select {
		case r.queue <- task{exchange: &x}:
			return
		default:
		}
	}
	r.bytes.Add(-size)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.dropped[x.Scope.Session]++
}

// EndSession ends the file of a session. It does not wait.
func (r *Recorder) EndSession(session string) {
	select {
	case r.queue <- task{session: session}:
	default: // the writer closes it when it needs the file for another session
	}
}

// takeDropped returns the number of dropped exchanges of a session, and resets it.
func (r *Recorder) takeDropped(session string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := r.dropped[session]
	delete(r.dropped, session)
	return n
}

// run performs the tasks until Close, and then the rest of the queue.
func (r *Recorder) run(w *writer) {
	defer w.closeAll()
	for {
		select {
		case t := <-r.queue:
			r.perform(w, t)
			continue
		case <-r.ended:
		}
		for {
			select {
			case t := <-r.queue:
				r.perform(w, t)
			default:
				return
			}
		}
	}
}

func (r *Recorder) perform(w *writer, t task) {
	switch {
	case t.exchange != nil:
		w.add(t.exchange)
		r.bytes.Add(-t.exchange.size())
	case t.session != "":
		w.endSession(t.session)
	case t.project != "":
		w.endProject(t.project)
	}
	if t.done != nil {
		close(t.done)
	}
}
