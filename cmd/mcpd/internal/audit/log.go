package audit

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

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
}

type pending struct {
	Entry
	written chan<- error // nil: nobody waits
}

// OpenLog returns the Log of one process. writer is unique for each run of a process.
func OpenLog(db *database.DB, keys *keyring.Ring, writer string, log *slog.Logger) *Log {
	l := &Log{db: db, keys: keys, writer: writer, log: log, queue: make(chan pending, queued)}
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

// Close writes the queued entries. No entry may be added any more.
func (l *Log) Close() {
	close(l.queue)
	l.done.Wait()
}

func (l *Log) run() {
	var batch []pending
	tick := time.NewTicker(flushEvery)
	defer tick.Stop()
	for {
		strict := false
		select {
		case p, open := <-l.queue:
			if !open {
				l.flush(batch)
				return
			}
			batch = append(batch, p)
			strict = p.written != nil && len(l.queue) == 0 // those that wait together are written together
		case <-tick.C:
			strict = true
		}
		if strict || len(batch) >= maxBatch {
			l.flush(batch)
			batch = batch[:0]
		}
	}
}

// writeLimit is the time of one batch.
const writeLimit = 10 * time.Second

func (l *Log) flush(batch []pending) {
	if len(batch) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), writeLimit)
	defer cancel()
	entries := make([]Entry, len(batch))
	for i, p := range batch {
		entries[i] = p.Entry
	}
	err := l.db.Write(ctx, func(tx *database.Tx) error { return Append(ctx, tx, l.keys, l.writer, entries...) })
	if err != nil {
		l.dropped.Add(int64(len(batch)))
		l.log.Error("audit log cannot be written", "entries", len(batch), "cause", err)
		err = errors.Join(ErrFull, err)
	}
	for _, p := range batch {
		if p.written != nil {
			p.written <- err
		}
	}
}
