package cache

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/database"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/database/databasetest"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/database/query"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/keyring"
)

func TestMain(m *testing.M) { databasetest.Main(m) }

func each(t *testing.T, f func(t *testing.T, c *Cache)) {
	databasetest.Each(t, func(t *testing.T, address string) {
		f(t, New(databasetest.Open(t, address), newKeys(t)))
	})
}

func newKeys(t *testing.T) *keyring.Ring {
	t.Helper()
	keys, err := keyring.Open(filepath.Join(t.TempDir(), "keys"))
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

func keyOf(n int) Key {
	var k Key
	copy(k[:], fmt.Sprintf("key %d", n))
	return k
}

func (c *Cache) put(t *testing.T, project, producer string, entries ...Entry) {
	t.Helper()
	if err := c.Put(t.Context(), project, producer, "model", entries, anyone); err != nil {
		t.Fatal(err)
	}
}

// get returns the found values as "key=value by producer;".
func (c *Cache) get(t *testing.T, project string, trust func(producer string) int, keys ...int) string {
	t.Helper()
	var list []Key
	for _, k := range keys {
		list = append(list, keyOf(k))
	}
	got, err := c.Get(t.Context(), project, "model", list, trust)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, e := range got.Entries {
		fmt.Fprintf(&b, "%s=%s by %s;", bytes.TrimRight(e.Key[:], "\x00"), e.Value, e.Producer)
	}
	return b.String()
}

func all(string) int { return 1 }

// ranked trusts producers in a row, the first one most.
func ranked(producers ...string) func(producer string) int {
	return func(producer string) int {
		for i, p := range producers {
			if p == producer {
				return len(producers) - i
			}
		}
		return 0
	}
}

func text(k int, value string) Entry {
	return Entry{Key: keyOf(k), Value: []byte(value), Module: "sha256:ab"}
}

func TestGetAndPut(t *testing.T) {
	each(t, func(t *testing.T, c *Cache) {
		c.put(t, "p", "serviceaccount ci", text(1, "by ci"), text(2, "two"), text(3, ""))
		c.put(t, "p", "user eve", text(1, "planted"), text(4, "planted"))
		for _, tt := range []struct {
			name, project string
			trust         func(producer string) int
			keys          []int
			want          string
		}{
			{"found and missing", "p", all, []int{2, 9, 3}, "key 2=two by serviceaccount ci;key 3= by serviceaccount ci;"},
			{"another project", "q", all, []int{1, 2}, ""},
			{"a producer that is not trusted", "p", ranked("serviceaccount ci"), []int{1, 4}, "key 1=by ci by serviceaccount ci;"},
			{"the highest rank", "p", ranked("user eve", "serviceaccount ci"), []int{1}, "key 1=planted by user eve;"},
			{"none is trusted", "p", ranked(), []int{1, 2, 4}, ""},
		} {
			if got := c.get(t, tt.project, tt.trust, tt.keys...); got != tt.want {
				t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
			}
		}
		c.put(t, "p", "serviceaccount ci", text(2, "new"))
		if got := c.get(t, "p", all, 2); got != "key 2=new by serviceaccount ci;" {
			t.Errorf("replaced: %q", got)
		}
		if n, err := c.Purge(t.Context(), "user eve"); n != 2 || err != nil {
			t.Errorf("purged %d, %v", n, err)
		}
		if got := c.get(t, "p", all, 1, 4); got != "key 1=by ci by serviceaccount ci;" {
			t.Errorf("after the purge: %q", got)
		}
	})
}

// A result is found by the ProxyModel that it was stored for, also if one producer has stored
// results of several under the same key.
func TestResultsOfModels(t *testing.T) {
	each(t, func(t *testing.T, c *Cache) {
		for _, e := range []struct{ producer, model, value string }{
			{"serviceaccount ci", "cheap", "of cheap"}, {"serviceaccount ci", "sensitive", "of sensitive"}, {"serviceaccount other", "cheap", "of other"},
		} {
			if err := c.Put(t.Context(), "p", e.producer, e.model, []Entry{text(1, e.value)}, anyone); err != nil {
				t.Fatal(err)
			}
		}
		for _, tt := range []struct {
			model, want string
			trust       func(string) int
		}{
			{"cheap", "of cheap by serviceaccount ci of cheap;", ranked("serviceaccount ci")},
			{"cheap", "of other by serviceaccount other of cheap;", ranked("serviceaccount other")},
			{"sensitive", "of sensitive by serviceaccount ci of sensitive;", all},
			{"sensitive", "", ranked("serviceaccount other")},
			{"third", "", all},
		} {
			got, err := c.Get(t.Context(), "p", tt.model, []Key{keyOf(1)}, tt.trust)
			var b strings.Builder
			for _, e := range got.Entries {
				fmt.Fprintf(&b, "%s by %s of %s;", e.Value, e.Producer, e.Model)
			}
			if err != nil || b.String() != tt.want {
				t.Errorf("%s: %q, %v, want %q", tt.model, b.String(), err, tt.want)
			}
		}
	})
}

// A row that was changed in the database, or moved, is not found.
func TestForgedRowsAreRefused(t *testing.T) {
	for name, change := range map[string]func(*query.PutCacheRowParams){
		"value":     func(r *query.PutCacheRowParams) { r.Value = []byte("planted") },
		"producer":  func(r *query.PutCacheRowParams) { r.Producer = "serviceaccount ci" },
		"module":    func(r *query.PutCacheRowParams) { r.Module = "sha256:cd" },
		"model":     func(r *query.PutCacheRowParams) { r.Model = "other" },
		"project":   func(r *query.PutCacheRowParams) { r.Project = "q" },
		"hash":      func(r *query.PutCacheRowParams) { r.Hash = make([]byte, 32) },
		"signature": func(r *query.PutCacheRowParams) { r.Signature = r.Signature[:10] },
		"nothing":   func(*query.PutCacheRowParams) {},
	} {
		t.Run(name, func(t *testing.T) {
			c := New(databasetest.Open(t, filepath.Join(t.TempDir(), "mcpd.db")), newKeys(t))
			c.put(t, "p", "user eve", text(1, "own"))
			var row query.PutCacheRowParams
			err := c.db.Write(t.Context(), func(tx *database.Tx) error {
				rows, err := tx.ListCacheRows(t.Context(), query.ListCacheRowsParams{Project: "p", Hash: c.hashes("p", "model")(keyOf(1)), Limit: 9})
				if err != nil || len(rows) != 1 {
					return fmt.Errorf("%d rows, %w", len(rows), err)
				}
				row = query.PutCacheRowParams(rows[0])
				change(&row)
				return errors.Join(tx.DeleteCache(t.Context()), tx.PutCacheRow(t.Context(), row))
			})
			if err != nil {
				t.Fatal(err)
			}
			if name == "hash" || name == "project" { // found by no key, so look at the row itself
				if c.isGenuine(query.PromptCache(row)) {
					t.Error("the row counts as genuine")
				}
				return
			}
			got, err := c.Get(t.Context(), "p", "model", []Key{keyOf(1)}, all)
			if isForged := name != "nothing"; err != nil || (got.Forged == 1) != isForged || (len(got.Entries) == 0) != isForged {
				t.Errorf("got %+v, %v", got, err)
			}
		})
	}
}

// The database does not show the key, and another server or rotated keys find nothing.
func TestKeysAreHidden(t *testing.T) {
	each(t, func(t *testing.T, c *Cache) {
		c.put(t, "p", "user anna", text(1, "x"))
		k := keyOf(1)
		err := c.db.Read(t.Context(), func(tx *database.Tx) error {
			rows, err := tx.ListCacheRows(t.Context(), query.ListCacheRowsParams{Project: "p", Hash: k[:], Limit: 1})
			if len(rows) > 0 {
				t.Error("the row is stored under the key itself")
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if got := New(c.db, newKeys(t)).get(t, "p", all, 1); got != "" {
			t.Errorf("with other keys: %q", got)
		}
	})
}

func TestEviction(t *testing.T) {
	each(t, func(t *testing.T, c *Cache) {
		now := time.Unix(1000, 0)
		c.now = func() time.Time { return now }
		c.maxBytes = 30
		c.put(t, "q", "user anna", text(1, "0123456789"))
		for i := 1; i <= 3; i++ {
			now = now.Add(time.Minute)
			c.put(t, "p", "user anna", text(i, fmt.Sprintf("value of %d", i)))
		}
		now = now.Add(2 * time.Hour)
		c.get(t, "p", all, 1) // the first one is used again
		c.put(t, "p", "user anna", text(4, "0123456789"))
		if got := c.get(t, "p", all, 1, 2, 3, 4); got != "key 1=value of 1 by user anna;key 3=value of 3 by user anna;key 4=0123456789 by user anna;" {
			t.Errorf("got %q", got)
		}
		if got := c.get(t, "q", all, 1); got == "" {
			t.Error("another project lost a value")
		}
	})
}

func TestLimits(t *testing.T) {
	c := New(databasetest.Open(t, filepath.Join(t.TempDir(), "mcpd.db")), newKeys(t))
	many := make([]Entry, MaxBatch+1)
	for _, tt := range []struct {
		name    string
		entries []Entry
		want    string
		is      error
	}{
		{"too many", many, "101 results, limit 100", abi.ErrLimit},
		{"too large", []Entry{{Value: make([]byte, MaxValue+1), Module: "x"}}, "result 1 has 1048577 bytes", abi.ErrLimit},
		{"no module", []Entry{{Value: nil}}, "module hash of result 1", abi.ErrConfig},
		{"module with a line", []Entry{{Module: "a\nb"}}, "module hash of result 1", abi.ErrConfig},
	} {
		if err := c.Put(t.Context(), "p", "user anna", "model", tt.entries, anyone); !errors.Is(err, tt.is) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
	if _, err := c.Get(t.Context(), "p", "model", make([]Key, MaxBatch+1), all); !errors.Is(err, abi.ErrLimit) {
		t.Errorf("got %v", err)
	}
	var keys []Key
	for i := range MaxAnswer/MaxValue + 2 {
		c.put(t, "p", "user anna", Entry{Key: keyOf(i), Value: make([]byte, MaxValue), Module: "x"})
		keys = append(keys, keyOf(i))
	}
	if got, err := c.Get(t.Context(), "p", "model", keys, all); err != nil || len(got.Entries) != MaxAnswer/MaxValue || !got.More {
		t.Errorf("%d entries, more %v, %v", len(got.Entries), got.More, err)
	}
}

// anyone accepts every producer.
func anyone(context.Context, *database.Tx) error { return nil }
