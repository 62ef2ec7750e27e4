//go:build e2e

package e2e

import (
	"bytes"
	"encoding/json"
	"net"
	"net/http"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/internal/docstest"
)

// TestDemoTeam runs the demonstration of the team server: the built programs, two developers,
// and a prompt that one edits and the other's agent gets.
func TestDemoTeam(t *testing.T) {
	cmd := exec.Command("go", "run", "./bench/demoteam")
	cmd.Dir = ".."
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range []string{"> begin_session: ... Use tabs. ...", "> wiki__read_page: ... The page Start of the wiki. ...",
		"> begin_session: ... Write a test first. ...", "files: none: mcpd has it encrypted", "processes: none"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("the demo does not print %q:\n%s", want, out)
		}
	}
}

// TestTeamImage builds the image of mcpd and runs it twice on one volume: the data of the first
// container is there in the second.
func TestTeamImage(t *testing.T) {
	podman := newPodman(t, 0)
	podman.run("", "build", "--isolation", "chroot", "-f", "packaging/team/Dockerfile", "-t", "mcpd", ".")
	const volume = "team:/data"
	podman.run("correct horse battery\n", "run", "--rm", "-i", "--network=host", "-v", volume, "mcpd", "bootstrap", "--user", "anna", "--password-stdin")
	for range 2 {
		address := freeAddress(t)
		podman.run("", "run", "-d", "--rm", "--name", "team", "--network=host", "--read-only", "--cap-drop=ALL", "--security-opt", "no-new-privileges",
			"-v", volume, "mcpd", "serve", "--listen", address)
		if user := loginAs(t, "http://"+address, "anna", "correct horse battery"); user != "anna" {
			t.Errorf("logged in as %q", user)
		}
		podman.run("", "stop", "-t", "10", "team")
	}
}

func freeAddress(t *testing.T) string {
	t.Helper()
	lis, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer lis.Close()
	return lis.Addr().String()
}

// loginAs logs in to a mcpd, which may be starting, and returns the user.
func loginAs(t *testing.T, url, user, password string) string {
	t.Helper()
	body, err := json.Marshal(map[string]string{"user": user, "password": password})
	if err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(100 * time.Millisecond) {
		resp, err := http.Post(url+"/api/v1/auth/login", "application/json", bytes.NewReader(body))
		if err == nil {
			defer resp.Body.Close()
			var out struct{ User string }
			if err := json.NewDecoder(resp.Body).Decode(&out); err != nil || resp.StatusCode != http.StatusOK {
				t.Fatalf("status %s, %v", resp.Status, err)
			}
			return out.User
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
}

// The commands in docs/mcpd.md run in order, up to the section about PostgreSQL: an
// administrator and a developer, each with an empty home.
func TestTeamPage(t *testing.T) {
	page, _, _ := strings.Cut(docsPage(t, "mcpd.md"), "## PostgreSQL")
	page = strings.ReplaceAll(page, "mcpd serve > mcpd.log 2>&1 &", "mcpd serve --listen 127.0.0.1:3100 > mcpd.log 2>&1 & echo $! > mcpd.pid")
	page = strings.ReplaceAll(page, "127.0.0.1:3100", freeAddress(t))
	parts := strings.SplitAfter(page, "## The second developer")
	if len(parts) != 2 {
		t.Fatal("the page has no second developer")
	}
	anna := newReader(t)
	bob := newReader(t)
	bob.dir = anna.dir // both use the files of the page
	t.Cleanup(func() {
		for _, r := range []*reader{bob, anna} {
			stop := exec.Command("sh", "-c", "mcpctl daemon stop; test ! -f mcpd.pid || kill $(cat mcpd.pid); rm -f mcpd.pid")
			stop.Dir, stop.Env = r.dir, r.env
			_ = stop.Run() // they may not have started
		}
	})
	if n := anna.follow(docstest.Steps(parts[0], "")); n < 6 {
		t.Errorf("%d commands of the administrator", n)
	}
	second, audit, _ := strings.Cut(parts[1], "## Audit")
	if n := bob.follow(docstest.Steps(second, "")); n < 5 {
		t.Errorf("%d commands of the developer", n)
	}
	if n := anna.follow(docstest.Steps(audit, "")); n < 3 {
		t.Errorf("%d commands of the audit", n)
	}
}
