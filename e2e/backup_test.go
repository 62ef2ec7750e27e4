//go:build e2e

package e2e

import (
	"database/sql"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"filippo.io/age"
	_ "modernc.org/sqlite" // the database of mcpd

	"github.com/mcpctl/mcpctl/internal/docstest"
)

// The commands of mcpctl in docs/backup.md run in order with a real mcpd. Then somebody removes
// the entries of the last writer and its seal from the database: only the anchors show it.
func TestBackupPage(t *testing.T) {
	_, page, ok := strings.Cut(docsPage(t, "backup.md"), "## From the machine of an administrator")
	page, _, found := strings.Cut(page, "## Keys")
	if !ok || !found {
		t.Fatal("the page has no section for administrators")
	}
	id, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	anna, address := newReader(t), freeAddress(t)
	for name, text := range map[string]string{
		"key.txt": "# public key: " + id.Recipient().String() + "\n" + id.String() + "\n", "password.txt": "correct horse battery\n",
		"server.yaml": "kind: Server\nmetadata: {name: s}\nspec: {url: \"https://wiki.example/mcp\", headers: {Authorization: Bearer canary-7c1f0b}}\n",
	} {
		if err := os.WriteFile(filepath.Join(anna.dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	anna.env = append(anna.env, "RECIPIENT="+id.Recipient().String())
	run := func(command string) (string, error) {
		cmd := exec.Command("sh", "-c", command)
		cmd.Dir, cmd.Env = anna.dir, anna.env
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	must := func(command string) {
		t.Helper()
		if out, err := run(command); err != nil {
			t.Fatalf("%s: %v\n%s", command, err, out)
		}
	}
	t.Cleanup(func() {
		_, _ = run("mcpctl daemon stop; test ! -f mcpd.pid || kill $(cat mcpd.pid)") // they may not have started
	})
	must("mcpd bootstrap --user anna --password-stdin < password.txt")
	must("mcpd serve --listen " + address + " > mcpd.log 2>&1 & echo $! > mcpd.pid")
	loginAs(t, "http://"+address, "anna", "correct horse battery") // when it has started
	must("mcpctl daemon start --listen 127.0.0.1:0 && mcpctl login http://" + address + " --user anna < password.txt && mcpctl apply --team -f server.yaml")
	must("mcpctl login http://" + address + " --user anna < password.txt") // the process writes after the configuration

	if n := anna.follow(docstest.Steps(page, "")); n != 5 {
		t.Errorf("%d commands", n)
	}
	must("mcpctl restore team.tar.zst --identity - --merge < key.txt")
	for _, name := range []string{"team.tar.zst", "audit.ndjson", "anchors.json", "home/.mcpctl/audit-anchors.json"} {
		text, err := os.ReadFile(filepath.Join(anna.dir, name))
		if err != nil || strings.Contains(string(text), "canary-7c1f0b") {
			t.Errorf("%s: %v, or it has a credential", name, err)
		}
		if info, err := os.Stat(filepath.Join(anna.dir, name)); err == nil && info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v", name, info.Mode())
		}
	}
	if log, err := run("cat mcpd.log home/.mcpctl/logs/*"); err != nil || strings.Contains(log, "AGE-SECRET-KEY") {
		t.Errorf("a log has the secret key, or %v", err)
	}

	// A new process is the last writer.
	must("kill $(cat mcpd.pid); while kill -0 $(cat mcpd.pid) 2> /dev/null; do sleep 0.1; done")
	must("mcpd serve --listen " + address + " > mcpd.log 2>&1 & echo $! > mcpd.pid")
	loginAs(t, "http://"+address, "anna", "correct horse battery")
	verify := func(command, want string, ok bool) {
		t.Helper()
		out, err := run(command)
		if (err == nil) != ok || !strings.Contains(out, want) {
			t.Errorf("%s: %v\n%s", command, err, out)
		}
	}
	must(`i=0; until mcpctl audit verify -o json | grep -q '"writers": 3'; do i=$((i+1)); test $i -lt 100 || exit 1; sleep 0.1; done`) // the log is written in batches
	db, err := sql.Open("sqlite", filepath.Join(anna.dir, "home", ".mcpd", "mcpd.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var last string
	if err := db.QueryRow("SELECT writer FROM audit WHERE writer LIKE 'process %' ORDER BY at DESC LIMIT 1").Scan(&last); err != nil {
		t.Fatal(err)
	}
	for _, table := range []string{"audit", "audit_heads"} {
		if _, err := db.Exec("DELETE FROM "+table+" WHERE writer = $1", last); err != nil {
			t.Fatal(err)
		}
	}
	verify("mcpctl audit verify", "the anchor row", false)
	verify("mcpctl audit verify", last, false) // it keeps the anchors
	verify("mcpctl audit verify --anchors new.json", "no anchors of", true)
	verify("mcpctl audit verify --renew", "ok", true)
	verify("mcpctl audit verify", "compared with", true)
}
