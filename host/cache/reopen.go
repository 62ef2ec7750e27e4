package cache

import (
	"errors"
	"fmt"
	"os"
	"time"

	bolt "go.etcd.io/bbolt"
)

const (
	retryFirst = time.Second // delay after a failed write; doubles
	retryMost  = time.Minute

	// maxDrops is the maximum number of pending deletions, of about 100 bytes each,
	// while the file cannot be written. A file of default size contains fewer values.
	maxDrops = 128 << 10
)

// replaceBroken replaces the file if it is dead or no longer the one at its path.
func (c *Cache) replaceBroken() {
	c.mu.Lock()
	f, off := c.file, c.offErr
	c.mu.Unlock()
	if f == nil || off != nil {
		return
	}
	select {
	case <-f.dead:
		c.replace(f, f.cause)
	default:
		if info, err := os.Stat(c.path); err != nil || !os.SameFile(info, f.info) {
			c.replace(f, nil)
		}
	}
}

// replace closes f and opens another file. cause is the damage of f; it is nil if f
// was only moved or deleted.
func (c *Cache) replace(f *file, cause error) {
	c.mu.Lock()
	c.file = nil
	c.mu.Unlock()
	f.close()
	if cause != nil {
		_ = c.quarantine(cause) // on failure reopen fails too and returns the error
	}
	if err := c.reopen(); err != nil {
		c.switchOff(err)
	}
}

// reopen opens the file, quarantines it if it is invalid, and adds its entries to
// the index.
func (c *Cache) reopen() error {
	f, found, err := openAndRead(c.path)
	if errors.Is(err, errDead) {
		if err := c.quarantine(err); err != nil {
			return err
		}
		f, found, err = openAndRead(c.path)
	}
	if err != nil {
		return err
	}
	c.takeOver(f, found)
	return nil
}

func openAndRead(path string) (*file, contents, error) {
	f, err := openFile(path)
	if err != nil {
		return nil, contents{}, err
	}
	found, err := readContents(f)
	if err != nil {
		f.close()
		return nil, contents{}, err
	}
	return f, found, nil
}

// takeOver adds the entries of a newly opened file to the index. Values in memory are
// newer and are written again. Entries that were only in the previous file are
// removed.
func (c *Cache) takeOver(f *file, found contents) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.queue, c.queued = nil, 0
	drops := c.index.drops
	c.index.drops = make(map[id]struct{}) // keeps only ids that are in this file
	for _, e := range c.index.entries {
		if e.mem == nil {
			c.index.unlink(e)
			continue
		}
		c.index.removeHot(e)
		e.stored, e.dirty, e.shadows = false, true, false
		c.queue = append(c.queue, e)
		c.queued += int64(e.size)
	}
	for _, e := range found.entries {
		if newer := c.index.entries[e.id]; newer != nil {
			newer.shadows = true
		} else if _, dropped := drops[e.id]; dropped {
			c.index.drops[e.id] = struct{}{}
		} else {
			c.index.add(e)
		}
	}
	for _, i := range found.damaged {
		c.index.drops[i] = struct{}{}
		c.faults.Damaged++
	}
	if !c.counted {
		c.addCounts(found.counts)
	}
	c.faults.Evicted += int64(c.index.evict())
	c.file = f
}

// quarantine renames the file and logs the cause.
func (c *Cache) quarantine(cause error) error {
	to, err := renameCorrupt(c.path, c.now())
	if err != nil {
		return fmt.Errorf("%v; setting it aside: %w", cause, err)
	}
	c.mu.Lock()
	c.faults.SetAside++
	c.mu.Unlock()
	c.log.Warn("cache file set aside, creating a new one", "file", c.path, "kept", to, "cause", cause)
	return nil
}

// writeFailed handles the error of a write: a dead file is replaced by replaceBroken; for any
// other error, writing is switched off.
func (c *Cache) writeFailed(err error) {
	if errors.Is(err, errDead) {
		c.nudge()
		return
	}
	c.switchOff(err)
}

// switchOff stops writing and schedules a retry. It logs a warning at the first
// failure only. Queued values stay in memory, within its limit.
func (c *Cache) switchOff(err error) {
	c.mu.Lock()
	first := c.offErr == nil
	c.offErr = err
	for _, e := range c.queue {
		if c.index.entries[e.id] != e {
			continue
		}
		c.faults.Dropped++
		c.index.cancelWrite(e)
	}
	c.queue, c.queued = nil, 0
	tooMany := len(c.index.drops) > maxDrops
	c.mu.Unlock()
	if tooMany && os.Remove(c.path) == nil { // replaceBroken creates a new one
		c.log.Warn("cache file removed, most of it is outdated", "file", c.path)
	}
	if first {
		c.pause = retryFirst
		c.log.Warn("cache is off, calls continue without it", "file", c.path, "cause", err)
	} else {
		c.pause = min(2*c.pause, retryMost)
	}
	c.retry.Reset(c.pause)
}

// retryWrite switches writing on again if the disk can be written.
func (c *Cache) retryWrite() {
	c.mu.Lock()
	f := c.file
	c.mu.Unlock()
	if f == nil {
		if err := c.reopen(); err != nil {
			c.switchOff(err)
			return
		}
		c.mu.Lock()
		f = c.file
		c.mu.Unlock()
	}
	if err := probe(f); err != nil && !errors.Is(err, errDead) {
		c.switchOff(err)
		return
	}
	c.mu.Lock()
	c.offErr = nil
	c.mu.Unlock()
	c.log.Info("cache is on again", "file", c.path)
	c.flush()
}

// probe writes and deletes a value of ordinary size.
func probe(f *file) error {
	err := f.write(func(tx *bolt.Tx) error {
		return tx.Bucket(bucketCounts).Put(probeKey, make([]byte, 64<<10))
	})
	if err != nil {
		return err
	}
	return f.write(func(tx *bolt.Tx) error { return tx.Bucket(bucketCounts).Delete(probeKey) })
}
