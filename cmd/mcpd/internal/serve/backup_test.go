package serve

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"filippo.io/age"

	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/store"
	"github.com/mcpctl/mcpctl/host/object"
)

// command runs a command of mcpd with a home, and returns its output and error text.
func command(t *testing.T, home string, args ...string) (out, failure string) {
	t.Helper()
	t.Setenv("MCPD_HOME", home)
	t.Setenv("MCPD_DB", "")
	root := NewRoot()
	var b bytes.Buffer
	for _, c := range root.Commands() {
		c.SetOut(&b)
		for _, sub := range c.Commands() {
			sub.SetOut(&b)
		}
	}
	root.SetArgs(args)
	root.SetIn(strings.NewReader("correct horse battery staple\n"))
	if err := root.ExecuteContext(t.Context()); err != nil {
		failure = err.Error()
	}
	return b.String(), failure
}

// openHome opens the data of a home.
func openHome(t *testing.T, home string) *opened {
	t.Helper()
	t.Setenv("MCPD_HOME", home)
	o, err := (&place{}).open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(o.Close)
	return o
}

func applyTo(t *testing.T, o *opened, yaml string) {
	t.Helper()
	objects, _, err := object.Decode("test.yaml", []byte(yaml))
	if err != nil {
		t.Fatal(err)
	}
	w := store.Write{Actor: "user anna", Authorize: func(object.Key, bool) error { return nil }}
	if _, err := o.store.Apply(t.Context(), w, objects); err != nil {
		t.Fatal(err)
	}
}

const secretServer = "kind: Server\nmetadata: {name: s}\nspec: {url: 'https://x/', headers: {Authorization: Bearer abc}}\n"

func TestBackupAndRestoreCommands(t *testing.T) {
	dir := t.TempDir()
	home, other := filepath.Join(dir, "home"), filepath.Join(dir, "other")
	file, key := filepath.Join(dir, "b.tar.zst"), filepath.Join(dir, "key.txt")
	id, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(key, []byte("# comment\n"+id.String()+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, failure := command(t, home, "bootstrap", "--user", "anna", "--password-stdin"); failure != "" {
		t.Fatal(failure)
	}
	o := openHome(t, home)
	applyTo(t, o, secretServer)
	run := func(home, want, wantFailure string, args ...string) {
		t.Helper()
		out, failure := command(t, home, args...)
		if !strings.Contains(out, want) || !strings.Contains(failure, wantFailure) || wantFailure == "" && failure != "" {
			t.Errorf("mcpd %s: %q, %q, want %q, %q", strings.Join(args, " "), out, failure, want, wantFailure)
		}
	}
	// The home is in use: a backup works, a restore does not.
	run(home, "the credentials of 1 servers were left out, because there is no --recipient", "", "backup", "-o", file)
	run(home, "", file+" exists", "backup", "-o", file)
	run(home, "", dir+" exists and is not a regular file", "backup", "-o", dir, "--force")
	run(home, "version 3, 3 objects, 1 passwords, 0 tokens", "", "backup", "-o", file, "--force", "--recipient", id.Recipient().String())
	run(home, "", "is in use by another mcpd", "restore", "-f", file, "--merge")
	o.Close()
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	run(home, "", "needs an empty one, it has 3", "restore", "-f", file, "--identity", key)
	run(home, "0 created, 0 configured, 3 unchanged", "", "restore", "-f", file, "--identity", key, "--merge")
	run(other, "", "there is no identity to decrypt them", "restore", "-f", file)
	run(other, "", "want a line AGE-SECRET-KEY", "restore", "-f", file, "--identity", file)
	run(other, "dry run, would restore", "", "restore", "-f", file, "--identity", key, "--dry-run")
	run(other, `skipped, because there are no credentials: server "s"`, "", "restore", "-f", file, "--without-credentials", "--dry-run")
	run(other, "3 created", "", "restore", "-f", file, "--identity", key)
	run(other, "", "-f is missing", "restore")
	run(other, "", "-o is missing", "backup")
	run(filepath.Join(dir, "new"), "", "not a backup of mcpd", "restore", "-f", key)
	run(filepath.Join(dir, "new"), "", "no such file", "restore", "-f", filepath.Join(dir, "none"))
	if _, err := os.Stat(filepath.Join(dir, "new")); err == nil {
		t.Error("a file that is no backup has created a home")
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".mcpd-*")); len(left) > 0 {
		t.Errorf("temporary files are left: %v", left)
	}
}

// The commands of docs/backup.md work in their order. Between them, a restore gets a new home, and
// the file of keys is lost before a command that helps then.
func TestBackupPage(t *testing.T) {
	page, err := os.ReadFile("../../../../docs/backup.md")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	id, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("key.txt", []byte(id.String()+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	o := openHome(t, "home")
	if _, _, err := o.db.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	applyTo(t, o, secretServer)
	o.Close()
	text := strings.ReplaceAll(string(page), "$(age-keygen -y key.txt)", id.Recipient().String())
	home, commands := "home", 0
	for line := range strings.Lines(text) {
		args := strings.Fields(line)
		if len(args) < 2 || args[0] != "mcpd" {
			continue
		}
		keys := filepath.Join(home, "keys")
		switch strings.Join(args[1:], " ") {
		case "keys add keys.old":
			if err := os.Rename(keys, "keys.old"); err != nil {
				t.Fatal(err)
			}
		case "keys reseal KEY":
			all := strings.Fields(string(readFile(t, keys)))
			args[3] = all[len(all)-2] // the newest one
			if err := os.Remove(keys); err != nil {
				t.Fatal(err)
			}
		}
		if args[1] == "restore" {
			home = "restored"
		}
		commands++
		if _, failure := command(t, home, args[1:]...); failure != "" {
			t.Errorf("%s: %s", strings.TrimSpace(line), failure)
		}
	}
	if commands != 6 {
		t.Errorf("the page has %d commands of mcpd", commands)
	}
}

// A backup of before a rotation restores after it, and so does a copy of the database open.
func TestKeysRotate(t *testing.T) {
	dir := t.TempDir()
	home, file := filepath.Join(dir, "home"), filepath.Join(dir, "b.tar.zst")
	id, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	key := filepath.Join(dir, "key.txt")
	if err := os.WriteFile(key, []byte(id.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	o := openHome(t, home)
	if _, _, err := o.db.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	applyTo(t, o, secretServer)
	if _, failure := command(t, home, "keys", "rotate"); !strings.Contains(failure, "is in use by another mcpd") {
		t.Errorf("while a server runs: %q", failure)
	}
	o.Close()
	if _, failure := command(t, home, "backup", "-o", file, "--recipient", id.Recipient().String()); failure != "" {
		t.Fatal(failure)
	}
	database, err := os.ReadFile(filepath.Join(home, "mcpd.db"))
	if err != nil {
		t.Fatal(err)
	}
	if out, failure := command(t, home, "keys", "rotate"); failure != "" || !strings.Contains(out, "encrypted 1 credentials with the new key") {
		t.Fatalf("%q, %q", out, failure)
	}
	server := object.Key{Kind: object.KindServer, Name: "s"}
	check := func(name string) {
		t.Helper()
		o := openHome(t, home)
		defer o.Close()
		if s, _, err := o.store.Reveal(t.Context(), server); err != nil || s.(*object.Server).Spec.Headers["Authorization"].Source() != "Bearer abc" {
			t.Errorf("%s: %v, %v", name, s, err)
		}
	}
	check("after the rotation")
	if out, failure := command(t, home, "restore", "-f", file, "--identity", key, "--merge"); failure != "" || !strings.Contains(out, "1 unchanged") {
		t.Errorf("an old backup: %q, %q", out, failure)
	}
	if err := os.WriteFile(filepath.Join(home, "mcpd.db"), database, 0o600); err != nil {
		t.Fatal(err)
	}
	check("a copy of the database")
}
