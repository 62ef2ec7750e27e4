package audit

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"path/filepath"
	"slices"
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

// book is the audit log of a test.
type book struct {
	t    *testing.T
	db   *database.DB
	keys *keyring.Ring
	raw  *sql.DB // as somebody uses it who can write the database
}

func each(t *testing.T, f func(b *book)) {
	databasetest.Each(t, func(t *testing.T, address string) {
		keys, err := keyring.Open(filepath.Join(t.TempDir(), "keys"))
		if err != nil {
			t.Fatal(err)
		}
		db := databasetest.Open(t, address)
		driver := "pgx"
		if db.Engine() == database.SQLite {
			driver, address = "sqlite", (&url.URL{Scheme: "file", Opaque: (&url.URL{Path: address}).EscapedPath()}).String()
		}
		raw, err := sql.Open(driver, address)
		if err != nil {
			t.Fatal(err)
		}
		defer raw.Close()
		f(&book{t, db, keys, raw})
	})
}

func (b *book) write(f func(ctx context.Context, tx *database.Tx) error) error {
	return b.db.Write(b.t.Context(), func(tx *database.Tx) error { return f(b.t.Context(), tx) })
}

// add adds rows of a writer, one second apart.
func (b *book) add(writer string, from, to int) {
	b.t.Helper()
	var entries []Entry
	for i := from; i <= to; i++ {
		entries = append(entries, Entry{Time: time.Unix(int64(i), 0), Actor: fmt.Sprintf("user u%d", i%2), Action: "call", Name: fmt.Sprint(i), Decision: Allowed})
	}
	if err := b.write(func(ctx context.Context, tx *database.Tx) error { return Append(ctx, tx, b.keys, writer, entries...) }); err != nil {
		b.t.Fatal(err)
	}
}

func (b *book) exec(statement string, args ...any) {
	b.t.Helper()
	if _, err := b.raw.ExecContext(b.t.Context(), statement, args...); err != nil {
		b.t.Fatal(err)
	}
}

// rows returns the rows of a writer.
func (b *book) rows(writer string) (rows []query.Audit) {
	b.t.Helper()
	err := b.db.Read(b.t.Context(), func(tx *database.Tx) (err error) {
		rows, err = tx.ListAuditOfWriter(b.t.Context(), query.ListAuditOfWriterParams{Writer: writer, Limit: 1000})
		return err
	})
	if err != nil {
		b.t.Fatal(err)
	}
	return rows
}

// replace is somebody who can write the database: it replaces the rows of a writer.
func (b *book) replace(writer string, rows []query.Audit, seal *query.AuditHead) {
	b.t.Helper()
	b.exec("DELETE FROM audit WHERE writer = $1", writer)
	err := b.write(func(ctx context.Context, tx *database.Tx) error {
		for _, r := range rows {
			if r.PrevHash == nil { // the driver of SQLite returns nil for an empty text
				r.PrevHash = []byte{}
			}
			if err := tx.AddAudit(ctx, query.AddAuditParams(r)); err != nil {
				return err
			}
		}
		if seal != nil {
			return tx.PutAuditHead(ctx, query.PutAuditHeadParams(*seal))
		}
		return nil
	})
	if err != nil {
		b.t.Fatal(err)
	}
}

func (b *book) seal(writer string) (h query.AuditHead) {
	b.t.Helper()
	err := b.db.Read(b.t.Context(), func(tx *database.Tx) (err error) {
		h, err = tx.GetAuditHead(b.t.Context(), writer)
		return err
	})
	if err != nil {
		b.t.Fatal(err)
	}
	return h
}

func (b *book) verify(want string, known ...Anchor) Verified {
	b.t.Helper()
	v, err := Verify(b.t.Context(), b.db, b.keys, known)
	if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
		b.t.Errorf("verify: %v, want %q", err, want)
	}
	return v
}

func TestVerifyShowsManipulation(t *testing.T) {
	rechain := func(rows []query.Audit) []query.Audit {
		prev := []byte{}
		for i := range rows {
			rows[i].PrevHash = prev
			rows[i].Hash = hashRow(rows[i])
			prev = rows[i].Hash
		}
		return rows
	}
	each(t, func(b *book) {
		b.add("a", 1, 3)
		early := b.seal("a")
		b.add("a", 4, 6)
		b.add("b", 1, 2)
		all, seal := b.rows("a"), b.seal("a")
		v := b.verify("")
		if v.Writers != 2 || v.Rows != 8 || len(v.Anchors) != 2 || v.Anchors[0].Seq != 6 {
			t.Errorf("got %+v", v)
		}
		with := func(i int, f func(*query.Audit)) []query.Audit {
			rows := slices.Clone(all)
			f(&rows[i])
			return rows
		}
		actor := func(r *query.Audit) { r.Actor = "user eve" }
		for _, c := range []struct {
			name string
			rows []query.Audit
			seal query.AuditHead
			want string
		}{
			{"changed row", with(2, actor), seal, "row 3 of a was changed"},
			{"changed row with new hashes", rechain(with(2, actor)), seal, "row 6 of a was changed"},
			{"changed last row with a new hash", rechain(with(5, actor)), seal, "row 6 of a was changed"},
			{"removed row", slices.Delete(slices.Clone(all), 1, 2), seal, "row 2 of a is missing"},
			{"removed end", all[:4], seal, "the rows of a after 4 were removed, there were 6"},
			{"all rows removed", nil, seal, "the rows of a after 0 were removed"},
			{"added row", rechain(append(slices.Clone(all), with(5, func(r *query.Audit) { r.Seq = 7 })[5])), seal, "row 7 of a was not written by mcpd"},
			{"seal of another writer", all, query.AuditHead{Writer: "a", KeyID: b.seal("b").KeyID, Ciphertext: b.seal("b").Ciphertext}, "seal of the audit log is not valid"},
			{"unknown key", all, query.AuditHead{Writer: "a", KeyID: "x", Ciphertext: seal.Ciphertext}, `1 seal cannot be checked: the key "x" is lost; the chains of hashes are intact`},
			{"unknown key and a changed row", with(2, actor), query.AuditHead{Writer: "a", KeyID: "x", Ciphertext: seal.Ciphertext}, "row 3 of a was changed"},
			{"unknown key and all rows removed", nil, query.AuditHead{Writer: "a", KeyID: "x", Ciphertext: seal.Ciphertext}, "all rows of a were removed"},
			{"earlier end with the seal of now", all[:3], seal, "after 3 were removed"},
		} {
			b.replace("a", c.rows, &c.seal)
			t.Log(c.name)
			b.verify(c.want)
		}
		// Rows and seal of an earlier state: only an anchor shows it.
		b.replace("a", all[:3], &early)
		b.verify("")
		b.verify("the anchor row 6 of \"a\" is missing", v.Anchors...)
		b.replace("a", all, &seal)
		b.verify("", v.Anchors...)
		b.verify("the anchor row 9", Anchor{"a", 9, "00"})
		b.verify("was changed", Anchor{"a", 2, v.Anchors[0].Hash})
	})
}

// The loss of a key is accepted once, and only in a log that is intact otherwise.
func TestAcceptLost(t *testing.T) {
	each(t, func(b *book) {
		b.add("a", 1, 3)
		b.add(ConfigWriter, 1, 2)
		all, seal := b.rows("a"), b.seal("a")
		accept := func(ids ...string) error {
			return b.write(func(ctx context.Context, tx *database.Tx) error {
				_, err := AcceptLost(ctx, tx, b.keys, "op", time.Unix(9, 0), ids)
				return err
			})
		}
		lost := query.AuditHead{Writer: "a", KeyID: "x", Ciphertext: seal.Ciphertext}
		b.replace("a", all, &lost)
		if err := accept("x", b.keys.Current()); !errors.Is(err, abi.ErrConflict) {
			t.Errorf("a key that is not lost: %v", err)
		}
		if err := accept("x", "y"); !errors.Is(err, abi.ErrNotFound) {
			t.Errorf("a key that no seal has: %v", err)
		}
		b.verify(`the key "x" is lost`)
		b.verify("the anchor row 4", Anchor{"a", 4, "00"}) // is reported rather than the key
		changed := slices.Clone(all)
		changed[0].Actor = "user eve"
		b.replace("a", changed, &lost)
		if err := accept("x"); err == nil || !strings.Contains(err.Error(), "row 1 of a was changed") {
			t.Errorf("a log that was changed: %v", err)
		}
		b.replace("a", all, &lost)
		if err := accept("x"); err != nil {
			t.Fatal(err)
		}
		b.verify("")
		if rows := b.rows(ConfigWriter); len(rows) != 3 || rows[2].Action != acceptLost || rows[2].Name != "x" || rows[2].Detail != "a after row 3" {
			t.Errorf("entries: %+v", rows)
		}
		b.replace("a", all[:2], &lost) // somebody who names the same key again
		b.verify(`the seal of a has the key "x", whose loss was accepted before`)
	})
}

func TestRemovedWriters(t *testing.T) {
	each(t, func(b *book) {
		b.add("a", 1, 3)
		b.add("b", 1, 3)
		b.add("a", 4, 4)
		remove := func(writer string) {
			b.exec("DELETE FROM audit_heads WHERE writer = $1", writer)
		}
		b.replace("b", nil, nil)
		remove("b")
		b.verify("all rows of a writer were removed: there were 2 writers, now 1")
		remove("a")
		b.verify("a has no seal")
		b.replace("a", b.rows("a")[:2], nil) // and the next entry continues, but tells of it
		b.add("a", 5, 5)
		rows := b.rows("a")
		if len(rows) != 4 || rows[2].Action != "seal lost" {
			t.Errorf("got %+v", rows)
		}
	})
}

// After a removed end, new rows leave the gap.
func TestAppendAfterRemovedRows(t *testing.T) {
	each(t, func(b *book) {
		b.add("a", 1, 3)
		b.replace("a", b.rows("a")[:1], nil)
		b.add("a", 4, 4)
		b.verify("row 2 of a is missing")

		b.add("c", 1, 1)
		forged := b.rows("c")[0]
		forged.Seq = 2
		b.replace("c", append(b.rows("c"), forged), nil)
		err := b.write(func(ctx context.Context, tx *database.Tx) error { return Append(ctx, tx, b.keys, "c", Entry{}) })
		if err == nil || !strings.Contains(err.Error(), "row 2 of c exists, and mcpd has not written it") {
			t.Errorf("got %v", err)
		}
	})
}

func TestEntriesAreCleaned(t *testing.T) {
	each(t, func(b *book) {
		e := Entry{Time: time.Unix(1, 0), Action: "a\x00b\xff", Name: strings.Repeat("x", 5000), Detail: strings.Repeat("ü", 10_000)}
		if err := b.write(func(ctx context.Context, tx *database.Tx) error { return Append(ctx, tx, b.keys, "a", e) }); err != nil {
			t.Fatal(err)
		}
		r := b.rows("a")[0]
		if r.Action != "a?b?" || len(r.Name) > maxText || len(r.Detail) > maxDetail {
			t.Errorf("got %q, %d and %d bytes", r.Action, len(r.Name), len(r.Detail))
		}
		b.verify("")
	})
}

func TestListAndExport(t *testing.T) {
	each(t, func(b *book) {
		b.add("a", 1, 10)
		b.add("b", 5, 14)
		names := func(f Filter) string {
			var all []string
			for {
				rows, err := List(t.Context(), b.db, f)
				if err != nil {
					t.Fatal(err)
				}
				for _, r := range rows {
					all = append(all, r.Writer+r.Name)
				}
				if len(rows) < f.Limit {
					return strings.Join(all, " ")
				}
				p := PositionOf(rows[len(rows)-1])
				f.Before = &p
			}
		}
		far := time.Unix(1000, 0)
		const everything = "b14 b13 b12 b11 a10 b10 a9 b9 a8 b8 a7 b7 a6 b6 a5 b5 a4 a3 a2 a1"
		for _, c := range []struct {
			name string
			f    Filter
			want string
		}{
			{"pages of 1", Filter{Limit: 1}, everything},
			{"pages of 3", Filter{Limit: 3}, everything},
			{"one page", Filter{Limit: 100}, everything},
			{"name", Filter{Limit: 1, Name: "7"}, "a7 b7"},
			{"actor and since", Filter{Limit: 2, Actor: "user u1", Since: time.Unix(9, 0)}, "b13 b11 a9 b9"},
			{"until", Filter{Limit: 5, Until: time.Unix(3, 0)}, "a2 a1"},
			{"a wild card is none", Filter{Limit: 5, Actor: "user%"}, ""},
			{"denied", Filter{Limit: 5, Decision: Denied}, ""},
		} {
			if c.f.Until.IsZero() {
				c.f.Until = far
			}
			if c.f.Since.IsZero() {
				c.f.Since = time.Unix(0, 0)
			}
			if got := names(c.f); got != c.want {
				t.Errorf("%s: %s, want %s", c.name, got, c.want)
			}
		}
		var exported []string
		if err := Export(t.Context(), b.db, func(r Row) error {
			exported = append(exported, fmt.Sprint(r.Writer, r.Seq))
			return nil
		}); err != nil || len(exported) != 20 || exported[10] != "b1" {
			t.Errorf("exported %v, %v", exported, err)
		}
	})
}

func TestRecordStrict(t *testing.T) {
	each(t, func(b *book) {
		l := OpenLog(b.db, b.keys, "p", slog.New(slog.DiscardHandler))
		defer l.Close()
		if err := l.RecordStrict(t.Context(), Entry{Time: time.Unix(1, 0), Action: "x"}); err != nil || len(b.rows("p")) != 1 {
			t.Errorf("%v, %d rows", err, len(b.rows("p")))
		}
		forged := b.rows("p")[0]
		forged.Seq = 2
		b.replace("p", append(b.rows("p"), forged), nil)
		if err := l.RecordStrict(t.Context(), Entry{Time: time.Unix(1, 0), Action: "x"}); err == nil {
			t.Error("an entry that cannot be written is reported as written")
		}
		for deadline := time.Now().Add(10 * time.Second); l.Dropped() != 1; time.Sleep(time.Millisecond) { // counted after the answer
			if time.Now().After(deadline) {
				t.Fatalf("%d dropped, want 1", l.Dropped())
			}
		}
	})
}
