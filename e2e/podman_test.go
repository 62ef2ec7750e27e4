//go:build e2e

package e2e

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// podmanConfig lets Podman run where cgroups and limits are restricted, as in most CI systems.
const podmanConfig = `[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
[containers]
default_ulimits = ["nofile=20000:20000", "nproc=32768:32768"]
[network]
network_backend = "netavark"
`

// podman runs Podman with images, containers and networks of its own.
type podman struct {
	t      *testing.T
	script string // runs podman with these
	dir    string
}

// newPodman returns a podman without images. It runs in the network of the process namespace, which
// newNetwork has returned, or in that of this machine if namespace is 0. The test is skipped if
// Podman is not installed.
func newPodman(t *testing.T, namespace int) *podman {
	t.Helper()
	if _, err := exec.LookPath("podman"); err != nil {
		t.Skip("needs podman")
	}
	if os.Getuid() != 0 {
		t.Skip("needs root")
	}
	dir, err := os.MkdirTemp("", "mcpctl-podman-")
	if err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(dir, "containers.conf")
	if err := os.WriteFile(config, []byte(podmanConfig), 0o600); err != nil {
		t.Fatal(err)
	}
	enter := ""
	if namespace != 0 {
		enter = fmt.Sprintf(`nsenter --target %d --net --mount sh -c 'cd "$0" && exec "$@"' "$PWD" `, namespace)
	}
	p := &podman{t: t, script: filepath.Join(dir, "podman"), dir: dir}
	text := fmt.Sprintf("#!/bin/sh\nexport CONTAINERS_CONF=%s/containers.conf\nexec %spodman --root %[1]s/root --runroot %[1]s/run --network-config-dir %[1]s/networks --storage-driver vfs \"$@\"\n", dir, enter)
	if err := os.WriteFile(p.script, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.remove)
	return p
}

// run runs podman in the root of the repository, and returns what it prints.
func (p *podman) run(input string, args ...string) string {
	p.t.Helper()
	cmd := exec.Command(p.script, args...)
	cmd.Dir, cmd.Stdin = root(), strings.NewReader(input)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		p.t.Fatalf("podman %s: %v\n%s%s", strings.Join(args, " "), err, &stdout, &stderr)
	}
	return stdout.String()
}

// remove ends all containers and removes all files.
func (p *podman) remove() {
	p.run("", "rm", "-fa", "-t", "2")
	p.run("", "rmi", "-fa")
	for range 20 { // a container that has just ended may still write
		if os.RemoveAll(p.dir) == nil {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// newNetwork starts a process with its own network, which has only a loopback interface, and returns
// its pid. In that network a test can use fixed ports, and its firewall rules end with the process. The
// process also has its own /run/containers, because Podman keeps one name server there for all
// networks.
func newNetwork(t *testing.T) (pid int) {
	t.Helper()
	cmd := exec.Command("unshare", "--net", "--mount", "sh", "-c",
		"ip link set lo up && mkdir -p /run/containers && mount -t tmpfs tmpfs /run/containers && echo ready && exec cat")
	in, err := cmd.StdinPipe() // cat ends when the test does
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Skipf("needs unshare: %v", err)
	}
	t.Cleanup(func() { in.Close(); _ = cmd.Wait() })
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "ready\n" {
		t.Fatalf("no network: %v", err)
	}
	return cmd.Process.Pid
}
