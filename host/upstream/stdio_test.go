package upstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
)

func TestCallCarriesBytes(t *testing.T) {
	c := startFake(t, fakeConfig(t, ""), nil)
	params := json.RawMessage("{\"z\":9007199254740993,\r\n \"a\":{\"k\":1,\"k\":2},\"t\":\"<\\u00e9\\ud800>\"}")
	reply, err := c.Call(t.Context(), "echo", params, nil)
	want := strings.NewReplacer("\r", " ", "\n", " ").Replace(string(params)) // white space of a frame
	if err != nil || string(reply.Result) != want {
		t.Fatalf("got %s, %v\nwant %s", reply.Result, err, want)
	}
	reply, err = c.Call(t.Context(), "fail", nil, nil)
	if want := `{"code":-32042,"message":"no","data":{"n":9007199254740993},"extra":1}`; err != nil || string(reply.Error) != want {
		t.Fatalf("got %s, %v\nwant %s", reply.Error, err, want)
	}
	if got := string(c.Capabilities()); !strings.Contains(got, "9007199254740993") || c.Instructions() != "be kind" {
		t.Errorf("capabilities %s, instructions %q", got, c.Instructions())
	}
	s := c.State()
	if s.Status != Ready || s.Protocol != preferredVersion || s.PID == 0 || s.Counts.Calls != 2 || !strings.Contains(string(s.ServerInfo), `"fake"`) {
		t.Errorf("state %+v", s)
	}
}

func TestCrashEndsItsCallAndTheNextOneWorks(t *testing.T) {
	client := &recorder{called: make(chan string, 10)}
	c := startFake(t, fakeConfig(t, ""), client)
	callTool(t, c, "echo", "", nil)
	for i, tool := range []string{"crash", "kill", "closeOutput"} {
		began := time.Now()
		_, err := c.Call(t.Context(), "tools/call", toolParams(tool, ""), nil)
		if !errors.Is(err, abi.ErrUnavailable) || !strings.Contains(err.Error(), `server "fake": tools/call `+tool+": ") {
			t.Fatalf("%s: got %v, want an ErrUnavailable that names server and tool", tool, err)
		}
		if took := time.Since(began); took > 20*time.Second {
			t.Errorf("%s: the error took %s", tool, took)
		}
		callTool(t, c, "echo", "", nil)
		if got := c.State(); got.Restarts != i+1 || got.Status != Ready || got.Error != "" {
			t.Errorf("%s: state %+v, want %d restarts", tool, got, i+1)
		}
		if got := <-client.called; got != "notifications/tools/list_changed" {
			t.Errorf("after a restart the Peer was told %s", got)
		}
	}
	if got := strings.Join(c.State().Stderr, "\n"); !strings.Contains(got, `about to \x1b[31mcrash`) {
		t.Errorf("stderr %q", got)
	}
}

// The next message to a server that has closed its stdin detects that.
func TestServerThatClosesItsInputIsRestarted(t *testing.T) {
	cfg := fakeConfig(t, "")
	cfg.Timeout, cfg.StartTimeout, cfg.QueueWait = time.Second, time.Minute, time.Minute
	c := startFake(t, cfg, nil)
	if _, err := c.Call(t.Context(), "tools/call", toolParams("closeInput", ""), nil); err == nil {
		t.Error("a hanging call gave a result")
	}
	waitFor(t, "the restart", func() bool { s := c.State(); return s.Restarts == 1 && s.Status == Ready })
	callTool(t, c, "echo", "", nil)
}

// A call that may have run is repeated, once, only if the caller allows it.
func TestCrashReplaysOnlyWhatMayRunTwice(t *testing.T) {
	c := startFake(t, fakeConfig(t, ""), nil)
	for _, tt := range []struct {
		call func(context.Context, string, json.RawMessage, Peer) (flow.Reply, error)
		want int64
	}{{c.Call, 0}, {c.CallRepeatable, 1}} {
		if _, err := tt.call(t.Context(), "tools/call", toolParams("crash", ""), nil); err == nil {
			t.Error("a crash gave a result")
		}
		if got := c.State().Counts.Repeated; got != tt.want {
			t.Errorf("%d calls repeated, want %d", got, tt.want)
		}
	}
}

func TestServerIsToldOfEndedCalls(t *testing.T) {
	awaitCancellation := func(t *testing.T, c *Client) {
		t.Helper()
		first := fmt.Sprintf(`"cancelled":[%d`, c.lastID.Load())
		waitFor(t, "the cancellation", func() bool {
			reply, err := c.Call(t.Context(), "tools/call", toolParams("count", ""), nil)
			return err == nil && strings.Contains(string(reply.Result), first) // on a busy machine some calls end at the deadline too
		})
	}
	t.Run("at the deadline", func(t *testing.T) {
		cfg := fakeConfig(t, "")
		cfg.Timeout, cfg.StartTimeout, cfg.QueueWait = time.Second, time.Minute, time.Minute
		c := startFake(t, cfg, nil)
		_, err := c.Call(t.Context(), "tools/call", toolParams("hang", ""), nil)
		if !errors.Is(err, abi.ErrUnavailable) || !strings.Contains(err.Error(), "1s") {
			t.Fatalf("got %v", err)
		}
		if got := c.State().Counts; got.Timeouts != 1 || got.Failed != 1 {
			t.Errorf("counts %+v", got)
		}
		awaitCancellation(t, c)
	})
	t.Run("by the client", func(t *testing.T) {
		c := startFake(t, fakeConfig(t, ""), nil)
		ctx, cancel := context.WithCancelCause(t.Context())
		why := errors.New("client went away")
		started := &recorder{called: make(chan string, 1)}
		go func() {
			<-started.called
			cancel(why)
		}()
		if _, err := c.Call(ctx, "tools/call", toolParams("hang", ""), started); !errors.Is(err, why) {
			t.Fatalf("got %v, want %v", err, why)
		}
		if got := c.State().Counts; got.Timeouts != 0 || got.Failed != 1 {
			t.Errorf("counts %+v", got)
		}
		awaitCancellation(t, c)
	})
}

// waitFor polls ok for at most a minute.
func waitFor(t *testing.T, what string, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); <-tick.C {
		if ok() {
			return
		}
	}
	t.Fatalf("%s: not within a minute", what)
}

func TestCallsWaitForASlowStart(t *testing.T) {
	c := startFake(t, fakeConfig(t, "slow=300ms"), nil)
	callTool(t, c, "echo", "", nil)

	cfg := fakeConfig(t, "slow=1m")
	cfg.QueueWait = 50 * time.Millisecond
	c = startFake(t, cfg, nil)
	_, err := c.Call(t.Context(), "tools/list", nil, nil)
	if !errors.Is(err, abi.ErrUnavailable) || !strings.Contains(err.Error(), "still starting after 50ms") {
		t.Fatalf("got %v", err)
	}
	if s := c.State(); s.Status != Starting {
		t.Errorf("status %s", s.Status)
	}
}

func TestAnswerOverTheLimitIsAnErrorResult(t *testing.T) {
	cfg := fakeConfig(t, "")
	cfg.FrameBytes = 100_000
	c := startFake(t, cfg, nil)
	for _, tool := range []string{"big", "idLast"} {
		got := callTool(t, c, tool, `{"n":5000000}`, nil)
		if !strings.Contains(got, `"isError":true`) || !strings.Contains(got, `server \"fake\": tools/call `+tool+` answered 50000`) ||
			!strings.Contains(got, "bytes, limit 100000 (set limits.frame): ask for less at once") {
			t.Errorf("%s: got %s", tool, got)
		}
		if got := callTool(t, c, "big", `{"n":1000}`, nil); len(got) != 1002 {
			t.Errorf("the next answer has %d bytes", len(got))
		}
	}
	if s := c.State(); s.Counts.TooLong != 2 || s.Restarts != 0 {
		t.Errorf("state %+v", s)
	}
	if _, err := c.Call(t.Context(), "tools/call", toolParams("endless", ""), nil); !errors.Is(err, abi.ErrUnavailable) {
		t.Errorf("100 MB without a newline: %v", err)
	}
	callTool(t, c, "echo", "", nil)
	if s := c.State(); s.Counts.TooLong != 3 || s.Restarts != 1 {
		t.Errorf("state %+v", s)
	}
	reply := c.tooLong("resources/read", json.RawMessage(`{"uri":"file:///x"}`), tooLongOf(7, 5))
	if want := `{"code":-32603,"message":"server \"fake\": resources/read file:///x answered 7 bytes, limit 5 (set limits.frame): ask for less at once"}`; string(reply.Error) != want {
		t.Errorf("got %s, want %s", reply.Error, want)
	}
}

func TestGarbageIsDroppedAndCounted(t *testing.T) {
	peer := &recorder{called: make(chan string, 10)}
	c := startFake(t, fakeConfig(t, ""), peer)
	if got := callTool(t, c, "garbage", "", nil); got != `"clean"` {
		t.Errorf("got %s", got)
	}
	if got := c.State().Counts.Garbage; got != 6 {
		t.Errorf("%d lines of garbage counted, want 6", got)
	}
	if got := c.State().Garbage; !strings.HasPrefix(got, "22 bytes: ") || !strings.Contains(got, "at byte 22") {
		t.Errorf("shown %q", got)
	}
	if got := callTool(t, c, "crlf", "", nil); got != `"crlf"` {
		t.Errorf("got %s", got)
	}
	_, err := c.Call(t.Context(), "tools/call", toolParams("badUTF8", ""), nil)
	if err == nil || !strings.Contains(err.Error(), "invalid UTF-8") {
		t.Errorf("invalid UTF-8 in an answer: %v", err)
	}
	_, err = c.Call(t.Context(), "tools/call", toolParams("loading", ""), nil)
	if err == nil || !strings.Contains(err.Error(), "belongs on its standard error") {
		t.Errorf("an answer after other text: %v", err)
	}
	callTool(t, c, "echo", "", nil)
}

func TestDuplicateUnknownAndLateAnswersAreDropped(t *testing.T) {
	c := startFake(t, fakeConfig(t, ""), nil)
	if got := callTool(t, c, "twice", "", nil); got != "1" {
		t.Errorf("got %s, want the first answer", got)
	}
	callTool(t, c, "echo", "", nil) // answered behind them
	if got := c.State().Counts; got.LateIDs != 1 || got.UnknownIDs != 2 {
		t.Errorf("counts %+v, want 1 late and 2 unknown", got)
	}
}

func TestFloodOfNotificationsLeavesTheServerUsable(t *testing.T) {
	slow := &recorder{}
	c := startFake(t, fakeConfig(t, ""), slow)
	const sent = 100_000
	if got := callTool(t, c, "flood", `{"n":`+strconv.Itoa(sent)+`}`, nil); got != `"flooded"` {
		t.Errorf("got %s", got)
	}
	callTool(t, c, "echo", "", nil)
	counts, delivered := c.State().Counts, int64(len(slow.got()))
	if counts.Notifications != sent || delivered+counts.Dropped < sent || delivered == 0 {
		t.Errorf("%d sent, %d taken in, %d delivered, %d dropped", sent, counts.Notifications, delivered, counts.Dropped)
	}
}

func TestRestartsLeaveNothingOpen(t *testing.T) {
	restarts := 60
	if testing.Short() {
		restarts = 5
	}
	before := openFiles(t)
	for range restarts {
		c := startFake(t, fakeConfig(t, ""), nil)
		callTool(t, c, "echo", "", nil)
		_ = c.Close()
	}
	if after := openFiles(t); after > before+2 {
		t.Errorf("%d descriptors before, %d after %d starts", before, after, restarts)
	}
}

func openFiles(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip("no /proc here")
	}
	return len(entries)
}

func TestEnvironmentIsAnAllowList(t *testing.T) {
	cfg := fakeConfig(t, "")
	cfg.Environ = []string{"PATH=/bin", "HOME=/h", "LC_ALL=C", "AWS_SECRET_ACCESS_KEY=s", "SHELL=() { :; }", "TZ=UTC", "PASSED=p", "FUNC=() { :; }", "BOTH=inherited"}
	cfg.PassEnv = []string{"PASSED", "FUNC", "BOTH", "UNSET"}
	cfg.Env["BOTH"] = NewSecret("own")
	cfg.Env["TOKEN"], cfg.Env["TZ"] = NewSecret("t"), NewSecret("CET")
	c := startFake(t, cfg, nil)
	var got []string
	if err := json.Unmarshal([]byte(callTool(t, c, "env", "", nil)), &got); err != nil {
		t.Fatal(err)
	}
	want := []string{"BOTH=own", "HOME=/h", "LC_ALL=C", "PASSED=p", "PATH=/bin", "TOKEN=t", "TZ=CET", fakeVar + "="}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// Secrets that a server prints are not shown.
func TestSecretsAreRemovedFromOutputOfAServer(t *testing.T) {
	cfg := fakeConfig(t, "")
	cfg.Env["TOKEN"] = NewSecret("canary-0001")
	c := startFake(t, cfg, nil)
	callTool(t, c, "confess", "", nil)
	waitFor(t, "its words", func() bool { return len(c.State().Stderr) > 0 })
	if got := c.State().Stderr[0]; got != "my token is ***" {
		t.Errorf("stderr %q", got)
	}
	secrets := newScrubber(Config{Secrets: []Secret{NewSecret("can/ary+\"0005\""), NewSecret("canary-0006"), NewSecret("canary-0006-longer"), NewSecret("short")}})
	for said, want := range map[string]string{
		`can/ary+"0005"`:                      "***",
		`{"arg":"can/ary+\"0005\""}`:          `{"arg":"***"}`,
		"https://h/can%2Fary+%220005%22":      "https://h/***",
		"https://h/?a=can%2Fary%2B%220005%22": "https://h/?a=***",
		"canary-0006-longer, canary-0006":     "***, ***",
		"short":                               "short",
	} {
		if got := secrets.clean(said); got != want {
			t.Errorf("%s is shown as %s, want %s", said, got, want)
		}
	}
	denied := fmt.Errorf("%w: redirect to canary-0006", abi.ErrDenied)
	if err := secrets.cleanError(denied); err.Error() != "denied: redirect to ***" || !errors.Is(err, abi.ErrDenied) {
		t.Errorf("the error becomes %v", err)
	}
	scrub := newScrubber(Config{
		Headers: map[string]Secret{"a": NewSecret("Bearer canary-0002"), "b": NewSecret("on")},
		Env:     map[string]Secret{"DIR": NewSecret("/usr/data"), "KEY": NewSecret("/canary-0007/x==")},
		URL:     "https://me:canary-0003@host/mcp?token=canary%2F0004&v=2",
	})
	if got := scrub.clean("canary-0002 Bearer canary-0002 on /usr/data, /canary-0007/x=="); got != "*** *** on /usr/data, ***" {
		t.Errorf("got %q", got)
	}
	if got := scrub.clean("no route https://me:canary-0003@host/mcp?token=canary%2F0004&v=2 (canary/0004)"); got != "no route https://me:***@host/mcp?token=***&v=2 (***)" {
		t.Errorf("got %q", got)
	}
}

// Permanent errors are reported at once, other errors after a wait.
func TestStartFailures(t *testing.T) {
	missing := Config{Name: "fake", Command: []string{filepath.Join(t.TempDir(), "no-such-server")}}
	old := fakeConfig(t, "version=2024-10-07")
	dying := fakeConfig(t, "exit")
	dying.QueueWait = 50 * time.Millisecond
	slow := fakeConfig(t, "slow=1m")
	slow.StartTimeout, slow.QueueWait = 50*time.Millisecond, 50*time.Millisecond
	for _, tt := range []struct {
		rule string
		cfg  Config
		want string
	}{
		{"no such program", missing, "no such file"},
		{"another protocol", old, `server speaks protocol "2024-10-07", we speak 2026-07-28, 2025-11-25, 2025-06-18, 2025-03-26, 2024-11-05`},
		{"exits at once", dying, "exit status 3"},
		{"never answers initialize", slow, "initialize: no answer within 50ms"},
	} {
		t.Run(tt.rule, func(t *testing.T) {
			c := startFake(t, tt.cfg, nil)
			waitFor(t, "the first failure", func() bool { return c.State().Error != "" })
			_, err := c.Call(t.Context(), "tools/list", nil, nil)
			if !errors.Is(err, abi.ErrUnavailable) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q in it", err, tt.want)
			}
			if s := c.State(); !strings.Contains(s.Error, tt.want) {
				t.Errorf("state says %q, want %q in it", s.Error, tt.want)
			}
		})
	}
}
