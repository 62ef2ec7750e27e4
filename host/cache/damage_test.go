package cache

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	bolt "go.etcd.io/bbolt"
)

const samples = 40

// sample returns the bytes of a cache file with samples values. Some values are
// overwritten, so that it has free pages, overflow pages and branches.
func sample(t testing.TB) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "sample.db")
	c := open(t, path, Options{})
	for from := 0; from < samples; from += 10 {
		fill(c, from, from+10)
		fill(c, 1000, 1015)
		c.Flush()
	}
	for n := range 150 {
		if err := c.KV(home, nil).Set(fmt.Appendf(nil, "%d", n), []byte("small")); err != nil {
			t.Fatal(err)
		}
	}
	_ = c.Close()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := verify(bytes.NewReader(b), int64(len(b))); err != nil {
		t.Fatalf("a valid file is rejected: %v", err)
	}
	return b
}

// serve opens a cache with the file contents b and uses it. It checks that there is no
// error, no crash and no wrong value, and that values put afterwards are stored.
func serve(t *testing.T, path string, b []byte) (served int, s Stats) {
	t.Helper()
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := Open(path, Options{MemoryBytes: 1})
	if err != nil {
		t.Fatal(err)
	}
	served = countServed(t, c, 0, samples)
	fill(c, 2000, 2005)
	c.Flush()
	served += countServed(t, c, 0, samples)
	if !canStoreAgain(t, c) {
		t.Error("values put after the damage are not stored")
	}
	s = c.Stats()
	_ = c.Close()
	for _, old := range findCorrupt(t, path) {
		if err := os.Remove(old); err != nil {
			t.Fatal(err)
		}
	}
	return served, s
}

// canStoreAgain reports whether values that are put now are served later. It makes three
// attempts, because damage may be detected late, by a write.
func canStoreAgain(t *testing.T, c *Cache) bool {
	for range 3 {
		fill(c, 3000, 3005)
		c.Flush()
		if countServed(t, c, 3000, 3005) == 5 {
			return true
		}
		c.Flush()
	}
	return false
}

func findCorrupt(t testing.TB, path string) []string {
	t.Helper()
	found, err := filepath.Glob(path + corruptMark + "*")
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestEachPageDamaged(t *testing.T) {
	if testing.Short() {
		t.Skip("has no concurrent callers, and takes long with the race detector")
	}
	good := sample(t)
	page := os.Getpagesize()
	path := filepath.Join(t.TempDir(), "cache.db")
	rnd := rand.New(rand.NewPCG(3, 4))
	structural := pagesInUse(t, good)
	var files, setAside, values int
	for at := 0; at+page <= len(good); at += page {
		damages := map[string]func(p []byte){
			"zero": func(p []byte) { clear(p) },
			"random": func(p []byte) {
				for i := range p {
					p[i] = byte(rnd.Uint32())
				}
			},
			"bit in the header":   func(p []byte) { p[rnd.IntN(16)] ^= 1 << rnd.IntN(8) },
			"bit in the elements": func(p []byte) { p[16+rnd.IntN(64)] ^= 1 << rnd.IntN(8) },
			"bit":                 func(p []byte) { p[rnd.IntN(len(p))] ^= 1 << rnd.IntN(8) },
			"another page":        func(p []byte) { copy(p, good[page*rnd.IntN(len(good)/page):]) },
		}
		for name, damage := range damages {
			if !structural[at/page] && name != "zero" { // it contains values or is unused
				continue
			}
			b := bytes.Clone(good)
			damage(b[at:][:page])
			if bytes.Equal(b, good) {
				continue
			}
			t.Run(fmt.Sprintf("%s at page %d", name, at/page), func(t *testing.T) {
				n, s := serve(t, path, b)
				values += n
				setAside += int(s.Faults.SetAside)
			})
			files++
		}
	}
	t.Logf("%d files, %d set aside, %d values served in total, none wrong", files, setAside, values)
	if setAside == 0 || values == 0 {
		t.Error("the test has no effect")
	}
}

func TestTruncatedFiles(t *testing.T) {
	good := sample(t)
	path := filepath.Join(t.TempDir(), "cache.db")
	m, err := readMeta(bytes.NewReader(good), int64(len(good)))
	if err != nil {
		t.Fatal(err)
	}
	inUse := int(m.pages * m.pageSize)
	lengths := []int{0, 1, 79, 80, 4095, 4096, 4097, 8191, 8192, 8193, 12288, 16384, len(good) - 1, len(good) - 4096}
	for n := range 60 {
		lengths = append(lengths, len(good)*n/60)
	}
	for _, n := range lengths {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			_, s := serve(t, path, good[:n])
			cut := n > 0 && n < inUse // the rest of the file is preallocated
			if got := s.Faults.SetAside > 0; got != cut {
				t.Errorf("set aside: %v, want %v", got, cut)
			}
		})
	}
}

// If the file is damaged while the cache is open, there is no crash, no hang and no
// wrong value. Values loaded before may be served.
func TestDamagedWhileOpen(t *testing.T) {
	good := sample(t)
	page := os.Getpagesize()
	rnd := rand.New(rand.NewPCG(5, 6))
	damages := map[string]func(f *os.File) error{
		"truncated to zero":       func(f *os.File) error { return f.Truncate(0) },
		"truncated in the middle": func(f *os.File) error { return f.Truncate(int64(len(good) / 2)) },
		"metas zeroed": func(f *os.File) error {
			_, err := f.WriteAt(make([]byte, 2*page), 0)
			return err
		},
		"all but the metas zeroed": func(f *os.File) error {
			_, err := f.WriteAt(make([]byte, len(good)-2*page), int64(2*page))
			return err
		},
		"random pages": func(f *os.File) error {
			junk := make([]byte, page)
			for at := 2 * page; at < len(good); at += 3 * page {
				for i := range junk {
					junk[i] = byte(rnd.Uint32())
				}
				if _, err := f.WriteAt(junk, int64(at)); err != nil {
					return err
				}
			}
			return nil
		},
	}
	for name, damage := range damages {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "cache.db")
			if err := os.WriteFile(path, good, 0o600); err != nil {
				t.Fatal(err)
			}
			c := open(t, path, Options{MemoryBytes: 1})
			f, err := os.OpenFile(path, os.O_RDWR, 0)
			if err != nil {
				t.Fatal(err)
			}
			if err := damage(f); err != nil {
				t.Fatal(err)
			}
			_ = f.Close()
			before := countServed(t, c, 0, samples)
			fill(c, 2000, 2100)
			c.Flush()
			c.Flush()
			countServed(t, c, 0, samples)
			if !canStoreAgain(t, c) {
				t.Error("values put after the damage are not stored")
			}
			t.Logf("%d served before the damage was detected, %+v", before, c.Stats().Faults)
			if len(findCorrupt(t, path)) == 0 {
				t.Error("the damaged file was not set aside")
			}
		})
	}
}

func TestForeignFiles(t *testing.T) {
	bolted := func(t *testing.T, path, bucket string) {
		db, err := bolt.Open(path, 0o600, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := db.Update(func(tx *bolt.Tx) error {
			_, err := tx.CreateBucket([]byte(bucket))
			return err
		}); err != nil {
			t.Fatal(err)
		}
		_ = db.Close()
	}
	write := func(b []byte) func(*testing.T, string) {
		return func(t *testing.T, path string) {
			if err := os.WriteFile(path, b, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	tests := map[string]struct {
		plant   func(t *testing.T, path string)
		corrupt int
	}{
		"no file":          {func(*testing.T, string) {}, 0},
		"empty file":       {write(nil), 0},
		"text":             {write([]byte(strings.Repeat("not a database\n", 5000))), 1},
		"short text":       {write([]byte("x")), 1},
		"zeros":            {write(make([]byte, 1<<20)), 1},
		"other bbolt file": {func(t *testing.T, path string) { bolted(t, path, "other") }, 1},
		"missing buckets":  {func(t *testing.T, path string) { bolted(t, path, "values") }, 1},
		"directory": {func(t *testing.T, path string) {
			if err := os.MkdirAll(filepath.Join(path, "in it"), 0o700); err != nil {
				t.Fatal(err)
			}
		}, 1},
		"dangling link": {func(t *testing.T, path string) {
			if err := os.Symlink("nowhere", path); err != nil {
				t.Skip(err)
			}
		}, 1},
		"no free list": {func(t *testing.T, path string) {
			db, err := bolt.Open(path, 0o600, &bolt.Options{NoFreelistSync: true})
			if err != nil {
				t.Fatal(err)
			}
			if err := db.Update(makeBuckets); err != nil {
				t.Fatal(err)
			}
			_ = db.Close()
		}, 1},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "cache.db")
			tt.plant(t, path)
			log := newRecorder()
			c := open(t, path, Options{Log: slog.New(log)})
			fill(c, 0, 10)
			_ = c.Close()
			c = open(t, path, Options{})
			if n := countServed(t, c, 0, 10); n != 10 {
				t.Errorf("%d of 10 values stored", n)
			}
			if got := findCorrupt(t, path); len(got) != tt.corrupt || len(log.messages) != tt.corrupt {
				t.Errorf("set aside: %q with %d warnings, want %d", got, len(log.messages), tt.corrupt)
			}
		})
	}
}

func TestOldFilesSetAsideAreRemoved(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cache.db")
	for range keepCorrupt + 3 {
		if err := os.WriteFile(path, []byte("junk"), 0o600); err != nil {
			t.Fatal(err)
		}
		_ = open(t, path, Options{}).Close()
	}
	if got := findCorrupt(t, path); len(got) != keepCorrupt {
		t.Errorf("%d files kept, want %d: %q", len(got), keepCorrupt, got)
	}
}

func TestDamagedValueIsDeletedAndCounted(t *testing.T) {
	path := tempPath(t)
	c := open(t, path, Options{})
	fill(c, 0, 10)
	_ = c.Close()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.Index(b, valueOf(4)[:32])
	b[at] ^= 1
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	c = open(t, path, Options{})
	if _, ok := c.Get(keyOf(4), home); ok {
		t.Error("a damaged value is served")
	}
	if s := c.Stats(); s.Faults.Damaged != 1 || s.Faults.SetAside != 0 || s.Entries != 9 {
		t.Errorf("got %+v", s)
	}
	if got := countServed(t, c, 0, 10); got != 9 {
		t.Errorf("%d of 9 other values served", got)
	}
}

// The values in memory are written to a new file.
func TestFileDeletedWhileOpenIsReplaced(t *testing.T) {
	path := tempPath(t)
	c := open(t, path, Options{})
	fill(c, 0, 10)
	c.Flush()
	if err := os.RemoveAll(filepath.Dir(path)); err != nil {
		t.Fatal(err)
	}
	c.Flush()
	_ = c.Close()
	c = open(t, path, Options{})
	if n := countServed(t, c, 0, 10); n != 10 {
		t.Errorf("%d of 10 values from memory were written again", n)
	}
}

// verify finds the damage from which bbolt cannot be recovered.
func TestVerifyFindsUnrecoverableDamage(t *testing.T) {
	good := sample(t)
	m, err := readMeta(bytes.NewReader(good), int64(len(good)))
	if err != nil {
		t.Fatal(err)
	}
	size := int(m.pageSize)
	branch := findPage(t, good, size, flagBranch)
	tests := map[string]func(b []byte){
		"branch with itself as child": func(b []byte) {
			native.PutUint64(b[branch*size+pageHeader+8:], uint64(branch))
		},
		"two elements with one child": func(b []byte) {
			p := b[branch*size+pageHeader:]
			copy(p[element+8:][:8], p[8:16])
		},
		"free list of 2^40 pages": func(b []byte) {
			p := b[m.freelist*m.pageSize:]
			native.PutUint16(p[10:], 0xFFFF)
			native.PutUint64(p[pageHeader:], 1<<40)
		},
		"free page that is in use": func(b []byte) {
			native.PutUint64(b[int(m.freelist)*size+pageHeader:], uint64(branch))
		},
		"page of another type as free list": func(b []byte) {
			native.PutUint16(b[int(m.freelist)*size+8:], flagLeaf)
		},
	}
	for name, damage := range tests {
		t.Run(name, func(t *testing.T) {
			b := bytes.Clone(good)
			damage(b)
			if err := verify(bytes.NewReader(b), int64(len(b))); !errors.Is(err, errDamaged) {
				t.Errorf("got %v, want damage", err)
			}
			serve(t, filepath.Join(t.TempDir(), "cache.db"), b)
		})
	}
}

// findPage returns a page in use with these flags and several elements.
func findPage(t *testing.T, b []byte, size int, flags uint16) int {
	t.Helper()
	for n := range pagesInUse(t, b) {
		p := b[n*size:]
		if native.Uint16(p[8:]) == flags && native.Uint16(p[10:]) > 1 {
			return n
		}
	}
	t.Fatal("no such page")
	return 0
}

// pagesInUse returns the numbers of all pages with a header.
func pagesInUse(t *testing.T, b []byte) map[int]bool {
	t.Helper()
	m, err := readMeta(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	w := &walk{r: bytes.NewReader(b), pageSize: m.pageSize, seen: make([]bool, m.pages)}
	if err := w.checkTree(m.root, 0, keyRange{}); err != nil {
		t.Fatal(err)
	}
	pages := map[int]bool{0: true, 1: true, int(m.freelist): true}
	for n := 2; n < len(w.seen); n++ {
		if w.seen[n] {
			pages[n] = true
			n += int(native.Uint32(b[uint64(n)*m.pageSize+12:])) // its overflow has no header
		}
	}
	return pages
}

func FuzzRecords(f *testing.F) {
	i := id{kindGuest, keyOf(1)}
	f.Add(appendNote(nil, i, note{used: 5, size: 7, by: home}), []byte{0})
	f.Add(appendValue(nil, i, home, []byte("value")), storedKey(i))
	f.Add(binary.BigEndian.AppendUint64(nil, 1), appendProducer([]byte{recordVersion}, home))
	f.Fuzz(func(t *testing.T, rec, key []byte) {
		if n, err := decodeNote(rec, i); err == nil && !bytes.Equal(appendNote(nil, i, n), rec) {
			t.Error("note differs after a round trip")
		}
		if v, err := decodeValue(rec, i, home); err == nil && !bytes.Equal(appendValue(nil, i, home, v), rec) {
			t.Error("value differs after a round trip")
		}
		_, _, _ = decodeCounts(key, rec)
		if j, ok := parseKey(key); ok && !bytes.Equal(storedKey(j), key) {
			t.Error("key differs after a round trip")
		}
	})
}

// FuzzFile changes a file in two places and checks that there is no crash and no wrong
// value.
func FuzzFile(f *testing.F) {
	good := sample(f)
	f.Add(uint32(8192), uint64(1), uint32(4096), uint64(1), uint8(0))
	f.Fuzz(func(t *testing.T, at1 uint32, v1 uint64, at2 uint32, v2 uint64, cut uint8) {
		b := bytes.Clone(good)
		native.PutUint64(b[int(at1)%(len(b)-8):], v1)
		native.PutUint64(b[int(at2)%(len(b)-8)&^7:], v2)
		serve(t, filepath.Join(t.TempDir(), "cache.db"), b[:len(b)-int(cut)*64])
	})
}
