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

// Options of Open; the zero value is right for a daemon.
type Options struct {
	MaxBytes    int64            // of all values, each with 1 KiB for its keeping; default 100 MiB, the file about 1.5 times that
	MemoryBytes int64            // of values kept in memory as well; default 16 MiB
	ModuleBytes int64            // of what guests of one module keep by cache_set; default 64 MiB
	Now         func() time.Time // default time.Now
	Log         *slog.Logger     // default: nothing is logged
}

const (
	defaultMaxBytes    = 100 << 20
	defaultMemoryBytes = 16 << 20
	maxDirtyBytes      = 32 << 20 // waiting for the writer; beyond it values stay in memory only
)

// Cache is the cache of one home. Safe for concurrent use.
type Cache struct {
	path        string
	moduleBytes int64
	now         func() time.Time
	log         *slog.Logger

	mu      sync.Mutex // guards what follows; never held across I/O
	index   *index
	file    *file // nil while there is none that can be used
	off     error // why nothing is written; nil while all is well
	queue   []*entry
	queued  int64 // bytes in queue
	seq     uint64
	counts  map[group]*Counts
	dirty   map[group]struct{} // counts to be saved
	counted bool               // the saved counts have been added
	faults  Faults
	closed  bool

	writer
}

// Open opens the cache at path, making folder and file if need be.
//
// A file that is damaged, foreign or unreadable is renamed to
// path.corrupt-<time> and replaced. If the disk gives no file at all the cache
// works from memory and tries again now and then.
//
// Errors: abi.ErrConflict if another process has the file open (after 1 s).
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

// Close writes what is still waiting and closes the file. A second call does
// nothing; a closed Cache misses and keeps nothing.
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

// Get returns the value under key if "by" made it. It costs a look-up in memory,
// or one read of the file the first time. The value is shared: nobody modifies it.
func (c *Cache) Get(key [32]byte, by flow.Producer) ([]byte, bool) {
	return c.get(id{kindValue, key}, by)
}

// CountHit counts a look-up that was not needed: what the cache would have
// answered was still at hand.
func (c *Cache) CountHit(by flow.Producer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.count(id{kind: kindValue}, by, true)
}

// Put keeps a value, which from then on nobody modifies, in place of one under
// the same key. It costs no I/O: the file is written in the background, and a
// value over a quarter of MaxBytes is not kept.
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

	value, err := load(f, i, by)

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
		c.nudge() // the file died or was replaced: the writer sees to it
	case same:
		c.index.touch(e, c.now().UnixMilli())
		if e.mem == nil {
			e.mem = value
			c.index.heat(e)
		}
	}
	return value, err == nil
}

// load reads one value from the file and checks it. It is copied before it is
// checked: the mapping may change under us.
func load(f *file, i id, by flow.Producer) ([]byte, error) {
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
	return openValue(rec, i, by)
}

func (c *Cache) put(i id, by flow.Producer, value []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.enter(i, by, value)
}

// enter is put for callers that hold the lock.
func (c *Cache) enter(i id, by flow.Producer, value []byte) {
	if c.closed || int64(len(value)) > c.index.maxBytes/4 {
		c.faults.Dropped++
		return
	}
	if value == nil {
		value = []byte{} // nil says: not in memory
	}
	c.seq++
	e := &entry{id: i, by: by, size: len(value), mem: value, used: c.now().UnixMilli(), seq: c.seq,
		shadows: c.index.mayBeStored(i)}
	c.index.add(e)
	if c.off == nil && c.queued+int64(e.size) <= maxDirtyBytes {
		e.dirty = true
		c.queue = append(c.queue, e)
		c.queued += int64(e.size)
		c.nudge()
	} else {
		c.faults.Dropped++
		c.index.forgo(e)
	}
	c.faults.Evicted += int64(c.index.evict())
}
