package audit

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/database"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/keyring"
)

// Limits of a Log.
const (
	queued     = 10_000 // entries in memory
	maxBatch   = 500
	flushEvery = 100 * time.Millisecond
)

// ErrFull is the error of an Entry that could not be written.
var ErrFull = errors.New("the audit log cannot be written")

// Log writes entries of requests in batches. It is safe for concurrent use.
type Log struct {
	db      *database.DB
	keys    *keyring.Ring
	writer  string
	log     *slog.Logger
	queue   chan pending
	dropped atomic.Int64
	done    sync.WaitGroup
	closing chan struct{}
}

type pending struct {
	Entry
	written chan<- error // nil: nobody waits
}

// OpenLog returns the Log of one process. writer is unique for each run of a process.
func OpenLog(db *database.DB, keys *keyring.Ring, writer string, log *slog.Logger) *Log {
	l := &Log{db: db, keys: keys, writer: writer, log: log, queue: make(chan pending, queued), closing: make(chan struct{})}
	l.done.Go(l.run)
	return l
}

// Record adds an entry that is written soon. If the queue is full, it is dropped and counted.
func (l *Log) Record(e Entry) {
	select {
	case l.queue <- pending{e, nil}:
	default:
		l.dropped.Add(1)
	}
}

// RecordStrict adds an entry and returns when it is stored.
//
// It returns ErrFull if it cannot be stored, or the error of ctx.
func (l *Log) RecordStrict(ctx context.Context, e Entry) error {
	written := make(chan error, 1)
	select {
	case l.queue <- pending{e, written}:
	default:
		l.dropped.Add(1)
		return ErrFull
	}
	select {
	case err := <-written:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Dropped returns the number of entries that were not written.
func (l *Log) Dropped() int64 { return l.dropped.Load() }

// Close writes the queued entries. Entries that are added later, by requests that outlive the
// server, are not written.
func (l *Log) Close() {
	close(l.closing)
	l.done.Wait()
}

func (l *Log) run() {
	var batch []pending
	var retry time.Time // of a batch that could not be written
	tick := time.NewTicker(flushEvery)
	defer tick.Stop()
	for {
		strict, queue := false, l.queue
		if len(batch) >= queued { // the database is away: the queue fills next
			queue = nil
		}
		select {
		case p := <-queue:
			batch = append(batch, p)
			strict = p.written != nil && len(l.queue) == 0 // those that wait together are written together
		case <-tick.C:
			strict = true
		case <-l.closing:
			for len(l.queue) > 0 {
				batch = append(batch, <-l.queue)
			}
			for len(batch) > 0 {
				n := min(len(batch), maxBatch)
				if l.flush(batch[:n]) != nil {
					l.drop(len(batch))
					return
				}
				batch = batch[n:]
			}
			return
		}
		if (strict || len(batch)%maxBatch == 0) && time.Now().After(retry) {
			batch, retry = l.write(batch)
		}
	}
}

// retryAfter is the time until a batch that could not be written is tried again.
const retryAfter = time.Second

// write writes a batch. If the database is away or full, it returns the entries that are
// still to be written, and the time of the next try.
func (l *Log) write(batch []pending) (rest []pending, retry time.Time) {
	err := l.flush(batch)
	if err == nil {
		return batch[:0], retry
	}
	if !errors.Is(err, abi.ErrUnavailable) && !errors.Is(err, abi.ErrLimit) && !errors.Is(err, context.DeadlineExceeded) {
		l.drop(len(batch))
		return nil, retry
	}
	rest = slices.DeleteFunc(batch, func(p pending) bool { return p.written != nil }) // their callers know
	return rest, time.Now().Add(retryAfter)
}

func (l *Log) drop(n int) {
	l.dropped.Add(int64(n))
	l.log.Error("audit entries are lost", "entries", n)
}

// writeLimit is the time of one batch.
const writeLimit = 10 * time.Second

// flush writes a batch and answers those who wait.
func (l *Log) flush(batch []pending) error {
	if len(batch) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), writeLimit)
	defer cancel()
	entries := make([]Entry, len(batch))
	for i, p := range batch {
		entries[i] = p.Entry
	}
	err := l.db.Write(ctx, func(tx *database.Tx) error { return Append(ctx, tx, l.keys, l.writer, entries...) })
	if err != nil {
		l.log.Error("audit log cannot be written", "entries", len(batch), "cause", err)
		err = errors.Join(ErrFull, err)
	}
	for _, p := range batch {
		if p.written != nil {
			p.written <- err
		}
	}
	return err
}
