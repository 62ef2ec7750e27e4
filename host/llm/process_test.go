//go:build unix

package llm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/abi"
)

// The test binary acts as the programs of providers, depending on ROLE.
func TestMain(m *testing.M) {
	switch os.Getenv("ROLE") {
	case "gemini":
		os.Exit(playGemini())
	case "server":
		os.Exit(playServer())
	case "child":
		select {}
	}
	os.Exit(m.Run())
}

// playGemini acts as Gemini CLI, with the fault that its input names.
func playGemini() int {
	input, _ := io.ReadAll(os.Stdin)
	files, _ := filepath.Glob("*")
	switch text := string(input); {
	case strings.Contains(text, "crash"):
		fmt.Fprintln(os.Stderr, "no login, key "+os.Getenv(geminiKey))
		return 41
	case strings.Contains(text, "complain"):
		fmt.Printf(`{"error":{"type":"ApiError","message":%q,"code":429}}`, "quota of "+os.Getenv(geminiKey))
		return 1
	case strings.Contains(text, "garbage"):
		fmt.Print("Loading...")
	case strings.Contains(text, "flood"):
		for {
			if _, err := os.Stdout.Write(bytes.Repeat([]byte("x"), 64<<10)); err != nil {
				return 1
			}
		}
	case strings.Contains(text, "hang"):
		child := exec.Command(os.Args[0])
		child.Env = []string{"ROLE=child"}
		child.Stdout = os.Stdout
		if err := child.Start(); err != nil {
			return 1
		}
		_ = os.WriteFile(os.Getenv("PIDS"), fmt.Appendf(nil, "%d %d", os.Getpid(), child.Process.Pid), 0o600)
		select {}
	default:
		response, _ := json.Marshal(fmt.Sprintf("input %q args %q files %q key %d", input, os.Args[1:], files, len(os.Getenv(geminiKey))))
		fmt.Printf(`{"response":%s,"stats":{"models":{"m":{"tokens":{"prompt":5,"candidates":3}}}}}`, response)
	}
	return 0
}

// gemini returns a section with one provider. A program that writes pids, the path of a
// file, must do so within timeout. The other programs need only the time to start, which
// takes seconds on a machine under load.
func gemini(pids string, timeout time.Duration) string {
	return fmt.Sprintf("llm:\n  providers:\n  - {name: g, type: gemini-cli, model: m, timeout: %s, command: [%q], apiKey: \"${KEY}\", env: {ROLE: gemini, PIDS: %q}}\n", timeout, os.Args[0], pids)
}

// The request is written to stdin and the key is in the environment. The arguments,
// which other users can read, are constant.
func TestGeminiCLI(t *testing.T) {
	r := open(t, gemini("", time.Minute))
	a, err := r.get(t.Context(), ask("the text"))
	want := fmt.Sprintf(`input "Sum up.\n\nthe text" args ["-p" %q "--output-format" "json" "-m" "m"] files [".gemini"] key %d`, geminiAsk, len(canary))
	if err != nil || string(a.Text) != want {
		t.Errorf("got\n%s, %v\nwant\n%s", a.Text, err, want)
	}
	if st := r.Providers()[0]; st.TokensIn != 5 || st.TokensOut != 3 {
		t.Errorf("%+v", st)
	}
}

func TestFaultsOfGeminiCLI(t *testing.T) {
	for _, c := range []struct{ text, kind, want string }{
		{"crash", "unavailable", "exit status 41: no login, key ***"},
		{"complain", "unavailable", "quota of ***"},
		{"garbage", "upstream", "printed no JSON"},
		{"flood", "upstream", "printed over 1048576 bytes"},
	} {
		t.Run(c.text, func(t *testing.T) {
			t.Parallel()
			r := open(t, gemini("", time.Minute))
			_, err := r.get(t.Context(), ask(c.text))
			if kindOf(err) != c.kind || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %s: %v, want %s: %s", kindOf(err), err, c.kind, c.want)
			}
			_ = r.Close()
			noCanary(t, err.Error()+r.log.String()+r.Providers()[0].State)
		})
	}
	r := open(t, "llm:\n  providers: [{name: g, type: gemini-cli, command: [/nowhere/gemini]}]\n")
	if _, err := r.get(t.Context(), ask("x")); kindOf(err) != "unavailable" || err.Error() != `LLM provider "g": start gemini: no such file or directory` {
		t.Errorf("missing program: %v", err)
	}
}

// At its time limit the program is killed with all of its child processes.
func TestGeminiCLIIsKilledAsGroup(t *testing.T) {
	pids := filepath.Join(t.TempDir(), "pids")
	var text []byte
	for limit := 2 * time.Second; text == nil; limit *= 4 { // until the program started in time
		r := open(t, gemini(pids, limit))
		if _, err := r.get(t.Context(), ask("hang")); kindOf(err) != "timeout" {
			t.Fatalf("err = %v", err)
		}
		var err error
		if text, err = os.ReadFile(pids); err != nil && limit > time.Minute {
			t.Fatal(err)
		}
	}
	for _, word := range strings.Fields(string(text)) {
		pid, _ := strconv.Atoi(word)
		gone(t, pid)
	}
}

// gone waits until a process has ended or is a zombie.
func gone(t *testing.T, pid int) {
	t.Helper()
	look := time.NewTicker(10 * time.Millisecond)
	defer look.Stop()
	late := time.After(10 * time.Second)
	for {
		if err := syscall.Kill(pid, 0); errors.Is(err, syscall.ESRCH) || zombie(pid) {
			return
		}
		select {
		case <-look.C:
		case <-late:
			t.Fatalf("process %d still runs", pid)
		}
	}
}

func zombie(pid int) bool {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, rest, ok := strings.Cut(string(b), ") ")
	return err == nil && ok && strings.HasPrefix(rest, "Z")
}

// playServer acts as a managed server: it becomes ready after a while, and runs until it
// is stopped or killed.
func playServer() int {
	fmt.Println("loading model with key " + os.Getenv("SERVER_KEY") + os.Getenv("HUB_TOKEN"))
	if os.Getenv("DIES") != "" {
		fmt.Fprintln(os.Stderr, "CUDA out of memory")
		return 1
	}
	end := make(chan os.Signal, 1)
	signal.Notify(end, syscall.SIGTERM)
	mux := http.NewServeMux()
	asked := 0
	mux.HandleFunc("/v1/models", func(w http.ResponseWriter, r *http.Request) {
		if asked++; asked < 2 || r.Header.Get("Authorization") != "Bearer "+os.Getenv("SERVER_KEY") {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	})
	mux.HandleFunc("/v1/chat/completions", func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(read(r), "die") {
			os.Exit(3)
		}
		chat(w, strconv.Itoa(os.Getpid()))
	})
	l, err := net.Listen("tcp", os.Getenv("ADDRESS"))
	if err != nil {
		return 2
	}
	go func() { _ = http.Serve(l, mux) }()
	<-end
	return 0
}

// managed returns a section with one managed server.
func managed(t *testing.T, env string, fields ...string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return fmt.Sprintf("llm:\n  providers:\n  - {name: m, type: managed, model: x, command: [%q], baseURL: \"http://%s/v1\", apiKey: \"${KEY}\", env: {ROLE: server, ADDRESS: \"%s\", SERVER_KEY: \"${KEY}\"%s}%s}\n",
		os.Args[0], l.Addr(), l.Addr(), env, strings.Join(append([]string{""}, fields...), ", "))
}

func (r *rig) awaitState(t *testing.T, want string) Status {
	t.Helper()
	look := time.NewTicker(5 * time.Millisecond)
	defer look.Stop()
	late := time.After(20 * time.Second)
	for {
		if st := r.Providers()[0]; strings.HasPrefix(st.State, want) {
			return st
		}
		select {
		case <-look.C:
		case <-late:
			t.Fatalf("state %q, want %q", r.Providers()[0].State, want)
		}
	}
}

func (r *rig) pid(t *testing.T, text string) int {
	t.Helper()
	a, err := r.get(t.Context(), ask(text))
	pid, bad := strconv.Atoi(string(a.Text))
	if err != nil || bad != nil {
		t.Fatalf("%q, %v", a.Text, err)
	}
	return pid
}

// A server is cold until it is needed. It is warmed up when its project is opened,
// receives requests when it is ready, is stopped when it is idle, and is started again
// without losing a request.
func TestLifeOfManagedServer(t *testing.T) {
	r := open(t, managed(t, ", HUB_TOKEN: "+canary[:12]+"written", "idleStop: 2s"))
	if st := r.Providers()[0]; st.State != "cold" {
		t.Fatalf("state %q", st.State)
	}
	r.Warm("home")
	r.awaitState(t, "warming")
	first := r.pid(t, "one")
	st := r.awaitState(t, "ready")
	if st.LastLine != "loading model with key ******" {
		t.Errorf("last line %q", st.LastLine)
	}
	r.awaitState(t, "cold")
	gone(t, first)
	second := r.pid(t, "two")
	if second == first {
		t.Error("the idle server was not stopped")
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	gone(t, second)
	noCanary(t, r.log.String()+st.LastLine+st.State)
}

// A server that exits is restarted when it is needed, and after growing pauses if
// it keeps exiting.
func TestManagedServerIsRestarted(t *testing.T) {
	r := open(t, managed(t, ""))
	first := r.pid(t, "one")
	if _, err := r.get(t.Context(), ask("die")); kindOf(err) != "unavailable" {
		t.Errorf("err = %v", err)
	}
	gone(t, first)
	st := r.awaitState(t, "failed: the server exited: loading model with key ***")
	if n, err := r.Available("home", abi.TierFast); n != 0 || !errors.Is(err, abi.ErrUnavailable) || !strings.Contains(err.Error(), "started again in") {
		t.Errorf("available %d, %v in state %q", n, err, st.State)
	}
	r.awaitAvailable(t)
	if r.pid(t, "two") == first {
		t.Error("the same process")
	}
}

func (r *rig) awaitAvailable(t *testing.T) {
	t.Helper()
	look := time.NewTicker(5 * time.Millisecond)
	defer look.Stop()
	for late := time.After(20 * time.Second); ; {
		if n, _ := r.Available("home", abi.TierFast); n > 0 {
			return
		}
		select {
		case <-look.C:
		case <-late:
			t.Fatal("never available again")
		}
	}
}

func TestManagedServerFailsToStart(t *testing.T) {
	for _, c := range []struct{ name, section, want string }{
		{"exits", managed(t, `, DIES: "1"`), "the server exited before it was ready: CUDA out of memory"},
		{"never ready", managed(t, "", `healthURL: "http://127.0.0.1:1/"`, "readyTimeout: 300ms"), "the server was not ready after 300ms (readyTimeout)"},
		{"missing program", strings.Replace(managed(t, ""), os.Args[0], "/nowhere/vllm", 1), "start vllm: no such file or directory"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := open(t, c.section)
			_, err := r.get(t.Context(), ask("x"))
			if kindOf(err) != "unavailable" || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %s", err, c.want)
			}
			_ = r.Close()
			noCanary(t, err.Error()+r.log.String())
		})
	}
}

// While a server starts, the next provider of the tier answers.
func TestNextProviderAnswersDuringWarmUp(t *testing.T) {
	section := managed(t, "") + "  - {name: f, type: fake}\n"
	r := open(t, section)
	a, err := r.get(t.Context(), ask("the text"))
	if err != nil || string(a.Text) != "fake: the text" {
		t.Errorf("%q, %v", a.Text, err)
	}
	r.awaitState(t, "ready") // the request has started it
	if a, err = r.get(t.Context(), ask("more")); err != nil || strings.HasPrefix(string(a.Text), "fake") {
		t.Errorf("%q, %v", a.Text, err)
	}
}

// A server that is already running is used and not stopped.
func TestForeignServerIsNotStopped(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) { chat(w, "foreign") })
	r := open(t, fmt.Sprintf("llm:\n  providers: [{name: m, type: managed, model: x, command: [/nowhere/vllm], baseURL: %q}]\n", s.URL))
	if a, err := r.get(t.Context(), ask("x")); err != nil || string(a.Text) != "foreign" {
		t.Errorf("%q, %v", a.Text, err)
	}
	s.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if _, err := r.get(ctx, ask("y")); kindOf(err) != "unavailable" {
		t.Errorf("after it has ended: %v", err)
	}
	r.awaitState(t, "cold")
}
