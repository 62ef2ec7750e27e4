package worker

import (
	"context"
	"io"
	"os"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/wasm/fault"
	"github.com/mcpctl/mcpctl/host/wasm/imports"
)

// Program is a module in its process. Safe for concurrent use.
type Program interface {
	// Load loads the module that Process.Load described.
	Load(ctx context.Context, description []byte) error
	// Run runs a stage or filter.
	Run(ctx context.Context, call abi.Call, kv imports.KV, llm imports.LLM) (abi.Output, error)
	// Hook runs a hook of a controller within a limit.
	Hook(ctx context.Context, role string, limit time.Duration, call abi.HookCall, kv imports.KV, llm imports.LLM) (abi.HookOutput, error)
}

// Serve runs the calls that arrive in in until that ends.
func Serve(in io.Reader, out io.Writer, p Program) error {
	s := &server{program: p}
	s.conn = newConn(out, s.handle)
	return s.conn.read(in)
}

// EndOverrun ends this process because a guest does not stop.
func EndOverrun() { os.Exit(exitOverrun) }

type server struct {
	conn    *conn
	program Program
	area    []byte // nil: there is none
}

// handle answers a request of the parent.
func (s *server) handle(ctx context.Context, m method, r *reader) (*writer, error) {
	switch m {
	case methodLoad:
		if v := r.int(); v != protocol {
			return nil, fault.New(abi.ErrUnavailable, "the programs of the host have different versions (%d and %d of their protocol): install both again", v, protocol)
		}
		hasArea, description := r.bool(), r.bytes()
		err := r.done()
		if err == nil && hasArea && s.area == nil {
			s.area, err = openArea()
		}
		if err != nil {
			return nil, err
		}
		return nil, s.program.Load(ctx, description)
	case methodRun:
		return s.run(ctx, r)
	case methodHook:
		return s.hook(ctx, r)
	}
	return nil, errFrame
}

func (s *server) run(ctx context.Context, r *reader) (*writer, error) {
	r.area = s.area
	h := host{conn: s.conn, ctx: ctx, job: r.int(), kvOff: r.bool()}
	var call abi.Call
	readCall(r, &call)
	if err := r.done(); err != nil {
		return nil, err
	}
	out, err := s.program.Run(ctx, call, h, h)
	w := newWriter(callBytes(out.Bytes, nil, &out.Tree))
	writeReport(w, out.Log, &out.Stats)
	w.bool(err != nil)
	if err != nil {
		writeError(w, err)
	} else {
		writeOutput(w, &out, &call.Tree)
	}
	return w, nil
}

func (s *server) hook(ctx context.Context, r *reader) (*writer, error) {
	r.area = s.area
	h := host{conn: s.conn, ctx: ctx, job: r.int(), kvOff: r.bool()}
	role, limit := r.text(), time.Duration(r.int())
	var call abi.HookCall
	readHookCall(r, &call)
	if err := r.done(); err != nil {
		return nil, err
	}
	call.Host = h
	out, err := s.program.Hook(ctx, role, limit, call, h, h)
	w := newWriter(len(out.Answer) + 4<<10)
	writeReport(w, out.Log, &out.Stats)
	w.bool(err != nil)
	if err != nil {
		writeError(w, err)
	} else {
		writeHookOutput(w, &out)
	}
	return w, nil
}

// host sends requests of one call to the parent. It implements imports.KV, imports.LLM and
// abi.HookHost.
type host struct {
	conn  *conn
	ctx   context.Context // of the call
	job   int
	kvOff bool
}

// Off reports whether the KV is switched off; see imports.KV.
func (h host) Off() bool { return h.kvOff }

// ask sends a request of the call.
func (h host) ask(ctx context.Context, m method, write func(w *writer)) (*reader, error) {
	w := newRequest(m, 256)
	w.int(h.job)
	write(w)
	return h.conn.call(ctx, w)
}

// Get implements imports.KV.
func (h host) Get(_ imports.Namespace, key []byte) ([]byte, bool) {
	r, err := h.ask(h.ctx, methodGet, func(w *writer) { w.bytes(key) })
	if err != nil {
		return nil, false
	}
	ok, value := r.bool(), r.bytes()
	return value, ok
}

// Set implements imports.KV.
func (h host) Set(_ imports.Namespace, key, value []byte) error {
	_, err := h.ask(h.ctx, methodSet, func(w *writer) {
		w.bytes(key)
		w.bytes(value)
	})
	return err
}

// Available implements imports.LLM.
func (h host) Available(_ string, tier int) (int, error) {
	r, err := h.ask(h.ctx, methodAvailable, func(w *writer) { w.int(tier) })
	if err != nil {
		return 0, err
	}
	return r.int(), nil
}

// Identity implements imports.LLM. Guests do not use it.
func (h host) Identity(string) string { return "" }

// Stored implements imports.LLM.
func (h host) Stored(q abi.LLMRequest) (abi.LLMAnswer, bool) {
	r, err := h.ask(h.ctx, methodStored, func(w *writer) { writeRequest(w, &q) })
	if err != nil {
		return abi.LLMAnswer{}, false
	}
	ok := r.bool()
	return readAnswer(r), ok
}

// Send implements imports.LLM.
func (h host) Send(_ context.Context, q abi.LLMRequest) (abi.LLMCall, error) {
	r, err := h.ask(h.ctx, methodSend, func(w *writer) { writeRequest(w, &q) })
	if err != nil {
		return nil, err
	}
	c := &llmCall{done: make(chan struct{}), postponed: make(chan struct{})}
	if number := r.int(); !c.settle(r) {
		go c.await(h, number)
	}
	return c, nil
}

// llmCall is a request that the parent has sent. It implements abi.LLMCall and
// abi.LLMPostponed.
type llmCall struct {
	done, postponed chan struct{}
	answer          abi.LLMAnswer
	err             error
}

// await waits for the answer. The parent stops waiting when the call ends.
func (c *llmCall) await(h host, number int) {
	r, err := h.ask(h.ctx, methodAwait, func(w *writer) { w.int(number) })
	if err != nil {
		c.err = err
		close(c.done)
		return
	}
	c.settle(r)
}

// settle reads the state of the request. It returns false if that is open.
func (c *llmCall) settle(r *reader) bool {
	switch r.int() {
	case awaitOpen:
		return false
	case awaitPostponed:
		close(c.postponed) // a guest does not wait for the answer
		return true
	case awaitFailed:
		c.err = readError(r)
	case awaitAnswered:
		c.answer = readAnswer(r)
	}
	close(c.done)
	return true
}

// Done implements abi.LLMCall.
func (c *llmCall) Done() <-chan struct{} { return c.done }

// Answer implements abi.LLMCall.
func (c *llmCall) Answer() (abi.LLMAnswer, error) { return c.answer, c.err }

// Postponed implements abi.LLMPostponed.
func (c *llmCall) Postponed() <-chan struct{} { return c.postponed }

// session asks for a part of the session.
func (h host) session(call sessionCall, write func(w *writer)) (*reader, error) {
	return h.ask(h.ctx, methodSession, func(w *writer) {
		w.int(int(call))
		write(w)
	})
}

// read returns an answer that has only bytes.
func (h host) read(call sessionCall, write func(w *writer)) ([]byte, error) {
	r, err := h.session(call, write)
	if err != nil {
		return nil, err
	}
	return r.bytes(), nil
}

func nothing(*writer) {}

// State implements abi.HookHost.
func (h host) State(key string) ([]byte, bool) {
	return h.find(callState, key)
}

// find returns an answer that may not exist.
func (h host) find(call sessionCall, name string) ([]byte, bool) {
	r, err := h.session(call, func(w *writer) { w.text(name) })
	if err != nil {
		return nil, false
	}
	ok, value := r.bool(), r.bytes()
	return value, ok
}

// StateSize implements abi.HookHost.
func (h host) StateSize() (keys, bytes int) {
	r, err := h.session(callStateSize, nothing)
	if err != nil {
		return 0, 0
	}
	keys, bytes = r.int(), r.int()
	return keys, bytes
}

// list returns a JSON array, which is empty if the parent has ended.
func (h host) list(call sessionCall) []byte {
	if b, err := h.read(call, nothing); err == nil {
		return b
	}
	return []byte("[]")
}

// Tools implements abi.HookHost.
func (h host) Tools() []byte { return h.list(callTools) }

// Servers implements abi.HookHost.
func (h host) Servers() []byte { return h.list(callServers) }

// Prompts implements abi.HookHost.
func (h host) Prompts() []byte { return h.list(callPrompts) }

// PromptRecords implements abi.HookHost.
func (h host) PromptRecords() []byte {
	b, _ := h.read(callPromptRecords, nothing)
	return b
}

// Tool implements abi.HookHost.
func (h host) Tool(name string) (kind abi.ToolKind, owner string, ok bool) {
	r, err := h.session(callTool, func(w *writer) { w.text(name) })
	if err != nil {
		return "", "", false
	}
	kind, owner, ok = abi.ToolKind(r.text()), r.text(), r.bool()
	return kind, owner, ok
}

// KnownPromptBody implements abi.HookHost.
func (h host) KnownPromptBody(name string) ([]byte, bool) { return h.find(callKnownPromptBody, name) }

// PromptBody implements abi.HookHost.
func (h host) PromptBody(_ context.Context, name string, stored bool) ([]byte, error) {
	return h.read(callPromptBody, func(w *writer) {
		w.text(name)
		w.bool(stored)
	})
}

// ProposePrompt implements abi.HookHost.
func (h host) ProposePrompt(_ context.Context, proposal []byte) (string, error) {
	id, err := h.read(callProposePrompt, func(w *writer) { w.bytes(proposal) })
	return string(id), err
}

// Content implements abi.HookHost.
func (h host) Content(ref string) ([]byte, error) {
	return h.read(callContent, func(w *writer) { w.text(ref) })
}

// ContentMeta implements abi.HookHost.
func (h host) ContentMeta(ref string) ([]byte, error) {
	return h.read(callContentMeta, func(w *writer) { w.text(ref) })
}

// Section implements abi.HookHost.
func (h host) Section(_ context.Context, ref, section string) ([]byte, error) {
	return h.read(callSection, func(w *writer) {
		w.text(ref)
		w.text(section)
	})
}

// Yield implements abi.HookHost.
func (h host) Yield() (resume func()) {
	if _, err := h.session(callYield, nothing); err != nil {
		return func() {} // the hook keeps its place
	}
	return sync.OnceFunc(func() { _, _ = h.session(callResume, nothing) })
}

var (
	_ imports.KV       = host{}
	_ imports.LLM      = host{}
	_ abi.HookHost     = host{}
	_ abi.LLMPostponed = (*llmCall)(nil)
)
