package backup

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"filippo.io/age"
	"github.com/klauspost/compress/zstd"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/audit"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/database"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/database/databasetest"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/database/query"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/keyring"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/store"
	"github.com/mcpctl/mcpctl/host/object"
)

func TestMain(m *testing.M) { databasetest.Main(m) }

// server is an mcpd without its API.
type server struct {
	db    *database.DB
	store *store.Store
	keys  *keyring.Ring
}

func newServer(t testing.TB, address string) server {
	t.Helper()
	keys, err := keyring.Open(filepath.Join(t.TempDir(), "keys"))
	if err != nil {
		t.Fatal(err)
	}
	db := databasetest.Open(t, address)
	return server{db, store.New(db, keys), keys}
}

// newSQLite returns an empty server.
func newSQLite(t testing.TB) server { return newServer(t, filepath.Join(t.TempDir(), "mcpd.db")) }

// pairs runs f with a server of each engine and an empty one of each engine.
func pairs(t *testing.T, f func(t *testing.T, from, to server)) {
	databasetest.Each(t, func(t *testing.T, first string) {
		databasetest.Each(t, func(t *testing.T, second string) {
			from := filepath.Join(t.TempDir(), "mcpd.db")
			if strings.HasPrefix(first, "postgres:") {
				from = databasetest.NewPostgres(t)
			}
			f(t, newServer(t, from), newServer(t, second))
		})
	})
}

const (
	hash      = "$argon2id$v=19$m=65536,t=3,p=4$c29tZXNhbHRzb21lc2FsdA$RdescudvJCsgt3ub+b5dWRWJTmaaQdJdWRWJTmaaQdI"
	canary    = "canary-7c1f0b"
	allObject = `
kind: Server
metadata: {name: plain}
spec: {url: 'https://x/'}
---
kind: Server
metadata: {name: secret}
spec: {url: 'https://x/', headers: {Authorization: Bearer canary-7c1f0b}}
---
kind: Project
metadata: {name: p}
spec: {servers: [plain, secret]}
---
kind: Prompt
metadata: {name: link, project: p}
spec: {linkTarget: 'p/plain:file:///x'}
---
kind: Prompt
metadata: {name: text, project: p}
spec: {content: "a: b\n  - \"c\"\n\n\u2028 \\ \x01 \0 é <&>\r\n\t", summary: "a: \0 b", chapters: [one, "two: \0"], priority: 9}
---
kind: Prompt
metadata: {name: empty, project: p}
spec: {content: ''}
---
kind: PromptRequest
metadata: {name: text, project: p}
spec: {content: "- x\n", priority: 2}
---
kind: User
metadata: {name: anna}
spec: {email: anna@example.org}
---
kind: User
metadata: {name: bob}
spec: {disabled: true}
---
kind: ServiceAccount
metadata: {name: ci}
---
kind: Group
metadata: {name: web}
spec: {members: [anna]}
---
kind: RbacBinding
metadata: {name: admins}
spec: {subjects: [{group: web}], verbs: [admin]}
`
)

func (s server) apply(t testing.TB, yaml string) {
	t.Helper()
	objects, _, err := object.Decode("test.yaml", []byte(yaml))
	if err != nil {
		t.Fatal(err)
	}
	w := store.Write{Actor: "user anna", Authorize: func(object.Key, bool) error { return nil }}
	if _, err := s.store.Apply(t.Context(), w, objects); err != nil {
		t.Fatal(err)
	}
}

// fill stores objects of all kinds and accounts. The names of some prompts are sorted
// differently in most languages.
func (s server) fill(t testing.TB) {
	t.Helper()
	s.apply(t, allObject)
	for _, name := range []string{"a-b", "ab", "a.b", "a_b", "a+c", "b", "10", "9"} {
		s.apply(t, fmt.Sprintf("kind: Prompt\nmetadata: {name: '%s', project: p}\nspec: {content: '%s'}\n", name, name))
	}
	s.apply(t, "kind: Prompt\nmetadata: {name: ab, project: p}\nspec: {content: again}\n")
	ctx, at := t.Context(), time.Date(2026, 1, 2, 3, 4, 5, 6000, time.UTC).UnixMicro()
	err := s.db.Write(ctx, func(tx *database.Tx) error {
		token := func(id, kind, subject, label string) error {
			return tx.AddToken(ctx, query.AddTokenParams{Hash: bytes.Repeat([]byte(id[:1]), 32), ID: id, SubjectKind: kind, Subject: subject, Label: label,
				CreatedAt: at, CreatedBy: "user anna", ExpiresAt: at + 1, Idle: 0, LastUsed: at})
		}
		return errors.Join(
			tx.PutPassword(ctx, query.PutPasswordParams{UserName: "anna", Hash: hash, UpdatedAt: at}),
			token("b-1", "User", "anna", "laptop"), token("a-2", "ServiceAccount", "ci", "build"), token("c-3", "User", "anna", ""),
			tx.PutIdentity(ctx, query.PutIdentityParams{Issuer: "https://login", Subject: "1", UserName: "bob", Groups: `["web"]`}),
		)
	})
	if err != nil {
		t.Fatal(err)
	}
	s.grant(t, "link", true)
}

// grant grants the link of a prompt of the project p, or withdraws the grant.
func (s server) grant(t testing.TB, name object.Name, granted bool) {
	t.Helper()
	key := object.Key{Kind: object.KindPrompt, Project: "p", Name: name}
	if err := s.store.GrantLink(t.Context(), "user anna", key, granted, func(*database.Tx, store.Link) error { return nil }); err != nil {
		t.Fatal(err)
	}
}

// links returns the links and who has granted them.
func (s server) links(t testing.TB) string {
	t.Helper()
	list, err := s.store.Links(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, l := range list {
		out = append(out, fmt.Sprintf("%s %q", l.Key.Name, l.GrantedBy))
	}
	return strings.Join(out, ", ")
}

// write returns a backup.
func (s server) write(t testing.TB, o Options) []byte {
	t.Helper()
	var b bytes.Buffer
	o.Program = "test"
	if _, err := Write(t.Context(), s.db, s.store, &b, o); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func (s server) restore(t testing.TB, archive []byte, o RestoreOptions) (Report, error) {
	t.Helper()
	o.Actor = "mcpd restore"
	return Restore(t.Context(), s.store, bytes.NewReader(archive), o)
}

// entry is an entry of an archive.
type entry struct {
	name, text string
	kind       byte
}

// entries unpacks an archive.
func entries(t testing.TB, archive []byte) (list []entry) {
	t.Helper()
	zip, err := zstd.NewReader(bytes.NewReader(archive))
	if err != nil {
		t.Fatal(err)
	}
	defer zip.Close()
	for r := tar.NewReader(zip); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return list
		}
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, entry{h.Name, string(text), h.Typeflag})
	}
}

// comparable returns the entries that are equal in two backups of equal data: without
// hashes and the version in the manifest, which belong to the server, and with the encrypted
// credentials, whose bytes are random, as their texts.
func comparable(t testing.TB, archive []byte, identity *age.X25519Identity) (out []entry) {
	t.Helper()
	for _, e := range entries(t, archive) {
		switch {
		case e.name == totalName, strings.HasPrefix(e.name, sumsDir):
			continue
		case e.name == manifestName:
			var m Manifest
			if err := json.Unmarshal([]byte(e.text), &m); err != nil {
				t.Fatal(err)
			}
			m.ResourceVersion = ""
			text, _ := json.Marshal(m)
			e.text = string(text)
		case strings.HasPrefix(e.name, secretsDir):
			r, err := age.Decrypt(strings.NewReader(e.text), identity)
			if err != nil {
				t.Fatal(err)
			}
			text, _ := io.ReadAll(r)
			e.text = string(text)
		}
		out = append(out, e)
	}
	return out
}

func newIdentity(t testing.TB) *age.X25519Identity {
	t.Helper()
	id, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// A backup of one engine restores on the other, and a backup of that has the same entries.
func TestRoundTrip(t *testing.T) {
	id := newIdentity(t)
	o := Options{Recipients: []string{id.Recipient().String()}}
	pairs(t, func(t *testing.T, from, to server) {
		from.fill(t)
		first := from.write(t, o)
		report, err := to.restore(t, first, RestoreOptions{Identity: id.String()})
		if err != nil || report.Created != 20 || report.Configured != 0 || len(report.Skipped) > 0 {
			t.Fatalf("got %+v, %v", report, err)
		}
		second := to.write(t, o)
		want, got := comparable(t, first, id), comparable(t, second, id)
		if !slices.Equal(want, got) {
			t.Errorf("entries differ:\n%v\n%v", want, got)
		}
		s, _, err := to.store.Reveal(t.Context(), object.Key{Kind: object.KindServer, Name: "secret"})
		if err != nil || s.(*object.Server).Spec.Headers["Authorization"].Source() != "Bearer "+canary {
			t.Errorf("got %v, %v", s, err)
		}
		text := object.Key{Kind: object.KindPrompt, Project: "p", Name: "text"}
		a, errA := from.store.Get(t.Context(), text)
		b, errB := to.store.Get(t.Context(), text)
		if errA != nil || errB != nil || a.UID != b.UID || !a.Created.Time.Equal(b.Created.Time) || a.Updated.By != b.Updated.By || !bytes.Equal(a.Manifest, b.Manifest) {
			t.Errorf("%+v, %v\n%+v, %v", a, errA, b, errB)
		}
		if v, err := audit.Verify(t.Context(), to.db, to.keys, nil); err != nil || v.Rows != 22 {
			t.Errorf("audit: %+v, %v", v, err)
		}
		if got := to.links(t); got != `link "user anna"` {
			t.Errorf("links: %s", got)
		}
	})
}

// Grants of many links, in more than one entry, are equal after a restore on the other engine.
func TestLinkGrantsAreKept(t *testing.T) {
	pairs(t, func(t *testing.T, from, to server) {
		var yaml strings.Builder
		yaml.WriteString("kind: Project\nmetadata: {name: p}\nspec: {servers: []}\n")
		for i := range rowsOfEntry + 2 {
			fmt.Fprintf(&yaml, "---\nkind: Prompt\nmetadata: {name: l%d, project: p}\nspec: {linkTarget: 'p/s:file:///x'}\n", i)
		}
		from.apply(t, yaml.String())
		ctx := t.Context()
		err := from.db.Write(ctx, func(tx *database.Tx) (err error) {
			links, err := tx.ListObjectsOfProject(ctx, query.ListObjectsOfProjectParams{Kind: "Prompt", Project: "p", Limit: 1 << 30})
			for i, l := range links[1:] { // the first one stays pending
				err = errors.Join(err, tx.PutLinkGrant(ctx, query.PutLinkGrantParams{Uid: l.Uid, GrantedBy: fmt.Sprintf("user u%d", i%3), GrantedAt: int64(i + 1)}))
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		first := from.write(t, Options{})
		if _, err := to.restore(t, first, RestoreOptions{}); err != nil {
			t.Fatal(err)
		}
		if want, got := comparable(t, first, nil), comparable(t, to.write(t, Options{}), nil); !slices.Equal(want, got) {
			t.Errorf("entries differ:\n%v\n%v", want, got)
		}
		if want, got := from.links(t), to.links(t); want != got || !strings.Contains(got, `l0 "", `) {
			t.Errorf("links: %s, want %s", got, want)
		}
	})
}

// Backups of the same version have the same bytes if nothing is encrypted.
func TestBackupIsDeterministic(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, address string) {
		s := newServer(t, address)
		s.fill(t)
		if a, b := s.write(t, Options{Audit: true}), s.write(t, Options{Audit: true}); !bytes.Equal(a, b) {
			t.Errorf("%d and %d bytes differ", len(a), len(b))
		}
	})
}

// mcpctl apply reads the objects of a backup, and no entry has a credential.
func TestEntriesAreObjectFiles(t *testing.T) {
	s := newSQLite(t)
	s.fill(t)
	id := newIdentity(t)
	kinds := make(map[object.Kind]bool)
	archive := s.write(t, Options{Audit: true, Recipients: []string{id.Recipient().String()}})
	for _, e := range entries(t, archive) {
		if strings.Contains(e.text, canary) {
			t.Errorf("%s has a credential", e.name)
		}
		if strings.HasPrefix(e.name, objectsDir) {
			objects, _, err := object.Decode(e.name, []byte(e.text))
			if err != nil || len(objects) != 1 {
				t.Errorf("%s: %d objects, %v", e.name, len(objects), err)
				continue
			}
			if _, yaml, _ := strings.Cut(e.text, "\n"); yaml != string(object.EncodeYAML(objects[0])) {
				t.Errorf("%s is not canonical:\n%s", e.name, yaml)
			}
			kinds[objects[0].Key().Kind] = true
		}
	}
	for _, k := range storedKinds() {
		if !kinds[k] {
			t.Errorf("no object of kind %s", k)
		}
	}
}

func TestAuditIsKept(t *testing.T) {
	pairs(t, func(t *testing.T, from, to server) {
		from.fill(t)
		archive := from.write(t, Options{Audit: true})
		report, err := to.restore(t, archive, RestoreOptions{})
		if err != nil || report.AuditSkipped || !slices.Equal(report.Skipped, []string{`server "secret"`}) {
			t.Fatalf("got %+v, %v", report, err)
		}
		if v, err := audit.Verify(t.Context(), to.db, to.keys, nil); err != nil || v.Rows != report.Manifest.Counts.Audit+21 {
			t.Errorf("audit: %+v, %v", v, err)
		}
		if report, err = to.restore(t, archive, RestoreOptions{Merge: true}); err != nil || !report.AuditSkipped || report.Unchanged != 19 {
			t.Errorf("again: %+v, %v", report, err)
		}
	})
}

func TestRecipients(t *testing.T) {
	s := newSQLite(t)
	for text, want := range map[string]string{
		"age1x":                    `"age1x" is not a recipient of age`,
		newIdentity(t).String():    "the recipient is a secret key",
		"":                         "not a recipient of age",
		"ssh-ed25519 AAAAC3NzaC1l": "not a recipient of age",
	} {
		_, err := Write(t.Context(), s.db, s.store, io.Discard, Options{Recipients: []string{text}})
		if !errors.Is(err, abi.ErrConfig) || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "SECRET-KEY-1") {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// MCPD_BENCH_PROMPTS=100000 reports the size, time and memory of a large backup.
func TestLargeBackup(t *testing.T) {
	count := 0
	if _, err := fmt.Sscan(os.Getenv("MCPD_BENCH_PROMPTS"), &count); err != nil {
		t.Skip("set MCPD_BENCH_PROMPTS to a number of prompts")
	}
	measure(t, count)
}
