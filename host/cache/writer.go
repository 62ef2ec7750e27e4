package cache

import (
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/mcpctl/mcpctl/host/flow"
)

const (
	batchDelay = 20 * time.Millisecond // wait for more values to write together
	batchBytes = 4 << 20               // limit of one transaction
	batchDrops = 4096                  // deletions in one transaction
	keepEvery  = 30 * time.Second      // interval of saving last uses and counters, and of fsync
	touchAfter = time.Minute           // precision of saved last uses
)

// writer is the state of the goroutine that owns the file. Only this goroutine
// opens, writes, syncs, replaces and closes it.
type writer struct {
	wake  chan struct{} // the queue is not empty, or the file is dead
	sync  chan chan struct{}
	stop  chan struct{}
	done  chan struct{}
	retry *time.Timer
	pause time.Duration
}

func newWriter() writer {
	w := writer{
		wake:  make(chan struct{}, 1),
		sync:  make(chan chan struct{}),
		stop:  make(chan struct{}),
		done:  make(chan struct{}),
		retry: time.NewTimer(retryMost),
	}
	w.retry.Stop()
	return w
}

// nudge wakes the writer.
func (w *writer) nudge() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// Flush waits until the writer has processed all values put before. It is meant for
// tests and for commands that report afterwards.
func (c *Cache) Flush() {
	ack := make(chan struct{})
	select {
	case c.sync <- ack:
		<-ack
	case <-c.done:
	}
}

func (c *Cache) loop() {
	defer close(c.done)
	defer c.retry.Stop()
	keep := time.NewTicker(keepEvery)
	defer keep.Stop()
	for {
		select {
		case <-c.wake:
			ack, stopped := c.waitForMore()
			c.flush()
			if ack != nil {
				close(ack)
			}
			if stopped {
				c.shutDown()
				return
			}
		case ack := <-c.sync:
			c.flush()
			c.saveMetadata()
			close(ack)
		case <-keep.C:
			c.flush()
			c.saveMetadata()
		case <-c.retry.C:
			c.retryWrite()
		case <-c.stop:
			c.shutDown()
			return
		}
	}
}

// waitForMore waits batchDelay for more values, or until Flush or Close is called.
func (c *Cache) waitForMore() (ack chan struct{}, stopped bool) {
	t := time.NewTimer(batchDelay)
	defer t.Stop()
	select {
	case <-t.C:
	case ack = <-c.sync:
	case <-c.stop:
		stopped = true
	}
	return ack, stopped
}

func (c *Cache) shutDown() {
	c.flush()
	c.saveMetadata()
	c.mu.Lock()
	f := c.file
	c.file = nil
	c.mu.Unlock()
	if f != nil {
		f.close()
	}
}

// flush writes the queue and the drops, batch by batch.
func (c *Cache) flush() {
	c.replaceBroken()
	for {
		f, batch, drops := c.takeBatch()
		if len(batch) == 0 && len(drops) == 0 {
			return
		}
		err := f.write(func(tx *bolt.Tx) error { return writeBatch(tx, batch, drops) })
		c.finishBatch(batch, drops, err)
		if err != nil {
			c.writeFailed(err)
			return
		}
	}
}

// job is the part of an entry that is written, copied when its batch was taken.
type job struct {
	entry *entry
	id    id
	by    flow.Producer
	value []byte
	used  int64
}

func (c *Cache) takeBatch() (*file, []job, []id) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.file == nil || c.offErr != nil {
		return nil, nil, nil
	}
	var drops []id
	for i := range c.index.drops {
		if len(drops) == batchDrops {
			break
		}
		drops = append(drops, i)
		delete(c.index.drops, i)
	}
	var batch []job
	size := 0
	for len(c.queue) > 0 && size < batchBytes {
		e := c.queue[0]
		c.queue[0] = nil
		c.queue = c.queue[1:]
		c.queued -= int64(e.size)
		if c.index.entries[e.id] != e {
			continue // evicted or replaced before it was written
		}
		size += e.size
		batch = append(batch, job{entry: e, id: e.id, by: e.by, value: e.mem, used: e.used})
	}
	return c.file, batch, drops
}

func writeBatch(tx *bolt.Tx, batch []job, drops []id) error {
	notes := tx.Bucket(bucketIndex)
	for _, i := range drops {
		if err := tx.Bucket(bucketOf(i.kind)).Delete(i.key[:]); err != nil {
			return err
		}
		if err := notes.Delete(storedKey(i)); err != nil {
			return err
		}
	}
	for _, j := range batch {
		rec := appendValue(make([]byte, 0, valueExtra+len(j.value)), j.id, j.by, j.value)
		if err := tx.Bucket(bucketOf(j.id.kind)).Put(j.id.key[:], rec); err != nil {
			return err
		}
		n := note{used: j.used, size: len(j.value), by: j.by}
		if err := notes.Put(storedKey(j.id), appendNote(nil, j.id, n)); err != nil {
			return err
		}
	}
	return nil
}

// finishBatch records the result of a batch. After an error the contents of the file are
// unknown, so all keys of the batch are deleted when the file can be written again.
// The values stay in memory.
func (c *Cache) finishBatch(batch []job, drops []id, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, i := range drops {
		if err != nil {
			c.index.restoreDrop(i)
		}
	}
	for _, j := range batch {
		e := j.entry
		if c.index.entries[j.id] != e {
			continue
		}
		e.dirty = false
		e.stored, e.saved = err == nil, j.used
		if err != nil {
			c.index.drops[j.id] = struct{}{}
			c.faults.Dropped++
		}
		c.index.addHot(e)
	}
}

// saveMetadata saves last uses and counters and syncs the file.
func (c *Cache) saveMetadata() {
	c.replaceBroken()
	c.mu.Lock()
	f := c.file
	if f == nil || c.offErr != nil {
		c.mu.Unlock()
		return
	}
	notes := make(map[id]note, len(c.index.touched))
	for e := range c.index.touched {
		notes[e.id] = note{used: e.used, size: e.size, by: e.by}
		e.saved = e.used
	}
	clear(c.index.touched)
	counts := c.takeChangedCounts()
	c.mu.Unlock()
	if len(notes) == 0 && len(counts) == 0 {
		return
	}
	err := f.write(func(tx *bolt.Tx) error {
		for i, n := range notes {
			if err := tx.Bucket(bucketIndex).Put(storedKey(i), appendNote(nil, i, n)); err != nil {
				return err
			}
		}
		return writeCounts(tx, counts)
	})
	if err == nil {
		err = f.run(f.db.Sync)
	}
	if err != nil {
		c.writeFailed(err)
	}
}
