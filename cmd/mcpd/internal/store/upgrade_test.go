package store

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/audit"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/database"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/database/databasetest"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/database/query"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/keyring"
	"github.com/mcpctl/mcpctl/host/object"
)

// testdata/schema-N.sql is the database of a release whose schema had version N: its tables,
// with rows in each of them. TestUpgrade opens each with the present program.
//
// A migration adds a version. To add its file, run
//
//	go test ./cmd/mcpd/internal/store -run TestUpgrade -update
//
// which writes the file of the newest version only. Add rows of new tables to fillTables
// first. The files of released versions are never changed. Until a version is released, its
// migration may be changed in place, and its file is written again.
var update = flag.Bool("update", false, "write testdata/schema-N.sql of the newest version")

// keysOfFixtures is the file of keys that encrypts the credentials in the fixtures.
const keysOfFixtures = "fixtures MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=\n"

const objectsOfFixtures = `
kind: Server
metadata: {name: s}
spec: {url: 'https://x/', headers: {Authorization: Bearer canary-7c1f0b}}
---
kind: Project
metadata: {name: p}
spec: {servers: [s]}
---
kind: Prompt
metadata: {name: text, project: p}
spec: {content: "it's \\ \"text\"\n", summary: short, chapters: [one], priority: 7}
---
kind: Prompt
metadata: {name: link, project: p}
spec: {linkTarget: 'p/s:file:///x'}
---
kind: PromptRequest
metadata: {name: text, project: p}
spec: {content: new}
---
kind: User
metadata: {name: anna}
---
kind: Group
metadata: {name: web}
spec: {members: [anna]}
---
kind: ServiceAccount
metadata: {name: ci}
---
kind: RbacBinding
metadata: {name: admins}
spec: {subjects: [{group: web}], verbs: [admin]}
`

// fillTables stores a row in each table.
func fillTables(t *testing.T, s *Store) {
	t.Helper()
	ctx := t.Context()
	if _, err := s.Apply(ctx, anna, append(decode(t, objectsOfFixtures), decode(t, prompt("gone", "x"))...)); err != nil {
		t.Fatal(err)
	}
	if err := s.Delete(ctx, anna, key(object.KindPrompt, "p", "gone"), false); err != nil {
		t.Fatal(err)
	}
	err := s.db.Write(ctx, func(tx *database.Tx) error {
		_, errRequest := tx.ClaimRequest(ctx, query.ClaimRequestParams{Hash: make([]byte, 32), Until: 1})
		return errors.Join(
			errRequest,
			tx.PutLinkGrant(ctx, query.PutLinkGrantParams{Uid: "u", GrantedBy: "user anna", GrantedAt: 1}),
			tx.PutPassword(ctx, query.PutPasswordParams{UserName: "anna", Hash: "$argon2id$v=19$m=65536,t=3,p=4$c29tZXNhbHRzb21lc2FsdA$RdescudvJCsgt3ub+b5dWRWJTmaaQdJdWRWJTmaaQdI", UpdatedAt: 1}),
			tx.AddToken(ctx, query.AddTokenParams{Hash: make([]byte, 32), ID: "t1", SubjectKind: "ServiceAccount", Subject: "ci", Label: "build", CreatedAt: 1, CreatedBy: "user anna", ExpiresAt: 2, LastUsed: 1}),
			tx.PutIdentity(ctx, query.PutIdentityParams{Issuer: "https://login", Subject: "1", UserName: "anna", Groups: `["web"]`}),
			tx.PutCacheRow(ctx, query.PutCacheRowParams{Project: "u", Hash: make([]byte, 32), Producer: "user anna", Model: "m", Module: "x", Size: 1, Value: []byte("v"), Signature: make([]byte, 64), UsedAt: 1}),
		)
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestUpgrade(t *testing.T) {
	files, err := filepath.Glob("testdata/schema-*.sql")
	if err != nil {
		t.Fatal(err)
	}
	ring := fixtureKeys(t)
	newest, schema := newestSchema(t, ring)
	if *update {
		if err := os.WriteFile(fixtureName(newest), []byte(schema), 0o644); err != nil {
			t.Fatal(err)
		}
		files = append(files, fixtureName(newest))
	}
	text, err := os.ReadFile(fixtureName(newest))
	if err != nil {
		t.Fatalf("the newest version of the schema has no file; write it with -update: %v", err)
	}
	if got := tablesOf(string(text)); !slices.Equal(got, tablesOf(schema)) {
		t.Fatalf("%s is not the schema of the migrations. If a release has this version, add a migration; otherwise write the file again with -update", fixtureName(newest))
	}
	for _, file := range slices.Compact(files) {
		t.Run(filepath.Base(file), func(t *testing.T) { testUpgrade(t, file, ring) })
	}
}

func fixtureName(version int64) string { return fmt.Sprintf("testdata/schema-%d.sql", version) }

func fixtureKeys(t *testing.T) *keyring.Ring {
	t.Helper()
	file := filepath.Join(t.TempDir(), "keys")
	if err := os.WriteFile(file, []byte(keysOfFixtures), 0o600); err != nil {
		t.Fatal(err)
	}
	ring, err := keyring.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	return ring
}

func testUpgrade(t *testing.T, file string, ring *keyring.Ring) {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var version int64
	if _, err := fmt.Sscanf(filepath.Base(file), "schema-%d.sql", &version); err != nil {
		t.Fatal(err)
	}
	for _, table := range tablesOf(string(text)) {
		if name, isTable := strings.CutPrefix(table, "CREATE TABLE "); isTable && !strings.Contains(string(text), "INSERT INTO "+strings.Fields(name)[0]+" ") {
			t.Errorf("table %s has no row", strings.Fields(name)[0])
		}
	}
	databasetest.Each(t, func(t *testing.T, address string) {
		load(t, address, version, string(text))
		db := databasetest.Open(t, address)
		if err := db.CheckSchema(t.Context()); err != nil {
			t.Fatal(err)
		}
		s := New(db, ring)
		for _, want := range decode(t, objectsOfFixtures) {
			if got, _, err := s.Reveal(t.Context(), want.Key()); err != nil || !object.HasSameContent(got, want) {
				t.Errorf("%s: %v", want.Key(), err)
			}
		}
		records, version, err := s.Snapshot(t.Context(), Selection{})
		if err != nil || len(records) != 9 || version != 11 {
			t.Errorf("%d objects, version %d, %v", len(records), version, err)
		}
		if changes, err := s.Changes(t.Context(), 0, 100); err != nil || len(changes) != 11 || !changes[10].Delete {
			t.Errorf("%d changes, %v", len(changes), err)
		}
		if v, err := audit.Verify(t.Context(), db, ring, nil); err != nil || v.Rows != 11 {
			t.Errorf("audit: %+v, %v", v, err)
		}
		if _, err := s.Apply(t.Context(), anna, decode(t, prompt("text", "changed"))); err != nil {
			t.Error(err)
		}
		err = db.Read(t.Context(), func(tx *database.Tx) error {
			_, errPassword := tx.GetPassword(t.Context(), "anna")
			token, errToken := tx.GetTokenByID(t.Context(), "t1")
			identity, errIdentity := tx.GetIdentity(t.Context(), query.GetIdentityParams{Issuer: "https://login", Subject: "1"})
			if token.Subject != "ci" || !bytes.Equal(token.Hash, make([]byte, 32)) || identity.Groups != `["web"]` {
				t.Errorf("got %+v, %+v", token, identity)
			}
			return errors.Join(errPassword, errToken, errIdentity)
		})
		if err != nil {
			t.Error(err)
		}
	})
}

// newestSchema returns the newest version and its file.
func newestSchema(t *testing.T, ring *keyring.Ring) (version int64, text string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "mcpd.db")
	db := databasetest.Open(t, path)
	fillTables(t, New(db, ring))
	version, err := db.SchemaVersion(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	raw, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	var b strings.Builder
	var tables []string
	for _, row := range rowsOf(t, raw, "SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite%' AND name NOT LIKE 'goose%' ORDER BY rowid") {
		b.WriteString(row[1].(string) + ";\n")
		if strings.HasPrefix(row[1].(string), "CREATE TABLE") {
			tables = append(tables, row[0].(string))
		}
	}
	for _, table := range tables {
		for _, row := range rowsOf(t, raw, "SELECT * FROM "+table) {
			values := make([]string, len(row))
			for i, v := range row {
				values[i] = literal(v)
			}
			fmt.Fprintf(&b, "INSERT INTO %s VALUES (%s);\n", table, strings.Join(values, ", "))
		}
	}
	return version, b.String()
}

func literal(v any) string {
	switch v := v.(type) {
	case nil:
		return "NULL"
	case []byte:
		return fmt.Sprintf("X'%x'", v)
	case string:
		return "'" + strings.ReplaceAll(v, "'", "''") + "'"
	}
	return fmt.Sprint(v)
}

func rowsOf(t *testing.T, db *sql.DB, text string) (list [][]any) {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), text)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		row := make([]any, len(columns))
		into := make([]any, len(columns))
		for i := range row {
			into[i] = &row[i]
		}
		if err := rows.Scan(into...); err != nil {
			t.Fatal(err)
		}
		list = append(list, row)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return list
}

// tablesOf returns the statements of a file that create tables and indexes.
func tablesOf(text string) []string {
	return regexp.MustCompile(`(?ms)^CREATE .*?;$`).FindAllString(text, -1)
}

// blobLiteral is a literal of SQLite, which PostgreSQL writes differently.
var blobLiteral = regexp.MustCompile(`X'([0-9a-f]*)'`)

// load creates the database of a file.
func load(t *testing.T, address string, version int64, text string) {
	t.Helper()
	driver, begin := "sqlite", "CREATE TABLE goose_db_version (id INTEGER PRIMARY KEY AUTOINCREMENT, version_id INTEGER NOT NULL, is_applied INTEGER NOT NULL, tstamp TIMESTAMP DEFAULT (datetime('now')));\n"
	if strings.HasPrefix(address, "postgres:") {
		driver, address = "pgx", address+"?default_query_exec_mode=simple_protocol"
		begin = "CREATE TABLE goose_db_version (id integer PRIMARY KEY GENERATED BY DEFAULT AS IDENTITY, version_id bigint NOT NULL, is_applied boolean NOT NULL, tstamp timestamp NOT NULL DEFAULT now());\n" +
			`CREATE COLLATION IF NOT EXISTS "BINARY" FROM "C";` + "\n"
		text = blobLiteral.ReplaceAllString(text, `'\x$1'`)
	}
	for v := range version + 1 {
		begin += fmt.Sprintf("INSERT INTO goose_db_version (version_id, is_applied) VALUES (%d, true);\n", v)
	}
	db, err := sql.Open(driver, address)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), begin+text); err != nil {
		t.Fatal(err)
	}
}

// Rotation keeps old keys, so that copies of a database stay readable.
func TestReencrypt(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, address string) {
		file := filepath.Join(t.TempDir(), "keys")
		open := func() *keyring.Ring {
			ring, err := keyring.Open(file)
			if err != nil {
				t.Fatal(err)
			}
			return ring
		}
		db := databasetest.Open(t, address)
		before := New(db, open())
		if _, err := before.Apply(t.Context(), anna, decode(t, objectsOfFixtures)); err != nil {
			t.Fatal(err)
		}
		old := secretsOf(t, db)
		ring, save, err := keyring.PrepareRotation(file)
		if err != nil {
			t.Fatal(err)
		}
		after := New(db, ring)
		if n, err := after.Reencrypt(t.Context(), "mcpd keys", save); n != 1 || err != nil {
			t.Fatalf("%d credentials, %v", n, err)
		}
		if open().Current() != ring.Current() {
			t.Error("the new key is not in the file")
		}
		for uid, s := range secretsOf(t, db) {
			if s.KeyID != ring.Current() || s.KeyID == old[uid].KeyID {
				t.Errorf("key %s, before %s", s.KeyID, old[uid].KeyID)
			}
			was := old[uid]
			if _, err := ring.Open(was.KeyID, was.Ciphertext, boundTo(uid, was.Version)); err != nil {
				t.Errorf("a row of before: %v", err)
			}
		}
		want := decode(t, objectsOfFixtures)[0]
		if got, _, err := after.Reveal(t.Context(), want.Key()); err != nil || !object.HasSameContent(got, want) {
			t.Errorf("after the rotation: %v", err)
		}
		if v, err := after.Version(t.Context()); v != 9 || err != nil {
			t.Errorf("version %d, %v: a rotation is not a change", v, err)
		}
		if _, err := after.Apply(t.Context(), anna, decode(t, prompt("next", "x"))); err != nil {
			t.Error(err)
		}
		if v, err := audit.Verify(t.Context(), db, ring, nil); err != nil || v.Rows != 11 {
			t.Errorf("audit: %+v, %v", v, err)
		}
	})
}

func secretsOf(t *testing.T, db *database.DB) map[string]query.Secret {
	t.Helper()
	all := make(map[string]query.Secret)
	err := db.Read(t.Context(), func(tx *database.Tx) error {
		rows, err := tx.ListSecrets(context.Background())
		for _, s := range rows {
			all[s.Uid] = s
		}
		return err
	})
	if err != nil || len(all) == 0 {
		t.Fatalf("%v, %v", slices.Collect(maps.Keys(all)), err)
	}
	return all
}
