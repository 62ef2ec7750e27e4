//go:build e2e

package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/internal/docstest"
)

// machineScript makes a root directory: the /usr of this machine, and an empty /etc and /var. Changes
// are kept in memory.
const machineScript = `set -eu
mkdir /run/containers/machine /run/containers/usr /run/containers/work
cd /run/containers/machine
mkdir dev etc home proc root run sys tmp usr var
for name in bin lib lib32 lib64 libx32 sbin; do
	[ ! -L /$name ] || cp -P /$name $name
done
mount -t overlay overlay -o lowerdir=/usr,upperdir=/run/containers/usr,workdir=/run/containers/work usr
cp /etc/passwd /etc/group /etc/nsswitch.conf etc
head -c 16 /dev/urandom | od -An -tx1 | tr -d ' \n' > etc/machine-id
printf '#!/bin/sh\nexec "$@"\n' > usr/bin/sudo
chmod 755 usr/bin/sudo
make -s -C "$0" install-team PREFIX=/usr DESTDIR=/run/containers/machine
`

// machine is a container with systemd as its first process, in which make install-team has installed mcpd.
type machine struct {
	t         *testing.T
	podman    *podman
	namespace int
}

func startMachine(t *testing.T) *machine {
	t.Helper()
	if _, err := os.Stat("/usr/lib/systemd/systemd"); err != nil {
		t.Skip("needs systemd")
	}
	if link, err := os.Readlink("/bin"); err != nil || link != "usr/bin" {
		t.Skip("needs a system whose programs are all in /usr")
	}
	m := &machine{t: t, namespace: newNetwork(t)}
	m.podman = newPodman(t, m.namespace)
	if out, err := exec.Command("nsenter", "--target", strconv.Itoa(m.namespace), "--mount", "sh", "-c", machineScript, root()).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	// The restrictions of the unit are mounts, for which systemd needs SYS_ADMIN.
	m.podman.run("", "run", "-d", "--name", "machine", "--systemd=always", "--network=host", "--cap-add=SYS_ADMIN", "--security-opt=seccomp=unconfined",
		"--rootfs", "/run/containers/machine", "/usr/lib/systemd/systemd", "--unit=basic.target")
	m.await("systemd has started", func() bool { _, err := m.try("systemctl", "is-active", "--quiet", "basic.target"); return err == nil })
	return m
}

// try runs a command on the machine.
func (m *machine) try(args ...string) (string, error) {
	out, err := exec.Command(m.podman.script, append([]string{"exec", "machine"}, args...)...).CombinedOutput()
	return string(out), err
}

// run runs a command on the machine and returns what it prints.
func (m *machine) run(args ...string) string {
	m.t.Helper()
	out, err := m.try(args...)
	if err != nil {
		log, _ := m.try("journalctl", "--no-pager", "-n", "30")
		m.t.Fatalf("%q: %v\n%s\nlog: %s", args, err, out, log)
	}
	return out
}

// show returns the state of the unit of mcpd, in words of systemd.
func (m *machine) show() (state, restarts, status, pid string) {
	m.t.Helper()
	values := map[string]string{}
	for line := range strings.Lines(m.run("systemctl", "show", "mcpd")) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		values[name] = value
	}
	return values["ActiveState"], values["NRestarts"], values["ExecMainStatus"], values["MainPID"]
}

// await waits for a condition.
func (m *machine) await(what string, holds func() bool) {
	m.t.Helper()
	for deadline := time.Now().Add(time.Minute); !holds(); time.Sleep(100 * time.Millisecond) {
		if time.Now().After(deadline) {
			log, _ := m.try("journalctl", "--no-pager", "-n", "30")
			m.t.Fatalf("within a minute it was not true that %s\n%s", what, log)
		}
	}
}

// TestTeamUnit starts packaging/team/mcpd.service by systemd, as docs/mcpd.md describes.
func TestTeamUnit(t *testing.T) {
	m := startMachine(t)
	if out := m.run("systemd-analyze", "verify", "--man=no", "/usr/lib/systemd/system/mcpd.service"); out != "" {
		t.Errorf("systemd-analyze verify reports %s", out)
	}
	m.run("systemd-analyze", "security", "--offline=yes", "--threshold=40", "/usr/lib/systemd/system/mcpd.service")
	if out, _ := m.try("systemctl", "is-enabled", "mcpd"); out != "disabled\n" {
		t.Errorf("the unit is %s, want disabled", out)
	}

	_, page, _ := strings.Cut(docsPage(t, "mcpd.md"), "The systemd unit")
	page, _, _ = strings.Cut(page, "\n## ")
	var out string
	steps := docstest.Steps(page, "")
	if len(steps) != 2 {
		t.Fatalf("the page has %d commands, want 2", len(steps))
	}
	for _, step := range steps {
		out += m.run("sh", "-c", step.Command)
	}
	password := bootstrapPassword(t, out)
	login(t, m.namespace, password)

	if out := m.run("stat", "-L", "-c", "%a %U %G", "/var/lib/mcpd", "/var/lib/mcpd/keys", "/var/lib/mcpd/mcpd.db"); out != "700 mcpd mcpd\n600 mcpd mcpd\n600 mcpd mcpd\n" {
		t.Errorf("the modes and owners of the home and its files: %s", out)
	}
	_, _, _, pid := m.show()
	uid, err := strconv.Atoi(strings.TrimSpace(m.run("stat", "-c", "%u", "/proc/"+pid)))
	if err != nil || uid < 61184 || uid > 65519 {
		t.Errorf("mcpd runs as user %d, %v, want one of the range of dynamic users", uid, err)
	}
	status := m.run("cat", "/proc/"+pid+"/status")
	for _, line := range []string{`CapEff:\t0000000000000000`, `CapBnd:\t0000000000000000`, `NoNewPrivs:\t1`, `Seccomp:\t2`, `Umask:\t0077`} {
		if !regexp.MustCompile(line).MatchString(status) {
			t.Errorf("the process lacks %s:\n%s", line, status)
		}
	}

	m.run("systemctl", "kill", "-s", "KILL", "mcpd")
	m.await("mcpd was restarted", func() bool { state, restarts, _, _ := m.show(); return state == "active" && restarts == "1" })
	login(t, m.namespace, password)

	// The reason of each end is one that a restart does not remove.
	for _, tc := range []struct{ name, before, flags, status string }{
		{"an unknown flag", "true", "--no-such-flag", "2"},
		{"a file of keys that others may read", "chmod 644 /var/lib/private/mcpd/keys", "", "4"},
		{"an address without a port", "chmod 600 /var/lib/private/mcpd/keys", "--listen x", "2"},
	} {
		m.run("sh", "-c", tc.before+"; mkdir -p /etc/mcpd; echo MCPD_FLAGS="+tc.flags+" > /etc/mcpd/environment; systemctl reset-failed mcpd; systemctl restart mcpd; true")
		m.await("the unit has failed after "+tc.name, func() bool { state, _, _, _ := m.show(); return state == "failed" })
		if _, restarts, status, _ := m.show(); status != tc.status || restarts != "0" {
			t.Errorf("after %s: status %s and %s restarts, want status %s and none", tc.name, status, restarts, tc.status)
		}
	}
	m.run("sh", "-c", "echo MCPD_DB=postgres://127.0.0.1:1/mcpd > /etc/mcpd/environment; systemctl reset-failed mcpd; systemctl restart mcpd")
	m.await("mcpd was restarted for a database that does not answer", func() bool { _, restarts, status, _ := m.show(); return restarts != "0" && status == "6" })
	m.run("sh", "-c", "rm /etc/mcpd/environment; systemctl reset-failed mcpd; systemctl restart mcpd")
	login(t, m.namespace, password)
}

// bootstrapPassword returns the password that mcpd bootstrap prints.
func bootstrapPassword(t *testing.T, out string) string {
	t.Helper()
	printed := regexp.MustCompile(`created administrator anna\s+password: (\S+)`).FindStringSubmatch(out)
	if printed == nil {
		t.Fatalf("bootstrap prints %q", out)
	}
	return printed[1]
}

// login logs in anna to the mcpd on port 3100 of a namespace, which may be starting, with a daemon of its
// own that runs there.
func login(t *testing.T, namespace int, password string) *reader {
	t.Helper()
	r := newReader(t)
	sh := func(command string, env ...string) {
		t.Helper()
		if out, err := run(t, time.Minute, append(r.env, env...), r.dir, "sh", "-c", command); err != nil {
			t.Fatalf("%s: %v\n%s", command, err, out)
		}
	}
	t.Cleanup(func() { sh("mcpctl daemon stop") })
	sh(fmt.Sprintf("nsenter --target %d --net mcpctl daemon start --listen 127.0.0.1:0", namespace))
	sh(`for i in $(seq 100); do printf %s "$PASSWORD" | mcpctl login http://127.0.0.1:3100 --user anna && exit; sleep 0.2; done; exit 1`, "PASSWORD="+password)
	return r
}
