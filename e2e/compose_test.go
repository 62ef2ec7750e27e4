//go:build e2e

package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/internal/docstest"
)

// dockerScript is the docker of TestTeamCompose. podman-compose 1.0 ignores the conditions of
// depends_on, and without systemd nothing runs health checks: up starts the services in their order, and
// waits for each as the compose file says.
const dockerScript = `#!/bin/sh
set -eu
podman=%s
if [ "$1" != compose ]; then
	command=$1; shift
	exec $podman $command --isolation chroot "$@"
fi
shift
compose="podman-compose --podman-path $podman"
if [ "$*" != "up -d" ]; then
	exec $compose "$@" 2>compose.log
fi
$compose up -d db >>compose.log 2>&1
i=0
until $podman healthcheck run team_db_1 >>compose.log 2>&1; do
	i=$((i+1)); [ $i -lt 200 ] || { tail -n 20 compose.log; $podman logs --tail 20 team_db_1; exit 1; }
	sleep 0.1
done
$compose up -d migrate >>compose.log 2>&1
status=$($podman wait team_migrate_1)
[ "$status" = 0 ] || { tail -n 20 compose.log; $podman logs --tail 20 team_db_1; $podman logs --tail 20 team_migrate_1; exit 1; }
$compose up -d mcpd >>compose.log 2>&1
`

// TestTeamCompose runs the commands of docs/mcpd.md with packaging/team/compose.yaml, unchanged, in a
// network of its own. A prompt that is stored there remains when the containers are created again.
func TestTeamCompose(t *testing.T) {
	if _, err := exec.LookPath("podman-compose"); err != nil {
		t.Skip("needs podman-compose")
	}
	namespace := newNetwork(t)
	podman := newPodman(t, namespace)
	buildPostgres(t, podman)

	_, page, _ := strings.Cut(docsPage(t, "mcpd.md"), "## PostgreSQL")
	page, _, _ = strings.Cut(page, "The systemd unit")
	steps := docstest.Steps(page, "")
	first := slices.IndexFunc(steps, func(s docstest.Step) bool { return strings.HasPrefix(s.Command, "docker build") })
	if first < 0 {
		t.Fatal("the page does not build the image")
	}
	steps = steps[first:] // the image is built from the program that is in bin
	checkCompose(t, steps)

	r := newReader(t)
	copyFiles(t, r.dir, "bin/mcpd", "packaging/team/Dockerfile", "packaging/team/compose.yaml")
	writeScript(t, filepath.Join(r.dir, "programs", "docker"), fmt.Sprintf(dockerScript, podman.script))
	r.env = append(r.env, "PATH="+filepath.Join(r.dir, "programs")+":"+filepath.Join(root(), "bin")+":"+os.Getenv("PATH"))
	team := filepath.Join(r.dir, "packaging", "team")
	sh := func(dir string, env []string, command string) string {
		t.Helper()
		out, err := run(t, 3*time.Minute, env, dir, "sh", "-c", command)
		if err != nil {
			t.Fatalf("%s: %v\n%s", command, err, out)
		}
		return out
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(sh(team, r.env, "cat compose.log; for c in db migrate mcpd; do "+podman.script+" logs --tail 20 team_${c}_1 2>&1; done"))
		}
	})
	var out string
	for _, step := range steps {
		out = sh(filepath.Join(r.dir, step.Dir), r.env, step.Command)
	}
	password := bootstrapPassword(t, out)
	if info, err := os.Stat(filepath.Join(team, "secrets")); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the directory of secrets: %v, %v", info, err)
	}

	before := login(t, namespace, password)
	sh(before.dir, before.env, `printf 'kind: Project\nmetadata: {name: web}\n---\nkind: Prompt\nmetadata: {name: rules, project: web}\nspec: {content: "Use tabs."}\n' | mcpctl apply --team -f -`)
	sh(team, r.env, "docker compose down")
	if left := podman.run("", "ps", "-aq"); left != "" {
		t.Errorf("after docker compose down there are containers %s", left)
	}
	sh(team, r.env, "docker compose up -d")
	after := login(t, namespace, password) // without the snapshot that the first has on disk
	if prompt := sh(after.dir, after.env, "mcpctl get prompt rules --project web -o yaml"); !strings.Contains(prompt, "Use tabs.") {
		t.Errorf("the prompt is now %s", prompt)
	}
}

// checkCompose checks that the comment at the top of the compose file has the commands of the page.
func checkCompose(t *testing.T, steps []docstest.Step) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root(), "packaging", "team", "compose.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	commands := regexp.MustCompile(`(?m)^#   (.*)$`).FindAllStringSubmatch(string(text), -1)
	if len(commands) < 3 {
		t.Errorf("the comment of the compose file has %d commands", len(commands))
	}
	for _, c := range commands {
		if !slices.ContainsFunc(steps, func(s docstest.Step) bool { return s.Command == c[1] }) {
			t.Errorf("docs/mcpd.md lacks the command of the compose file %s", c[1])
		}
	}
}

// buildPostgres builds an image of the PostgreSQL of this machine with the tag that the compose file
// uses, because the image of the registry cannot be pulled everywhere.
func buildPostgres(t *testing.T, podman *podman) {
	t.Helper()
	initdb, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if len(initdb) == 0 {
		t.Skip("needs PostgreSQL")
	}
	programs := filepath.Dir(initdb[len(initdb)-1])
	home := filepath.Dir(programs)
	share := filepath.Join("/usr/share/postgresql", filepath.Base(home))
	files := []string{"/bin/sh"}
	for _, name := range []string{"cat", "chmod", "chown", "id", "mkdir", "rm", "setpriv"} {
		file, err := exec.LookPath(name)
		if err != nil {
			t.Skipf("needs %s", name)
		}
		files = append(files, file)
	}
	for _, name := range []string{"initdb", "pg_ctl", "pg_isready", "postgres", "psql"} {
		files = append(files, filepath.Join(programs, name))
	}
	files = append(files, filepath.Join(home, "lib", "plpgsql.so"), filepath.Join(home, "lib", "dict_snowball.so"))
	ldd, err := exec.Command("ldd", files...).Output()
	if err != nil {
		t.Fatalf("ldd: %v\n%s", err, ldd)
	}
	for _, library := range regexp.MustCompile(`(/\S+) \(0x`).FindAllStringSubmatch(string(ldd), -1) {
		files = append(files, library[1])
	}

	dir := t.TempDir()
	image := filepath.Join(dir, "root")
	for _, file := range files {
		copyFile(t, file, filepath.Join(image, file))
	}
	if err := os.CopyFS(filepath.Join(image, share), os.DirFS(share)); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "postgres"))); err != nil {
		t.Fatal(err)
	}
	podman.run("", "build", "--isolation", "chroot", "--build-arg", "PROGRAMS="+programs, "-t", "docker.io/library/postgres:17", dir)
}

// copyFiles copies files of the repository into dir.
func copyFiles(t *testing.T, dir string, names ...string) {
	t.Helper()
	for _, name := range names {
		copyFile(t, filepath.Join(root(), name), filepath.Join(dir, name))
	}
}

// copyFile copies a file, or the file that a link names, with its mode.
func copyFile(t *testing.T, from, to string) {
	t.Helper()
	info, err := os.Stat(from)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(from)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(to), 0o755)
	}
	if err == nil {
		err = os.WriteFile(to, text, info.Mode().Perm())
	}
	if err != nil {
		t.Fatal(err)
	}
}

func writeScript(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}
