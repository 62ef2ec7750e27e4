package worker

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/hosttest"
	"github.com/mcpctl/mcpctl/host/wasm/fault"
	"github.com/mcpctl/mcpctl/host/wasm/imports"
	"github.com/mcpctl/mcpctl/host/wasm/module"
)

// TestWorker is not a test: it is the process of the tests below.
func TestWorker(t *testing.T) {
	switch os.Args[len(os.Args)-1] {
	default:
		t.Skip("not the process of a test")
	case "serve":
		_ = Serve(os.Stdin, os.Stdout, program{})
	case "hang": // reads nothing, answers no ping, and keeps a processor
		for {
			if len(os.Args) == 0 {
				return
			}
		}
	case "noise":
		_, _ = os.Stdout.Write([]byte("this is no frame, but longer than a header"))
		_, _ = io.Copy(io.Discard, os.Stdin)
	case "twice": // requests of one number, until one is in progress when the next arrives
		go func() { _, _ = io.Copy(io.Discard, os.Stdin) }()
		for request(os.Stdout, 7, methodSession) {
		}
	case "empty": // a request without a method
		_ = newConn(os.Stdout, nil).send(kindRequest, 1, newWriter(0))
		_, _ = io.Copy(io.Discard, os.Stdin)
	case "flood": // requests whose answers it does not read
		for n := uint32(1); request(os.Stdout, n, methodGet); n++ {
		}
	case "exit":
		os.Exit(7)
	}
	os.Exit(0)
}

// request sends a request of a call that the parent does not have.
func request(out io.Writer, number uint32, m method) bool {
	w := newRequest(m, 0)
	w.int(99)
	return newConn(out, nil).send(kindRequest, number, w) == nil
}

// program implements Program. The input of a call is a command: see Run.
type program struct{}

func (program) Load(ctx context.Context, description []byte) error {
	if string(description) == "wait" {
		<-ctx.Done()
	}
	if len(description) > 0 {
		return fault.New(abi.ErrLimit, "%s", description)
	}
	return nil
}

func (program) Run(ctx context.Context, call abi.Call, kv imports.KV, llm imports.LLM) (out abi.Output, err error) {
	out.Stats.HostCalls = 3
	out.Log = []abi.LogLine{{Level: "info", Text: "a line"}}
	command, rest, _ := strings.Cut(string(call.Input), " ")
	switch command {
	case "fail":
		return out, &fault.Error{Kind: abi.ErrRefused, Text: rest, Host: "failed"}
	case "wait":
		<-ctx.Done()
		return out, context.Cause(ctx)
	case "stay":
		select {}
	case "forge":
		out.Bytes = []byte("\xff") // which package imports refuses
	case "exit":
		os.Exit(3)
	case "overrun":
		EndOverrun()
	case "get":
		value, ok := kv.Get(imports.Namespace{Project: "another"}, []byte(rest))
		if !ok {
			value = []byte("none")
		}
		out.Bytes = value
	case "set":
		if err := kv.Set(imports.Namespace{}, []byte(rest), []byte("kept")); err != nil {
			return out, err
		}
	case "ask":
		return out, ask(ctx, llm, rest, &out)
	default:
		out.Bytes = call.Input
	}
	return out, nil
}

// ask sends a request and waits for the answer.
func ask(ctx context.Context, llm imports.LLM, prompt string, out *abi.Output) error {
	if n, err := llm.Available("", abi.TierFast); n == 0 || err != nil {
		return errors.Join(errors.New("not available"), err)
	}
	q := abi.LLMRequest{Tier: abi.TierFast, MaxTokens: 10, Background: prompt == "later", Parts: []abi.LLMPart{{Text: []byte(prompt)}}}
	if answer, ok := llm.Stored(q); ok {
		out.Bytes = answer.Text
		return nil
	}
	call, err := llm.Send(ctx, q)
	if err != nil || q.Background {
		out.Provisional = q.Background
		return err
	}
	select {
	case <-call.Done():
	case <-call.(abi.LLMPostponed).Postponed():
		return errors.New("postponed")
	}
	answer, err := call.Answer()
	out.Bytes = answer.Text
	return err
}

func (program) Hook(_ context.Context, _ string, _ time.Duration, call abi.HookCall, _ imports.KV, _ imports.LLM) (out abi.HookOutput, err error) {
	h := call.Host
	out.Done = true
	resume := h.Yield()
	resume()
	state, ok := h.State("key")
	keys, size := h.StateSize()
	kind, owner, known := h.Tool("a")
	body, err := h.PromptBody(context.Background(), "style", true)
	out.State = map[string][]byte{"state": state, "tools": h.Tools(), "servers": h.Servers(), "prompts": h.Prompts(), "records": h.PromptRecords(), "body": body}
	out.Hidden = []string{string(kind), owner}
	out.Error = ok && known && keys+size > 0
	if _, failed := h.Content("nothing"); !errors.Is(failed, abi.ErrNotFound) {
		return out, failed
	}
	return out, err
}

// start starts a process of TestWorker.
func start(t *testing.T, as string) *Process {
	t.Helper()
	p, err := Start([]string{os.Args[0], "-test.run=^TestWorker$", as}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		p.Close()
		p.Wait()
	})
	return p
}

// run runs a call whose input is text.
func run(p *Process, text string, j Job) (abi.Output, []abi.LLMCall, error) {
	call := &abi.Call{Input: []byte(text), Context: abi.Context{Limits: abi.GuestLimits{OutputBytes: 1000, Sections: 10}}}
	return p.Run(context.Background(), time.Minute, call, j)
}

// Contents of calls at the same time, in the area and in frames, are those that were sent.
func TestContentsOfCalls(t *testing.T) {
	p := start(t, "serve")
	if err := p.Load(t.Context(), nil, time.Minute); err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS == "linux" && p.area == nil {
		t.Error("the process has no area")
	}
	var all sync.WaitGroup
	for caller := range 4 {
		all.Go(func() {
			for i, size := range []int{100, minShared, 100_000, areaBytes, areaBytes + 1, 50_000} {
				input := bytes.Repeat([]byte{byte('a' + 6*caller + i)}, size)
				call := &abi.Call{Input: input, Original: input, Context: abi.Context{Limits: abi.GuestLimits{OutputBytes: 2 * areaBytes}}}
				out, _, err := p.Run(context.Background(), time.Minute, call, Job{})
				if err != nil || !bytes.Equal(out.Bytes, input) {
					t.Errorf("%d bytes: %d bytes, %v", size, len(out.Bytes), err)
				}
			}
		})
	}
	all.Wait()
	p.Close()
	p.Wait()
	if _, _, err := p.Run(context.Background(), time.Minute, &abi.Call{Input: make([]byte, minShared)}, Job{}); err == nil {
		t.Error("a call of a process that has ended succeeded")
	}
}

func TestProcess(t *testing.T) {
	p := start(t, "serve")
	if err := p.Load(t.Context(), nil, time.Minute); err != nil {
		t.Fatal(err)
	}
	out, _, err := run(p, "hello", Job{})
	if err != nil || string(out.Bytes) != "hello" || out.Stats.HostCalls != 3 || len(out.Log) != 1 {
		t.Errorf("%+v, %v", out, err)
	}
	out, _, err = run(p, "fail for a\nreason", Job{})
	var f *fault.Error
	if !errors.Is(err, abi.ErrRefused) || !errors.As(err, &f) || f.Host != "failed" || err.Error() != `for a\nreason` || out.Stats.HostCalls != 3 {
		t.Errorf("%+v, %v", out, err)
	}
	if err := p.Load(t.Context(), []byte("too large"), time.Minute); !errors.Is(err, abi.ErrLimit) || err.Error() != "too large" {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(10*time.Millisecond, cancel)
	if _, _, err := p.Run(ctx, time.Minute, &abi.Call{Input: []byte("wait")}, Job{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if p.Ended() {
		t.Error("the process has ended")
	}
}

// values implements imports.KV.
type values map[string][]byte

func valueKey(ns imports.Namespace, key []byte) string {
	return ns.Module + "/" + ns.Project + "/" + string(key)
}

func (v values) Get(ns imports.Namespace, key []byte) ([]byte, bool) {
	value, ok := v[valueKey(ns, key)]
	return value, ok
}

func (v values) Set(ns imports.Namespace, key, value []byte) error {
	v[valueKey(ns, key)] = value
	return nil
}

// A call may use what its role may use, whatever the process asks for.
func TestGrants(t *testing.T) {
	p := start(t, "serve")
	kv := values{}
	none := Job{Module: "m", Project: "p", KV: kv, LLM: &hosttest.LLM{}, Lifetime: t.Context()}
	both := none
	both.Role.Capabilities = []string{module.CapabilityCache, module.CapabilityLLM}
	both.Limits.LLMRequests = 2
	if _, _, err := run(p, "set a", none); !errors.Is(err, abi.ErrDenied) {
		t.Errorf("set without the capability: %v", err)
	}
	if _, _, err := run(p, "set a", both); err != nil {
		t.Error(err)
	}
	if out, _, err := run(p, "get a", none); err != nil || string(out.Bytes) != "none" {
		t.Errorf("get without the capability: %q, %v", out.Bytes, err)
	}
	if out, _, err := run(p, "get a", both); err != nil || string(out.Bytes) != "kept" { // of its own project
		t.Errorf("get: %q, %v", out.Bytes, err)
	}
	if _, _, err := run(p, "ask me", none); !errors.Is(err, abi.ErrDenied) {
		t.Errorf("ask without the capability: %v", err)
	}
	if out, _, err := run(p, "ask me", both); err != nil || string(out.Bytes) != "fake: me" {
		t.Errorf("ask: %q, %v", out.Bytes, err)
	}
	if _, open, err := run(p, "ask later", both); err != nil || len(open) != 1 { // also if it is answered by now
		t.Errorf("ask in the background: %v, %v", open, err)
	}
	both.Limits.LLMRequests = 0
	if _, _, err := run(p, "ask more", both); !errors.Is(err, abi.ErrLimit) {
		t.Errorf("ask too often: %v", err)
	}
}

func TestHookInProcess(t *testing.T) {
	p := start(t, "serve")
	suspended := 0
	j := Job{Role: abi.Role{Name: "r", Capabilities: []string{module.CapabilitySession}}, Limits: limits, Lifetime: t.Context(),
		Host: &hosttest.Session{PromptList: `[{"name":"style"}]`, Bodies: map[string]string{"style": "be brief"}}, Suspend: func() (func(), bool) { suspended++; return func() { suspended-- }, true }}
	out, err := p.Hook(t.Context(), time.Minute, &abi.HookCall{}, j)
	if err != nil || string(out.State["prompts"]) != `[{"name":"style"}]` || string(out.State["body"]) != "stored: be brief" || suspended != 0 {
		t.Errorf("%+v, %v; %d suspended", out, err, suspended)
	}
	j.Role.Capabilities = nil
	out, _ = p.Hook(t.Context(), time.Minute, &abi.HookCall{}, j)
	if string(out.State["prompts"]) != "" {
		t.Errorf("without the capability: %+v", out)
	}
}

// The end of a process ends its calls, and says why.
func TestProcessEnds(t *testing.T) {
	for _, tt := range []struct {
		as, input string
		kind      error
		want      string
	}{
		{"serve", "exit", abi.ErrGuest, "guest trapped: its process ended (exit status 3)"},
		{"serve", "overrun", abi.ErrLimit, "guest did not stop 250ms after its time was over, so its process was ended"},
		{"exit", "", abi.ErrGuest, "guest trapped: its process ended (exit status 7)"},
		{"noise", "", abi.ErrGuest, "guest trapped: its process broke the rules"},
		{"twice", "", abi.ErrGuest, "guest trapped: its process broke the rules"},
		{"empty", "", abi.ErrGuest, "guest trapped: its process broke the rules"},
		{"flood", "", abi.ErrGuest, "guest trapped: its process broke the rules"},
	} {
		p := start(t, tt.as)
		waiting := make(chan error, 1)
		if tt.as == "serve" {
			go func() { _, _, err := run(p, "wait", Job{}); waiting <- err }()
			for !slices.Contains([]int{1}, jobs(p)) {
				time.Sleep(time.Millisecond)
			}
		} else {
			waiting <- tt.kind
		}
		_, _, err := run(p, tt.input, Job{})
		if !errors.Is(err, tt.kind) || err.Error() != tt.want || !p.Ended() {
			t.Errorf("%s %s: got %v, want %s", tt.as, tt.input, err, tt.want)
		}
		if err := <-waiting; !errors.Is(err, tt.kind) {
			t.Errorf("another call of the process: %v", err)
		}
		if jobs(p) != 0 {
			t.Error("a call is still registered")
		}
	}
}

func TestForgedResultEndsProcess(t *testing.T) {
	p := start(t, "serve")
	if _, _, err := run(p, "forge", Job{}); !errors.Is(err, abi.ErrGuest) || err.Error() != "process of the guest returned an invalid result: the output is not UTF-8" {
		t.Errorf("got %v", err)
	}
	p.Wait()
}

// panicky is a KV with a bug.
type panicky struct{ values }

func (panicky) Get(imports.Namespace, []byte) ([]byte, bool) { panic("a bug") }

// A bug of the host ends one request.
func TestPanicInRequest(t *testing.T) {
	p := start(t, "serve")
	j := Job{KV: panicky{}, Role: abi.Role{Capabilities: []string{module.CapabilityCache}}}
	if out, _, err := run(p, "get a", j); err != nil || string(out.Bytes) != "none" {
		t.Errorf("got %q, %v", out.Bytes, err)
	}
}

// jobs returns the number of calls of a process.
func jobs(p *Process) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.jobs)
}

func TestProcessHangs(t *testing.T) {
	if testing.Short() {
		t.Skip("takes 5 s of processor time")
	}
	p := start(t, "hang")
	_, _, err := run(p, "", Job{})
	if !errors.Is(err, abi.ErrLimit) || !strings.HasPrefix(err.Error(), "guest's process did not answer for ") {
		t.Errorf("got %v", err)
	}
	p = start(t, "serve")
	_, _, err = p.Run(t.Context(), 50*time.Millisecond, &abi.Call{Input: []byte("wait")}, Job{})
	if !errors.Is(err, abi.ErrLimit) || err.Error() != "guest did not return, so its process was ended" {
		t.Errorf("over its limit: %v", err)
	}
}

// A caller that is gone does not wait for a guest that goes on.
func TestCancelledCallGoesOn(t *testing.T) {
	if testing.Short() {
		t.Skip("takes 3 s")
	}
	p := start(t, "serve")
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	begin := time.Now()
	_, _, err := p.Run(ctx, time.Minute, &abi.Call{Input: []byte("stay")}, Job{})
	if took := time.Since(begin); !errors.Is(err, context.Canceled) || took > 2*cancelWait {
		t.Errorf("after %v: %v", took, err)
	}
	p.Wait()
}

// What arrives after a call has returned is granted nothing.
func TestRequestsAfterTheCall(t *testing.T) {
	p := start(t, "serve")
	suspended := 0
	number, j := p.begin(t.Context(), Job{Role: abi.Role{Capabilities: []string{module.CapabilitySession, module.CapabilityLLM}}, LLM: &hosttest.LLM{}, Limits: abi.GuestLimits{LLMRequests: 9},
		Host: &hosttest.Session{}, Lifetime: t.Context(), Suspend: func() (func(), bool) { suspended++; return func() { suspended-- }, true }})
	ask := func(m method, write func(w *writer)) error {
		w := newWriter(0)
		write(w)
		return j.serve(m, payload(w), newWriter(0))
	}
	yield := func(w *writer) { w.int(int(callYield)) }
	if err := ask(methodSession, yield); err != nil || suspended != 1 {
		t.Errorf("during the call: %v, %d", err, suspended)
	}
	p.end(number)
	if suspended != 0 {
		t.Error("the hook did not get its place back")
	}
	if err := ask(methodSession, yield); !errors.Is(err, errJobEnded) || suspended != 0 {
		t.Errorf("yield after the call: %v, %d", err, suspended)
	}
	if err := ask(methodSend, func(w *writer) { writeRequest(w, &abi.LLMRequest{}) }); !errors.Is(err, errJobEnded) {
		t.Errorf("a request to the LLM after the call: %v", err)
	}
}

// A module is not at fault if the system kills its process while it starts.
func TestProcessIsKilledDuringLoad(t *testing.T) {
	p := start(t, "serve")
	time.AfterFunc(50*time.Millisecond, func() { _ = p.cmd.Process.Kill() })
	if err := p.Load(t.Context(), []byte("wait"), time.Minute); !errors.Is(err, abi.ErrUnavailable) {
		t.Errorf("got %v", err)
	}
	p = start(t, "serve")
	if err := p.Load(t.Context(), []byte("wait"), 50*time.Millisecond); !errors.Is(err, abi.ErrLimit) {
		t.Errorf("over its limit: %v", err)
	}
}

func TestStartFails(t *testing.T) {
	_, err := Start([]string{"/nonexistent"}, slog.New(slog.DiscardHandler))
	if !errors.Is(err, abi.ErrUnavailable) {
		t.Error(err)
	}
}
