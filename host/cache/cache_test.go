package cache

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
)

var home = flow.Producer{Project: "home", Role: "section-split", ModuleHash: "aaaa"}

// valueOf returns the only valid value for key n. Size and bytes depend on n, so that
// tests recognise wrong values.
func valueOf(n int) []byte {
	sum := sha256.Sum256(binary.BigEndian.AppendUint64(nil, uint64(n)))
	return bytes.Repeat(sum[:], 1+int(sum[0])*int(sum[1])/64) // 32 bytes to 32 KB
}

func keyOf(n int) [32]byte { return sha256.Sum256(fmt.Appendf(nil, "key %d", n)) }

func open(t testing.TB, path string, o Options) *Cache {
	t.Helper()
	c, err := Open(path, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func tempPath(t testing.TB) string { return filepath.Join(t.TempDir(), "proxymodel", "cache.db") }

func fill(c *Cache, from, to int) {
	for n := from; n < to; n++ {
		c.Put(keyOf(n), home, valueOf(n))
	}
}

// countServed returns how many keys in [from, to) are served, and fails on a wrong value.
func countServed(t testing.TB, c *Cache, from, to int) (served int) {
	t.Helper()
	for n := from; n < to; n++ {
		if v, ok := c.Get(keyOf(n), home); ok {
			served++
			if !bytes.Equal(v, valueOf(n)) {
				t.Fatalf("key %d: got %d wrong bytes, want %d", n, len(v), len(valueOf(n)))
			}
		}
	}
	return served
}

func TestValuesSurviveRestart(t *testing.T) {
	path := tempPath(t)
	c := open(t, path, Options{})
	fill(c, 0, 100)
	if got := countServed(t, c, 0, 100); got != 100 {
		t.Errorf("before the restart: %d of 100 served", got)
	}
	_ = c.Close()
	_ = c.Close()
	if _, ok := c.Get(keyOf(1), home); ok {
		t.Error("hit in a closed cache")
	}
	c.Put(keyOf(1), home, nil)

	c = open(t, path, Options{MemoryBytes: 1}) // no value fits in memory: all reads use the file
	for range 2 {
		if got := countServed(t, c, 0, 100); got != 100 {
			t.Errorf("after the restart: %d of 100 served", got)
		}
	}
	if got := countServed(t, c, 100, 200); got != 0 {
		t.Errorf("%d values served that were never put", got)
	}
}

func TestEmptyAndReplacedValues(t *testing.T) {
	path := tempPath(t)
	c := open(t, path, Options{})
	c.Put(keyOf(1), home, nil)
	c.Put(keyOf(2), home, []byte("old"))
	c.Flush()
	c.Put(keyOf(2), home, []byte("new"))
	_ = c.Close()
	c = open(t, path, Options{})
	for n, want := range map[int]string{1: "", 2: "new"} {
		if got, ok := c.Get(keyOf(n), home); !ok || string(got) != want {
			t.Errorf("key %d: got %q, %v, want %q", n, got, ok, want)
		}
	}
}

func TestSameKeyOfOtherProducerMisses(t *testing.T) {
	c := open(t, tempPath(t), Options{})
	c.Put(keyOf(1), home, valueOf(1))
	for name, by := range map[string]flow.Producer{
		"other project": {Project: "work", Role: home.Role, ModuleHash: home.ModuleHash},
		"other role":    {Project: home.Project, Role: "head", ModuleHash: home.ModuleHash},
		"other module":  {Project: home.Project, Role: home.Role, ModuleHash: "bbbb"},
	} {
		if _, ok := c.Get(keyOf(1), by); ok {
			t.Errorf("%s: served", name)
		}
	}
}

func TestLeastRecentlyUsedValueIsEvicted(t *testing.T) {
	const size, room = 10_000, 8
	now := time.UnixMilli(1_000_000)
	o := Options{MaxBytes: room * (size + entryOverhead), Now: func() time.Time { return now }}
	path := tempPath(t)
	c := open(t, path, o)
	put := func(n int) {
		now = now.Add(time.Millisecond)
		c.Put(keyOf(n), home, make([]byte, size))
	}
	has := func(n int) bool { _, ok := c.Get(keyOf(n), home); return ok }
	for n := range room {
		put(n)
	}
	now = now.Add(2 * touchAfter)
	if !has(0) {
		t.Fatal("key 0 evicted within the limit")
	}
	_ = c.Close() // saves the last use of key 0
	c = open(t, path, o)
	put(room)
	if has(1) {
		t.Error("key 1, the least recently used, was not evicted")
	}
	if !has(0) || !has(2) || !has(room) {
		t.Error("another key than 1 was evicted")
	}
	if got := c.Stats(); got.Entries != room || got.Faults.Evicted != 1 {
		t.Errorf("got %d entries, %d evicted, want %d and 1", got.Entries, got.Faults.Evicted, room)
	}
	c.Put(keyOf(99), home, make([]byte, o.MaxBytes/2))
	if has(99) || !has(0) {
		t.Error("a value over a quarter of the limit evicted others")
	}
}

func TestSmallerLimitEvictsAtOpen(t *testing.T) {
	path := tempPath(t)
	c := open(t, path, Options{})
	fill(c, 0, 200)
	_ = c.Close()
	c = open(t, path, Options{MaxBytes: 50_000})
	if s := c.Stats(); s.Bytes > 50_000 || s.Entries == 0 {
		t.Errorf("got %d bytes in %d entries, limit 50000", s.Bytes, s.Entries)
	}
	_ = c.Close()
	c = open(t, path, Options{})
	if s := c.Stats(); s.Bytes > 50_000 {
		t.Errorf("evicted values are in the file: %d bytes", s.Bytes)
	}
}

func TestFileSizeIsBounded(t *testing.T) {
	const limit = 4 << 20
	path := tempPath(t)
	c := open(t, path, Options{MaxBytes: limit, MemoryBytes: 1 << 20})
	var most int64
	for n := range 4000 {
		c.Put(keyOf(n), home, valueOf(n))
		if n%100 == 0 {
			c.Flush()
			info, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			most = max(most, info.Size())
		}
	}
	t.Logf("file %.1f MB at a limit of %.1f MB", float64(most)/1e6, float64(limit)/1e6)
	if most > 4*limit {
		t.Errorf("file grew to %d bytes at a limit of %d", most, limit)
	}
	countServed(t, c, 0, 4000)
}

func TestListClearStats(t *testing.T) {
	path := tempPath(t)
	c := open(t, path, Options{})
	work := flow.Producer{Project: "work", Role: "head", ModuleHash: "bbbb"}
	c.Put(keyOf(1), home, []byte("one"))
	c.Put(keyOf(2), work, []byte("four"))
	if err := c.KV(home, nil).Set([]byte("k"), []byte("v")); err != nil {
		t.Fatal(err)
	}
	c.Get(keyOf(1), home)
	c.Get(keyOf(1), home)
	c.Get(keyOf(1), work)
	_ = c.Close()
	c = open(t, path, Options{})
	s := c.Stats()
	if s.Entries != 3 || s.Bytes != 8 || s.Hits != 2 || s.Misses != 1 || s.Guest != (Sum{1, 1}) {
		t.Errorf("after a restart: %+v", s)
	}
	if len(s.Groups) != 2 || s.Groups[0].Project != "home" || s.Groups[0].HitRate != 1 || s.Groups[1].Misses != 1 {
		t.Errorf("groups: %+v", s.Groups)
	}
	if l := c.List("home"); len(l) != 2 || l[0].Project != "home" {
		t.Errorf("list of home: %+v", l)
	}
	if n, err := c.Clear("home"); n != 2 || err != nil {
		t.Errorf("clear: %d, %v, want 2", n, err)
	}
	_ = c.Close()
	c = open(t, path, Options{})
	if l := c.List(""); len(l) != 1 || l[0].Producer != work {
		t.Errorf("after clear and restart: %+v", l)
	}
}

func TestSecondProcessGetsConflict(t *testing.T) {
	path := tempPath(t)
	open(t, path, Options{})
	_, err := Open(path, Options{})
	if !errors.Is(err, abi.ErrConflict) || !strings.Contains(err.Error(), path) {
		t.Errorf("got %v, want a conflict that names %s", err, path)
	}
}

// Names are private to module hash, role, config and project.
func TestGuestNamesArePrivate(t *testing.T) {
	c := open(t, tempPath(t), Options{})
	by, config, name := home, []byte(`{"a":1}`), []byte("summary:1:200")
	if err := c.KV(by, config).Set(name, []byte("mine")); err != nil {
		t.Fatal(err)
	}
	if v, ok := c.KV(by, config).Get(name); !ok || string(v) != "mine" {
		t.Errorf("own value: %q, %v", v, ok)
	}
	tests := map[string]struct {
		by     flow.Producer
		config string
		name   string
	}{
		"other module":                      {flow.Producer{Project: by.Project, Role: by.Role, ModuleHash: "b"}, `{"a":1}`, string(name)},
		"other role":                        {flow.Producer{Project: by.Project, Role: "r", ModuleHash: by.ModuleHash}, `{"a":1}`, string(name)},
		"other project":                     {flow.Producer{Project: "p", Role: by.Role, ModuleHash: by.ModuleHash}, `{"a":1}`, string(name)},
		"other config":                      {by, `{"a":2}`, string(name)},
		"other name":                        {by, `{"a":1}`, "summary:1:201"},
		"other boundary of config and name": {by, `{"a":1}s`, "ummary:1:200"},
	}
	for rule, tt := range tests {
		if v, ok := c.KV(tt.by, []byte(tt.config)).Get([]byte(tt.name)); ok {
			t.Errorf("%s reads %q", rule, v)
		}
	}
}

func TestGuestLimits(t *testing.T) {
	path := tempPath(t)
	c := open(t, path, Options{ModuleBytes: 100})
	kv := c.KV(home, nil)
	set := func(c *Cache, name string, size int) error {
		return c.KV(home, nil).Set([]byte(name), make([]byte, size))
	}
	if err := set(c, strings.Repeat("long name ", 1000), 60); err != nil {
		t.Errorf("long name: %v", err)
	}
	if err := set(c, "b", 41); !errors.Is(err, abi.ErrLimit) || !strings.Contains(err.Error(), "101") {
		t.Errorf("over the module's limit: %v", err)
	}
	if _, ok := kv.Get([]byte("b")); ok {
		t.Error("a rejected value was stored")
	}
	if err := set(c, "c", 40); err != nil {
		t.Errorf("at the limit: %v", err)
	}
	if err := set(c, "c", 30); err != nil {
		t.Errorf("replaced by a smaller one: %v", err)
	}
	if err := kv.Set([]byte("d"), make([]byte, abi.LimitCacheValueBytes+1)); !errors.Is(err, abi.ErrLimit) {
		t.Errorf("value over 4 MiB: %v", err)
	}
	other := flow.Producer{Project: "home", Role: "head", ModuleHash: "bbbb"}
	if err := c.KV(other, nil).Set([]byte("b"), make([]byte, 90)); err != nil {
		t.Errorf("another module: %v", err)
	}
	_ = c.Close()
	c = open(t, path, Options{ModuleBytes: 100})
	if err := set(c, "e", 20); !errors.Is(err, abi.ErrLimit) {
		t.Errorf("the sum is lost after a restart: %v", err)
	}
}

// A module that fills its quota must not evict the results of others.
func TestGuestValuesOverHalfAreEvictedFirst(t *testing.T) {
	c := open(t, tempPath(t), Options{MaxBytes: 100_000})
	for n := range 4 {
		c.Put(keyOf(n), home, make([]byte, 10_000))
	}
	for n := range 1000 {
		if err := c.KV(home, nil).Set(fmt.Appendf(nil, "%d", n), make([]byte, 5_000)); err != nil {
			t.Fatal(err)
		}
	}
	for n := range 4 {
		if _, ok := c.Get(keyOf(n), home); !ok {
			t.Errorf("result %d was evicted by a guest's values", n)
		}
	}
}

// After any sequence of operations, Get returns the last value or a miss.
func TestRandomOperationsAgainstModel(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	path := tempPath(t)
	o := Options{MaxBytes: 300_000, MemoryBytes: 40_000}
	c := open(t, path, o)
	kv := c.KV(home, nil)
	model := make(map[int][]byte)
	served := 0
	for step := range 20_000 {
		n := rnd.IntN(60)
		name := fmt.Appendf(nil, "%d", n)
		switch rnd.IntN(8) {
		case 0, 1, 2:
			v := make([]byte, rnd.IntN(10_000))
			v = binary.BigEndian.AppendUint64(v, uint64(step))
			if err := kv.Set(name, v); err != nil {
				t.Fatal(err)
			}
			model[n] = v
		case 3:
			if step%50 == 0 {
				c.Flush()
			}
		case 4:
			if step%400 == 0 {
				_ = c.Close()
				c = open(t, path, o)
				kv = c.KV(home, nil)
			}
		default:
			if v, ok := kv.Get(name); ok {
				served++
				if !bytes.Equal(v, model[n]) {
					t.Fatalf("step %d: name %d: got %d bytes, want %d", step, n, len(v), len(model[n]))
				}
			}
		}
	}
	if served < 1000 {
		t.Errorf("only %d look-ups served: the test has no effect", served)
	}
	if s := c.Stats(); s.Faults.Damaged != 0 || s.Faults.SetAside != 0 {
		t.Errorf("unexpected faults: %+v", s.Faults)
	}
}

func TestConcurrentUse(t *testing.T) {
	c := open(t, tempPath(t), Options{MaxBytes: 2 << 20, MemoryBytes: 100_000})
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 300 {
				n := (g*37 + i) % 200
				if _, ok := c.Get(keyOf(n), home); !ok {
					c.Put(keyOf(n), home, valueOf(n))
				}
				if i == 150 && g == 0 {
					_, _ = c.Clear("home")
				}
			}
		})
	}
	wg.Wait()
	countServed(t, c, 0, 200)
}

func TestServedValuesKeepNoTransactionOpen(t *testing.T) {
	c := open(t, tempPath(t), Options{MemoryBytes: 1})
	fill(c, 0, 10)
	c.Flush()
	v, _ := c.Get(keyOf(3), home)
	c.Flush()
	if n := c.file.db.Stats().OpenTxN; n != 0 {
		t.Errorf("%d transactions open", n)
	}
	if err := c.file.db.Update(func(tx *bolt.Tx) error { return tx.DeleteBucket(bucketValues) }); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(v, valueOf(3)) {
		t.Error("a served value is in mapped memory")
	}
}

// recorder is a log handler that sends messages to a channel.
type recorder struct {
	slog.Handler
	messages chan string
}

func newRecorder() *recorder {
	return &recorder{slog.DiscardHandler, make(chan string, 1000)}
}

func (r *recorder) Enabled(context.Context, slog.Level) bool { return true }

func (r *recorder) Handle(_ context.Context, rec slog.Record) error {
	r.messages <- rec.Message
	return nil
}

// next waits for the next message and fails unless it contains want.
func (r *recorder) next(t testing.TB, want string) {
	t.Helper()
	if got := <-r.messages; !strings.Contains(got, want) {
		t.Errorf("log: got %q, want %q", got, want)
	}
}
