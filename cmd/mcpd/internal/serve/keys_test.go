package serve

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/audit"
	"github.com/mcpctl/mcpctl/host/object"
)

// Commands on a database whose file of keys was lost print one error, until the file is there
// again.
func TestLostKeys(t *testing.T) {
	home := filepath.Join(t.TempDir(), "home")
	file := filepath.Join(home, "keys")
	errorOf := func() string {
		t.Helper()
		t.Setenv("MCPD_HOME", home)
		t.Setenv("MCPD_DB", "")
		root := NewRoot()
		var errOut bytes.Buffer
		root.SetErr(&errOut)
		root.SetArgs([]string{"migrate"})
		if err := root.ExecuteContext(t.Context()); err != nil {
			t.Fatal(err)
		}
		return errOut.String()
	}
	if got := errorOf(); got != "" {
		t.Errorf("a new home: %s", got)
	}
	o := openHome(t, home)
	applyTo(t, o, "kind: Prompt\nmetadata: {name: a, project: p}\nspec: {content: x}\n")
	o.Close()
	keys, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lose := func() {
		t.Helper()
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
	}
	lose()
	if got := errorOf(); !strings.Contains(got, "error: "+file) || strings.Contains(got, "credentials") || !strings.Contains(got, "1 seals of the audit log cannot be decrypted") || !strings.Contains(got, "mcpd keys add OLDFILE") {
		t.Errorf("without credentials: %s", got)
	}
	if err := os.WriteFile(file, keys, 0o600); err != nil {
		t.Fatal(err)
	}
	o = openHome(t, home)
	applyTo(t, o, secretServer)
	o.Close()
	lose()
	for range 2 { // the first one creates the file
		if got := errorOf(); strings.Count(got, "\n") != 1 || !strings.Contains(got, "the credentials of 1 servers") {
			t.Errorf("with credentials: %s", got)
		}
	}
	if err := os.WriteFile(file, keys, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := errorOf(); got != "" {
		t.Errorf("with the file: %s", got)
	}
}

// After the file of keys was lost, verifications of the audit log pass again with the old file,
// or once the loss is accepted.
func TestRecoverFromLostKeys(t *testing.T) {
	dir := t.TempDir()
	run := func(home, want string, args ...string) {
		t.Helper()
		out, failure := command(t, home, args...)
		if !strings.Contains(out+failure, want) || want == "" && failure != "" {
			t.Errorf("%v: %s%s, want %q", args, out, failure, want)
		}
	}
	lose := func(home string) (old string) {
		t.Helper()
		o := openHome(t, home)
		applyTo(t, o, secretServer)
		o.Close()
		run(home, "", "backup", "-o", filepath.Join(home, "b.tar.zst")) // another writer
		old = filepath.Join(home, "keys.old")
		if err := os.Rename(filepath.Join(home, "keys"), old); err != nil {
			t.Fatal(err)
		}
		o = openHome(t, home)
		applyTo(t, o, strings.Replace(secretServer, "name: s", "name: meanwhile", 1))
		o.Close()
		return old
	}
	verify := func(home, want string, known ...audit.Anchor) (v audit.Verified) {
		t.Helper()
		o := openHome(t, home)
		defer o.Close()
		v, err := audit.Verify(t.Context(), o.db, o.keys, known)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("verify: %v, want %q", err, want)
		}
		return v
	}
	reveals := func(home, name string) error {
		o := openHome(t, home)
		defer o.Close()
		_, _, err := o.store.Reveal(t.Context(), object.Key{Kind: object.KindServer, Name: object.Name(name)})
		return err
	}

	home := filepath.Join(dir, "found")
	run(home, "", "migrate")
	old := lose(home)
	id, _, _ := strings.Cut(string(readFile(t, old)), " ")
	verify(home, `1 seal cannot be checked: the key "`+id+`" is lost; the chains of hashes are intact`)
	before := readFile(t, filepath.Join(home, "keys"))
	run(home, `server "s": `, "keys", "rotate")
	if after := readFile(t, filepath.Join(home, "keys")); !bytes.Equal(after, before) {
		t.Error("a rotation that failed has changed the file of keys")
	}
	run(home, "added to "+filepath.Join(home, "keys")+": "+id, "keys", "add", old)
	run(home, "has all keys", "keys", "add", old)
	verify(home, "")
	for _, name := range []string{"s", "meanwhile"} {
		if err := reveals(home, name); err != nil {
			t.Errorf("with the old file: %v", err)
		}
	}
	run(home, "is in the file of keys", "keys", "reseal", id)
	run(home, "encrypted 2 credentials", "keys", "rotate")
	other := filepath.Join(dir, "other.keys")
	if err := os.WriteFile(other, []byte(id+" MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	run(home, "have different keys with the id "+id, "keys", "add", other)

	home = filepath.Join(dir, "lost")
	run(home, "", "migrate")
	id, _, _ = strings.Cut(string(readFile(t, lose(home))), " ")
	anchors := verify(home, id).Anchors
	run(home, `no seal of the audit log has the key "x"`, "keys", "reseal", "x")
	verify(home, id)
	run(home, "replaced 1 seals", "keys", "reseal", id, id)
	v := verify(home, "", anchors...)
	o := openHome(t, home)
	defer o.Close()
	rows, err := audit.List(t.Context(), o.db, audit.Filter{Until: time.Now().Add(time.Hour), Action: "accept lost key", Name: id, Limit: 10})
	if err != nil || len(rows) != 1 || rows[0].Actor != "mcpd keys reseal" || !strings.HasPrefix(rows[0].Detail, "backup ") || len(v.Anchors) != 2 {
		t.Errorf("entries: %+v, %v", rows, err)
	}
}

func readFile(t *testing.T, file string) []byte {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
