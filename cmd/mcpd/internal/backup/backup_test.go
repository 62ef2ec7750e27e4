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
	if err := s.store.GrantLink(t.Context(), "user anna", key, granted, func(store.Link) error { return nil }); err != nil {
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

// A merge restores a grant that was withdrawn, and readers learn of it by a new version.
func TestMergeRestoresGrant(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, address string) {
		s := newServer(t, address)
		s.fill(t)
		archive := s.write(t, Options{})
		s.grant(t, "link", false)
		before, err := s.store.Version(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, tt := range []struct {
			name    string
			changes []string
		}{{"withdrawn", []string{"link"}}, {"again", nil}} {
			report, err := s.restore(t, archive, RestoreOptions{Merge: true})
			if err != nil || report.Unchanged != 20 || s.links(t) != `link "user anna"` {
				t.Fatalf("%s: %+v, %v, links %s", tt.name, report, err, s.links(t))
			}
			changes, err := s.store.Changes(t.Context(), before, 10)
			var names []string
			for _, c := range changes {
				names = append(names, string(c.Key.Name))
			}
			if err != nil || !slices.Equal(names, tt.changes) {
				t.Errorf("%s: changes of %v, %v, want %v", tt.name, names, err, tt.changes)
			}
			now, err := s.store.Version(t.Context())
			if v, errPrompts := s.store.PromptsVersion(t.Context(), "p"); err != nil || errPrompts != nil || tt.changes != nil && v != now {
				t.Errorf("%s: version of the prompts %d, %v, want %d", tt.name, v, errPrompts, now)
			}
			before = now
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

func TestRestoreOptions(t *testing.T) {
	id := newIdentity(t)
	source := newSQLite(t)
	source.fill(t)
	archive := source.write(t, Options{Recipients: []string{id.Recipient().String()}})
	databasetest.Each(t, func(t *testing.T, address string) {
		s := newServer(t, address)
		for _, tt := range []struct {
			name    string
			options RestoreOptions
			want    string
			is      error
		}{
			{"no identity", RestoreOptions{}, "they are encrypted to " + id.Recipient().String(), abi.ErrConfig},
			{"another identity", RestoreOptions{Identity: newIdentity(t).String()}, "does not decrypt credentials/servers/secret.json.age", abi.ErrDenied},
			{"a public key", RestoreOptions{Identity: id.Recipient().String()}, "want a line AGE-SECRET-KEY-1", abi.ErrConfig},
		} {
			if _, err := s.restore(t, archive, tt.options); !errors.Is(err, tt.is) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
			}
		}
		version := func() int64 {
			v, err := s.store.Version(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			return v
		}
		if report, err := s.restore(t, archive, RestoreOptions{DryRun: true, Identity: id.String()}); err != nil || report.Created != 20 || version() != 0 {
			t.Errorf("dry run: %+v, %v, version %d", report, err, version())
		}
		s.apply(t, "kind: Prompt\nmetadata: {name: text, project: p}\nspec: {content: own}\n---\nkind: Prompt\nmetadata: {name: link, project: p}\nspec: {content: no link}\n"+
			"---\nkind: Prompt\nmetadata: {name: other, project: p}\nspec: {content: own}\n")
		own, _ := s.store.Get(t.Context(), object.Key{Kind: object.KindPrompt, Project: "p", Name: "text"})
		if _, err := s.restore(t, archive, RestoreOptions{Identity: id.String()}); !errors.Is(err, store.ErrNotEmpty) || !strings.Contains(err.Error(), "it has 3") {
			t.Errorf("not empty: %v", err)
		}
		report, err := s.restore(t, archive, RestoreOptions{Merge: true, WithoutCredentials: true})
		if err != nil || report.Created != 18 || report.Configured != 1 || !slices.Equal(report.Skipped, []string{`server "secret"`}) {
			t.Errorf("merge without credentials: %+v, %v", report, err)
		}
		report, err = s.restore(t, archive, RestoreOptions{Merge: true, Identity: id.String()})
		if err != nil || report.Created != 1 || report.Unchanged != 19 {
			t.Errorf("merge: %+v, %v", report, err)
		}
		if r, err := s.store.Get(t.Context(), own.Key); err != nil || r.UID != own.UID || r.Generation != 2 || r.Updated.By != "mcpd restore" || r.Created.By != "user anna" {
			t.Errorf("a replaced object: %+v, %v", r, err)
		}
		changes, err := s.store.Changes(t.Context(), 3, 1000)
		if err != nil || len(changes) != 21 || changes[0].Version != 4 { // a link replaces a text by a delete and a put
			t.Errorf("%d changes, %v", len(changes), err)
		}
		if v, err := audit.Verify(t.Context(), s.db, s.keys, nil); err != nil || v.Rows != 3+21+1+2 {
			t.Errorf("audit: %+v, %v", v, err)
		}
	})
}

// A client that has followed a lost server gets no gap: its version counts as compacted.
func TestVersionsContinue(t *testing.T) {
	pairs(t, func(t *testing.T, from, to server) {
		from.fill(t)
		archive := from.write(t, Options{})
		if _, err := to.restore(t, archive, RestoreOptions{}); err != nil {
			t.Fatal(err)
		}
		from.apply(t, "kind: Prompt\nmetadata: {name: late, project: p}\nspec: {content: x}\n")
		late, err := from.store.Version(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, after := range []int64{0, 1, late} {
			if _, err := to.store.Changes(t.Context(), after, 10); !errors.Is(err, store.ErrCompacted) {
				t.Errorf("after %d: %v, want %v", after, err, store.ErrCompacted)
			}
		}
		now, err := to.store.Version(t.Context())
		if changes, errChanges := to.store.Changes(t.Context(), now-19, 100); err != nil || errChanges != nil || len(changes) != 19 || changes[0].Record == nil {
			t.Errorf("version %d, %v, %d changes, %v", now, err, len(changes), errChanges)
		}
	})
}

// pack returns an archive of entries with valid hashes.
func pack(t testing.TB, list []entry) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := newWriter(&b)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		if e.name == totalName || strings.HasPrefix(e.name, sumsDir) {
			continue
		}
		if e.kind == 0 || e.kind == tar.TypeReg {
			err = w.add(e.name, []byte(e.text))
		} else {
			err = w.tar.WriteHeader(&tar.Header{Name: e.name, Linkname: e.text, Typeflag: e.kind})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestRestoreRefusesDamage(t *testing.T) {
	id := newIdentity(t)
	source := newSQLite(t)
	source.fill(t)
	archive := source.write(t, Options{Audit: true, Recipients: []string{id.Recipient().String()}})
	good := entries(t, archive)
	at := func(name string) int {
		i := slices.IndexFunc(good, func(e entry) bool { return e.name == name })
		if i < 0 {
			t.Fatalf("no entry %s", name)
		}
		return i
	}
	with := func(name, old, text string) []byte {
		list, i := slices.Clone(good), at(name)
		if !strings.Contains(list[i].text, old) {
			t.Fatalf("%s does not have %q:\n%s", name, old, list[i].text)
		}
		list[i].text = strings.Replace(list[i].text, old, text, 1)
		return pack(t, list)
	}
	insert := func(i int, e ...entry) []byte { return pack(t, slices.Insert(slices.Clone(good), i, e...)) }
	without := func(name string) []byte { return pack(t, slices.Delete(slices.Clone(good), at(name), at(name)+1)) }
	const (
		prompt, users = "objects/prompts/p/ab.yaml", "objects/users/anna.yaml"
		passwords     = "accounts/passwords-000001.ndjson"
		tokens        = "accounts/tokens-000001.ndjson"
		identities    = "accounts/identities-000001.ndjson"
		secret        = "credentials/servers/secret.json.age"
		links         = "links/000001.ndjson"
	)
	stale := slices.Clone(good)
	stale[at(prompt)].text += "#"
	for _, tt := range []struct {
		name    string
		archive []byte
		want    string
		is      error
	}{
		{"empty file", nil, "not a backup of mcpd", abi.ErrConfig},
		{"another file", []byte("kind: Prompt\n"), "not a backup of mcpd", abi.ErrConfig},
		{"another archive", pack(t, []entry{{name: "a", text: "b"}}), "not a backup of mcpd", abi.ErrConfig},
		{"newer format", with(manifestName, `"formatVersion": 1`, `"formatVersion": 2, "new": 1`), "has format 2, and this program reads formats up to 1", abi.ErrConflict},
		{"unknown field", with(manifestName, `"program"`, `"extra": 1, "program"`), "unknown field", abi.ErrConfig},
		{"version of the manifest", with(manifestName, `"resourceVersion": "`, `"resourceVersion": "-`), "resourceVersion is not valid", abi.ErrConfig},
		{"huge version", with(manifestName, `"resourceVersion": "`, `"resourceVersion": "99999999999999999`), "resourceVersion is not valid", abi.ErrConfig},
		{"parent directory", insert(at(prompt), entry{name: "objects/../../etc/passwd", text: "x"}), "no valid first line", abi.ErrConfig},
		{"name of another object", insert(at(prompt), entry{name: "objects/prompts/p/../p/ab.yaml", text: good[at(prompt)].text}), "does not have the object of its name", abi.ErrConfig},
		{"absolute path", insert(at(prompt), entry{name: "/etc/passwd", text: "x"}), `unexpected entry "/etc/passwd"`, abi.ErrConfig},
		{"symbolic link", insert(at(prompt), entry{"objects/x", "/etc/passwd", tar.TypeSymlink}), "not a regular file", abi.ErrConfig},
		{"directory", insert(at(prompt), entry{"objects/", "", tar.TypeDir}), "not a regular file", abi.ErrConfig},
		{"object twice", insert(at(prompt), good[at(prompt)]), "there twice, or not in order", abi.ErrConfig},
		{"objects not in order", insert(at(users), good[at(prompt)]), "there twice, or not in order", abi.ErrConfig},
		{"manifest twice", insert(1, good[0]), "unexpected entry", abi.ErrConfig},
		{"missing object", without(prompt), "does not have the numbers of rows", abi.ErrConfig},
		{"missing credentials", without(secret), "does not have the numbers of rows", abi.ErrConfig},
		{"credentials of another object", insert(at(prompt), good[at(secret)]), "has no object", abi.ErrConfig},
		{"credentials twice", insert(at(secret), good[at(secret)]), "has no object", abi.ErrConfig},
		{"credentials changed", with(secret, "X25519", "X25518"), "credentials", abi.ErrDenied},
		{"missing rows", without(passwords), "does not have the numbers of rows", abi.ErrConfig},
		{"rows not in order", insert(at(passwords), good[at(tokens)]), "unexpected entry", abi.ErrConfig},
		{"rows twice", insert(at(tokens), good[at(passwords)]), "unexpected entry", abi.ErrConfig},
		{"first line", with(prompt, headerPrefix, "#"), "no valid first line", abi.ErrConfig},
		{"uid", with(prompt, `"uid":"`, `"uid":"x`), "no valid first line", abi.ErrConfig},
		{"invalid object", with(prompt, "kind: Prompt", "kind: Prompt\nextra: 1"), "an object that this program cannot read", nil},
		{"proxymodel", insert(at(prompt), entry{name: "objects/proxymodels/x.yaml", text: strings.SplitN(good[at(prompt)].text, "\n", 2)[0] + "\nkind: ProxyModel\nmetadata: {name: x}\nspec: {stages: [{type: paginate}]}\n"}), "does not have the object of its name", abi.ErrConfig},
		{"password of nobody", with(passwords, `"anna"`, `"eve"`), "which does not exist", abi.ErrConfig},
		{"password with another hash", with(passwords, "argon2id", "md5"), "the stored hash of the password is damaged", abi.ErrConfig},
		{"token of nobody", with(tokens, `"subject":"anna"`, `"subject":"eve"`), "which does not exist", abi.ErrConfig},
		{"token of a group", with(tokens, `"kind":"User"`, `"kind":"Group"`), "not an API token", abi.ErrConfig},
		{"login", with(tokens, `"label":"laptop"`, `"label":""`), "not an API token", abi.ErrConfig},
		{"identity of nobody", with(identities, `"bob"`, `"eve"`), "which does not exist", abi.ErrConfig},
		{"grant of no link", with(links, `"name":"link"`, `"name":"text"`), `the row belongs to prompt "p/text", which is not a link`, abi.ErrConfig},
		{"grant of no prompt", with(links, `"name":"link"`, `"name":"../x"`), "not the grant of a link", abi.ErrConfig},
		{"grant by nobody", with(links, `"user anna"`, `""`), "not the grant of a link", abi.ErrConfig},
		{"missing grant", without(links), "does not have the numbers of rows", abi.ErrConfig},
		{"audit row twice", with("audit/000001.ndjson", `"seq":2`, `"seq":1`), "there twice", abi.ErrConfig},
		{"truncated", archive[:len(archive)-200], "damaged", abi.ErrConfig},
		{"bytes after the end", append(slices.Clone(archive), archive...), "bytes follow the last entry", abi.ErrConfig},
		{"wrong hash", packRaw(t, stale), "hashes of sums/000001 differ", abi.ErrConfig},
		{"no hashes", packRaw(t, good[:len(good)-2]), "ends too early", abi.ErrConfig},
		{"entry after the hashes", packRaw(t, append(slices.Clone(good), entry{name: "x"})), "entries follow", abi.ErrConfig},
		{"huge entry", promise(t, good[0], maxObject+1, 0), "a backup can have", abi.ErrLimit},
		{"promised bytes are missing", promise(t, good[0], maxObject, 10), "damaged", abi.ErrConfig},
		{"zip bomb", promise(t, good[0], maxObject, maxObject), "damaged", abi.ErrConfig},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newSQLite(t)
			_, err := s.restore(t, tt.archive, RestoreOptions{Identity: id.String()})
			if err == nil || tt.is != nil && !errors.Is(err, tt.is) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
			if v, err := s.store.Version(t.Context()); v != 0 || err != nil {
				t.Errorf("version %d, %v: something is stored", v, err)
			}
		})
	}
	if _, err := newSQLite(t).restore(t, pack(t, good), RestoreOptions{Identity: id.String()}); err != nil {
		t.Errorf("unchanged: %v", err)
	}
}

// packRaw returns an archive of entries without new hashes.
func packRaw(t testing.TB, list []entry) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := newWriter(&b)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		if err := w.write(e.name, []byte(e.text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.tar.Close(), w.zip.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// promise returns an archive whose second entry has size bytes by its header, and zeros.
func promise(t testing.TB, first entry, size, zeros int64) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := newWriter(&b)
	if err != nil {
		t.Fatal(err)
	}
	err = errors.Join(w.write(first.name, []byte(first.text)),
		w.tar.WriteHeader(&tar.Header{Name: "objects/prompts/p/ab.yaml", Size: size, Typeflag: tar.TypeReg}))
	if err == nil {
		_, err = io.CopyN(w.zip, zero{}, zeros)
	}
	if err := errors.Join(err, w.zip.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

type zero struct{}

func (zero) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
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
