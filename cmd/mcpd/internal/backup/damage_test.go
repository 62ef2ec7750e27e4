package backup

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
)

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

// promise returns an archive. The header of its second entry says size bytes, and the entry has
// as many zeros as given.
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
