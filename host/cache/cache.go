package cache

import (
	"bytes"
	"errors"
	"log/slog"
	"sync"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
)

// Options are the settings of Open. The zero value suits a daemon.
type Options struct {
	MaxBytes    int64            // limit of all values plus 1 KiB each; default 100 MiB; the file is about 1.5 times as large
	MemoryBytes int64            // limit of values that are also in memory; default 16 MiB
	ModuleBytes int64            // limit of cache_set values of one module; default 64 MiB
	Now         func() time.Time // default time.Now
	Log         *slog.Logger     // default: discard
}

const (
	defaultMaxBytes    = 100 << 20
	defaultMemoryBytes = 16 << 20
	maxDirtyBytes      = 32 << 20 // limit of the writer's queue; further values stay in memory only
)

// Cache is the cache of one home. It is safe for concurrent use.
type Cache struct {
	path        string
	moduleBytes int64
	now         func() time.Time
	log         *slog.Logger

	mu      sync.Mutex // guards the fields below; not held during I/O
	index   *index
	file    *file // nil while there is no usable file
	offErr  error // why writing is off; nil if it is on
	queue   []*entry
	queued  int64 // bytes in queue
	seq     uint64
	counts  map[group]*Counts
	dirty   map[group]struct{} // counts to save
	counted bool               // the saved counts have been added
	faults  Faults
	closed  bool

	writer
}

// Open opens the cache at path and creates the directory and the file if necessary.
//
// A file that is damaged, unreadable or not a cache is renamed to
// path.corrupt-<time> and replaced. If the file cannot be created, the cache uses
// memory only and retries periodically.
//
// It returns abi.ErrConflict if another process has the file open for more than 1 s.
func Open(path string, o Options) (*Cache, error) {
	if o.MaxBytes <= 0 {
		o.MaxBytes = defaultMaxBytes
	}
	if o.MemoryBytes <= 0 {
		o.MemoryBytes = defaultMemoryBytes
	}
	if o.ModuleBytes <= 0 {
		o.ModuleBytes = abi.LimitCacheModuleBytes
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	c := &Cache{
		path: path, moduleBytes: o.ModuleBytes, now: o.Now, log: o.Log,
		index:  newIndex(o.MaxBytes, o.MemoryBytes),
		counts: make(map[group]*Counts),
		dirty:  make(map[group]struct{}),
		writer: newWriter(),
	}
	err := c.reopen()
	if errors.Is(err, abi.ErrConflict) {
		return nil, err
	}
	if err != nil {
		c.switchOff(err)
	}
	go c.loop()
	return c, nil
}

// Close writes the queue and closes the file. A second call does nothing. On a closed
// Cache, Get misses and Put does nothing.
func (c *Cache) Close() error {
	c.mu.Lock()
	first := !c.closed
	c.closed = true
	c.mu.Unlock()
	if first {
		close(c.stop)
	}
	<-c.done
	return nil
}

// Get returns the value under key if its producer is by. It reads the file if the
// value is not in memory. The value is shared: the caller must not modify it.
func (c *Cache) Get(key [32]byte, by flow.Producer) ([]byte, bool) {
	return c.get(id{kindValue, key}, by)
}

// CountHit counts a hit for a caller that still has the value and needs no look-up.
func (c *Cache) CountHit(by flow.Producer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.count(id{kind: kindValue}, by, true)
}

// Put stores a value under key, replacing an existing one. The caller must not modify
// the value afterwards. Put does no I/O: the file is written in the background.
// Values larger than a quarter of MaxBytes are not stored.
func (c *Cache) Put(key [32]byte, by flow.Producer, value []byte) {
	c.put(id{kindValue, key}, by, value)
}

func (c *Cache) get(i id, by flow.Producer) ([]byte, bool) {
	c.mu.Lock()
	e := c.index.entries[i]
	if e == nil || e.by != by || c.closed {
		c.count(i, by, false)
		c.mu.Unlock()
		return nil, false
	}
	if e.mem != nil {
		c.index.touch(e, c.now().UnixMilli())
		c.count(i, by, true)
		value := e.mem
		c.mu.Unlock()
		return value, true
	}
	f, seq := c.file, e.seq
	c.mu.Unlock()

	value, err := loadValue(f, i, by)

	c.mu.Lock()
	defer c.mu.Unlock()
	same := c.index.entries[i] == e && e.seq == seq
	c.count(i, by, err == nil)
	switch {
	case errors.Is(err, errRecord) && same:
		c.index.remove(e)
		c.faults.Damaged++
		c.nudge()
	case err != nil:
		c.nudge() // the file is dead or was replaced; the writer reopens it
	case same:
		c.index.touch(e, c.now().UnixMilli())
		if e.mem == nil {
			e.mem = value
			c.index.addHot(e)
		}
	}
	return value, err == nil
}

// loadValue reads one value from the file and checks it. It copies the value first,
// because mapped memory may change.
func loadValue(f *file, i id, by flow.Producer) ([]byte, error) {
	if f == nil {
		return nil, errDead
	}
	var rec []byte
	err := f.read(func(tx *bolt.Tx) error {
		rec = bytes.Clone(tx.Bucket(bucketOf(i.kind)).Get(i.key[:]))
		return nil
	})
	if err != nil {
		return nil, err
	}
	return decodeValue(rec, i, by)
}

func (c *Cache) put(i id, by flow.Producer, value []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.add(i, by, value)
}

// add adds a value to the index and the queue. The caller holds mu.
func (c *Cache) add(i id, by flow.Producer, value []byte) {
	if c.closed || int64(len(value)) > c.index.maxBytes/4 {
		c.faults.Dropped++
		return
	}
	if value == nil {
		value = []byte{} // nil means: not in memory
	}
	c.seq++
	e := &entry{id: i, by: by, size: len(value), mem: value, used: c.now().UnixMilli(), seq: c.seq,
		shadows: c.index.canBeStored(i)}
	c.index.add(e)
	if c.offErr == nil && c.queued+int64(e.size) <= maxDirtyBytes {
		e.dirty = true
		c.queue = append(c.queue, e)
		c.queued += int64(e.size)
		c.nudge()
	} else {
		c.faults.Dropped++
		c.index.cancelWrite(e)
	}
	c.faults.Evicted += int64(c.index.evict())
}
