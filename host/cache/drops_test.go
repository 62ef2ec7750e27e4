package cache

import (
	"encoding/binary"
	"errors"
	"log/slog"
	"testing"
)

// turnOff switches writing off, as for an unwritable disk, until the returned
// function is called.
func (c *Cache) turnOff() (on func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.offErr = errors.New("no space left on device")
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.offErr = nil
	}
}

func (c *Cache) drops() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.index.drops)
}

// While writing is off, only keys with an outdated value in the file are to be
// deleted.
func TestOnlyStoredKeysAreToBeDeleted(t *testing.T) {
	path := tempPath(t)
	c := open(t, path, Options{MemoryBytes: 1 << 20})
	fill(c, 0, 10)
	c.Flush()
	on := c.turnOff()
	fill(c, 100, 5000)
	fill(c, 100, 5000)
	if n := c.drops(); n != 0 {
		t.Errorf("%d keys to delete, want 0: none is in the file", n)
	}
	for range 3 {
		c.Put(keyOf(3), home, []byte("newer"))
	}
	if n := c.drops(); n != 1 {
		t.Errorf("%d keys to delete, want 1: that of the outdated value", n)
	}
	on()
	_ = c.Close()
	c = open(t, path, Options{})
	if v, ok := c.Get(keyOf(3), home); ok {
		t.Errorf("an outdated value is served: %.20q", v)
	}
	if n := countServed(t, c, 4, 10); n != 6 {
		t.Errorf("%d of 6 values served", n)
	}
}

// The values in memory are written to the new file.
func TestMostlyOutdatedFileIsReplaced(t *testing.T) {
	path := tempPath(t)
	log := newRecorder()
	c := open(t, path, Options{Log: slog.New(log)})
	fill(c, 0, 10)
	c.Flush()
	c.mu.Lock()
	for n := range maxDrops + 1 {
		var key [32]byte
		binary.BigEndian.PutUint64(key[:], uint64(n))
		c.index.drops[id{kindValue, key}] = struct{}{}
	}
	c.offErr = errors.New("no space left on device") // before the writer deletes any
	c.mu.Unlock()
	c.switchOff(c.offErr)
	log.next(t, "removed")
	log.next(t, "on again")
	c.Flush()
	if n := c.drops(); n != 0 {
		t.Errorf("%d keys to delete of a new file", n)
	}
	_ = c.Close()
	if n := countServed(t, open(t, path, Options{}), 0, 10); n != 10 {
		t.Errorf("%d of 10 values in the new file", n)
	}
}
