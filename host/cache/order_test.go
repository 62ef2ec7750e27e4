package cache

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
)

// With keys out of order, bbolt could not find the values of some keys.
func TestVerifyFindsKeysOutOfOrder(t *testing.T) {
	good := sample(t)
	m, err := readMeta(bytes.NewReader(good), int64(len(good)))
	if err != nil {
		t.Fatal(err)
	}
	swapped, moved := 0, 0
	for n := range pagesInUse(t, good) {
		w := &walk{r: bytes.NewReader(good), pageSize: m.pageSize, seen: make([]bool, m.pages)}
		p, err := w.open(uint64(n))
		if n < 2 || err != nil || p.flags != flagLeaf && p.flags != flagBranch || p.count < 2 {
			continue
		}
		elems := good[p.at+pageHeader:][:int(p.count)*element]
		keys, err := w.readKeys(p, elems)
		if err != nil || len(keys[0]) != len(keys[1]) {
			continue
		}
		t.Run(fmt.Sprintf("two keys of page %d swapped", n), func(t *testing.T) {
			b := bytes.Clone(good)
			first, second := find(t, b[p.at:][:p.size], keys[0]), find(t, b[p.at:][:p.size], keys[1])
			copy(first, keys[1])
			copy(second, keys[0])
			wantRejected(t, b)
			swapped++
		})
		last := keys[len(keys)-1]
		if bytes.HasPrefix(last, []byte{0xff}) || p.flags != flagLeaf || len(keys[0]) < 32 {
			continue
		}
		t.Run(fmt.Sprintf("last key of page %d out of range", n), func(t *testing.T) {
			b := bytes.Clone(good)
			copy(find(t, b[p.at:][:p.size], last), bytes.Repeat([]byte{0xff}, len(last)))
			if err := verify(bytes.NewReader(b), int64(len(b))); err != nil {
				moved++ // in the last page of a bucket, any larger key is in range
			}
		})
	}
	if swapped < 10 || moved < 5 {
		t.Errorf("%d pages with swapped keys and %d with a key out of range, want at least 10 and 5", swapped, moved)
	}
}

// verify accepts the files of random operations.
func TestVerifyAcceptsValidFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cache.db")
	rnd := rand.New(rand.NewPCG(7, 8))
	for round := range 12 {
		c := open(t, path, Options{MaxBytes: 3 << 20})
		for range 150 {
			n := rnd.IntN(2000)
			if rnd.IntN(3) == 0 {
				if err := c.KV(home, nil).Set(fmt.Appendf(nil, "%d", n), make([]byte, rnd.IntN(1<<rnd.IntN(18)))); err != nil {
					t.Fatal(err)
				}
			}
			fill(c, n, n+1+rnd.IntN(5))
			if rnd.IntN(20) == 0 {
				c.Flush()
			}
		}
		if round%5 == 4 {
			if _, err := c.Clear(home.Project); err != nil {
				t.Fatal(err)
			}
		}
		_ = c.Close()
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := verify(bytes.NewReader(b), int64(len(b))); err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
	}
}

// find returns the subslice of a page that contains a key.
func find(t *testing.T, page, key []byte) []byte {
	t.Helper()
	at := bytes.Index(page, key)
	if at < 0 || bytes.Count(page, key) > 1 {
		t.Skip("the page contains the key twice")
	}
	return page[at:][:len(key)]
}

func wantRejected(t *testing.T, b []byte) {
	t.Helper()
	if err := verify(bytes.NewReader(b), int64(len(b))); !errors.Is(err, errDamaged) {
		t.Errorf("got %v, want damage", err)
	}
	path := filepath.Join(t.TempDir(), "cache.db")
	if _, s := serve(t, path, b); s.Faults.SetAside != 1 {
		t.Errorf("set aside %d times", s.Faults.SetAside)
	}
}
