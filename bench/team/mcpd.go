package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// password is the one of the administrator.
const password = "a long password of the benchmark"

// cluster is one or several processes of mcpd with one database.
type cluster struct {
	bench    *bench
	home     string
	database string // "" is SQLite in the home
	token    string // of the administrator
	replicas []*replica
}

// replica is one process of mcpd. It keeps its address when it is restarted.
type replica struct {
	cluster *cluster
	addr    string
	log     *os.File

	mu  sync.Mutex
	cmd *exec.Cmd
}

// start starts a cluster with an administrator. One of SQLite has one replica.
func (b *bench) start(ctx context.Context, onPostgres bool, replicas int) (*cluster, error) {
	home, err := os.MkdirTemp(b.dir, "home-")
	if err != nil {
		return nil, err
	}
	c := &cluster{bench: b, home: home}
	if onPostgres {
		if c.database, err = b.database(); err != nil {
			return nil, err
		}
	}
	cmd := c.command(ctx, "bootstrap", "--user", "anna", "--password-stdin")
	cmd.Stdin = strings.NewReader(password)
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("mcpd bootstrap: %w: %s", err, out)
	}
	for i := range replicas {
		log, err := os.Create(filepath.Join(home, fmt.Sprintf("log%d", i)))
		if err != nil {
			return nil, err
		}
		r := &replica{cluster: c, addr: "127.0.0.1:0", log: log}
		c.replicas = append(c.replicas, r)
		if err := r.start(ctx); err != nil {
			c.stop()
			return nil, err
		}
	}
	var in struct{ Token string }
	if err := c.replicas[0].call(ctx, "POST", "/api/v1/auth/login", map[string]string{"user": "anna", "password": password}, &in); err != nil {
		c.stop()
		return nil, err
	}
	c.token = in.Token
	return c, nil
}

func (c *cluster) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, c.bench.mcpd, args...)
	cmd.Env = append(os.Environ(), "MCPD_HOME="+c.home, "MCPD_DB="+c.database)
	return cmd
}

func (c *cluster) engine() string {
	if c.database == "" {
		return "SQLite"
	}
	return "PostgreSQL"
}

// stop ends all replicas.
func (c *cluster) stop() {
	for _, r := range c.replicas {
		r.kill()
		r.log.Close()
	}
}

// restart kills all replicas at once and starts them again.
func (c *cluster) restart(ctx context.Context) error {
	for _, r := range c.replicas {
		r.kill()
	}
	for _, r := range c.replicas {
		if err := r.start(ctx); err != nil {
			return err
		}
	}
	return nil
}

// start starts the process and waits until it serves.
func (r *replica) start(ctx context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	cmd := r.cluster.command(ctx, "serve", "--listen", r.addr)
	cmd.Stderr = r.log
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	r.cmd = cmd
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return fmt.Errorf("mcpd serve: %w: %s", cmd.Wait(), r.lastLog())
	}
	var ready struct{ Listening string }
	if err := json.Unmarshal([]byte(line), &ready); err != nil {
		return err
	}
	r.addr = strings.TrimPrefix(ready.Listening, "http://")
	return nil
}

func (r *replica) lastLog() string {
	text, _ := os.ReadFile(r.log.Name())
	return string(text[max(0, len(text)-500):])
}

// kill ends the process with SIGKILL.
func (r *replica) kill() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.cmd != nil {
		_ = r.cmd.Process.Kill()
		_ = r.cmd.Wait()
		r.cmd = nil
	}
}

// pause stops the process for a time.
func (r *replica) pause(d time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.cmd == nil {
		return
	}
	_ = r.cmd.Process.Signal(syscall.SIGSTOP)
	time.Sleep(d)
	_ = r.cmd.Process.Signal(syscall.SIGCONT)
}

// memory returns the resident memory of the process in bytes.
func (r *replica) memory() (int64, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", r.cmd.Process.Pid))
	if err != nil {
		return 0, err
	}
	fields := strings.Fields(string(text))
	if len(fields) < 2 {
		return 0, fmt.Errorf("statm has %d fields", len(fields))
	}
	pages, err := strconv.ParseInt(fields[1], 10, 64)
	return pages * int64(os.Getpagesize()), err
}

// ticks is the number of clock ticks of /proc in a second.
const ticks = 100

// processor returns the processor time of all replicas since they were started. Unlike the
// time that passes, it depends little on what else the machine does.
func (c *cluster) processor() (sum time.Duration, err error) {
	for _, r := range c.replicas {
		r.mu.Lock()
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", r.cmd.Process.Pid))
		r.mu.Unlock()
		if err != nil {
			return 0, err
		}
		_, after, _ := strings.Cut(string(text), ") ")
		fields := strings.Fields(after)
		if len(fields) < 13 {
			return 0, fmt.Errorf("stat has %d fields", len(fields))
		}
		for _, field := range fields[11:13] { // in user mode and in the kernel
			n, err := strconv.ParseInt(field, 10, 64)
			if err != nil {
				return 0, err
			}
			sum += time.Duration(n) * time.Second / ticks
		}
	}
	return sum, nil
}

// measure calls f and returns the processor time that the replicas used.
func (c *cluster) measure(f func() error) (time.Duration, error) {
	before, err := c.processor()
	if err != nil {
		return 0, err
	}
	if err := f(); err != nil {
		return 0, err
	}
	after, err := c.processor()
	return after - before, err
}

// client keeps enough connections for all goals.
var client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 1000, DialContext: (&net.Dialer{Timeout: 2 * time.Second}).DialContext}}

// statusError is a failed request.
type statusError struct {
	status int
	text   string
}

// Error implements error.
func (e statusError) Error() string { return fmt.Sprintf("status %d: %s", e.status, e.text) }

// do sends a request with the administrator's token and returns the body of the answer.
func (r *replica) do(ctx context.Context, method, path string, header http.Header, body []byte) (int, http.Header, []byte, error) {
	req, err := http.NewRequestWithContext(ctx, method, "http://"+r.addr+path, bytes.NewReader(body))
	if err != nil {
		return 0, nil, nil, err
	}
	for name, values := range header {
		req.Header[name] = values
	}
	if req.Header.Get("Authorization") == "" && r.cluster.token != "" {
		req.Header.Set("Authorization", "Bearer "+r.cluster.token)
	}
	if len(body) > 0 {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := client.Do(req)
	if err != nil {
		return 0, nil, nil, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return resp.StatusCode, resp.Header, text, err
}

// call sends a JSON request and decodes the answer.
func (r *replica) call(ctx context.Context, method, path string, in, out any) error {
	var body []byte
	if in != nil {
		var err error
		if body, err = json.Marshal(in); err != nil {
			return err
		}
	}
	status, _, text, err := r.do(ctx, method, path, nil, body)
	if err != nil {
		return err
	}
	if status != http.StatusOK {
		return statusError{status, string(text[:min(len(text), 500)])}
	}
	if out == nil {
		return nil
	}
	return json.Unmarshal(text, out)
}

// applied is what apply did with an object.
type applied struct{ Kind, Name, Project, Action string }

// apply stores the objects of a YAML text, which may begin with a separator. base is the revision that they must have, or "".
func (r *replica) apply(ctx context.Context, yaml, base string) ([]applied, error) {
	var out []applied
	err := r.call(ctx, "POST", "/api/v1/apply", map[string]string{"file": "bench.yaml", "yaml": strings.TrimPrefix(yaml, "---\n"), "base": base}, &out)
	return out, err
}

// version returns the version of the last change.
func (r *replica) version(ctx context.Context) (int64, error) {
	var status struct{ ResourceVersion string }
	if err := r.call(ctx, "GET", "/api/v1/status", nil, &status); err != nil {
		return 0, err
	}
	return strconv.ParseInt(status.ResourceVersion, 10, 64)
}

// awaitVersion waits until all replicas have read what one of them has.
func (c *cluster) awaitVersion(ctx context.Context) (version int64, err error) {
	for _, r := range append(c.replicas, c.replicas...) { // the second round sees the highest version of the first
		for {
			v, err := r.version(ctx)
			if err != nil {
				return 0, err
			}
			if v >= version {
				version = v
				break
			}
			select {
			case <-ctx.Done():
				return 0, ctx.Err()
			case <-time.After(10 * time.Millisecond):
			}
		}
	}
	return version, nil
}
