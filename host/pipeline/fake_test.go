package pipeline

import (
	"bytes"
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
)

// runFunc implements Runner with a function.
type runFunc func(ctx context.Context, c abi.Call) (abi.Output, error)

func (f runFunc) Run(ctx context.Context, c abi.Call) (abi.Output, error) { return f(ctx, c) }

// memory is a Cache in memory that counts calls.
type memory struct {
	mu         sync.Mutex
	values     map[[32]byte][]byte
	hits, puts int
}

func newMemory() *memory { return &memory{values: make(map[[32]byte][]byte)} }

func (m *memory) Get(key [32]byte, _ flow.Producer) ([]byte, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	v, ok := m.values[key]
	if ok {
		m.hits++
	}
	return v, ok
}

func (m *memory) Put(key [32]byte, _ flow.Producer, value []byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.values[key] = value
	m.puts++
}

// counter counts the runs of a Runner.
type counter struct {
	Runner
	mu   sync.Mutex
	runs int
}

func count(r Runner) *counter { return &counter{Runner: r} }

func (c *counter) Run(ctx context.Context, call abi.Call) (abi.Output, error) {
	c.mu.Lock()
	c.runs++
	c.mu.Unlock()
	return c.Runner.Run(ctx, call)
}

func (c *counter) want(t *testing.T, n int) {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.runs != n {
		t.Errorf("%d runs, want %d", c.runs, n)
	}
}

// The runners of the tests.
var (
	upper = runFunc(func(_ context.Context, c abi.Call) (abi.Output, error) {
		return abi.Output{Bytes: bytes.ToUpper(c.Input), Tree: c.Tree, Meta: map[string]string{"type": "prose"}}, nil
	})
	appendDot = runFunc(func(_ context.Context, c abi.Call) (abi.Output, error) {
		return abi.Output{Bytes: append(bytes.Clone(c.Input), '.'), Tree: c.Tree}, nil
	})
	passOn = runFunc(func(_ context.Context, c abi.Call) (abi.Output, error) {
		return abi.Output{Pass: true, Tree: c.Tree}, nil
	})
	split = runFunc(func(_ context.Context, c abi.Call) (abi.Output, error) {
		tree := abi.Tree{Type: "prose", Sections: append(sectionsOf(c.Original), c.Tree.Sections...)}
		return abi.Output{Bytes: []byte("index: "), Marks: []abi.Mark{{Offset: 7, Section: -1, Lines: 24}}, Tree: tree}, nil
	})
	fails = runFunc(func(context.Context, abi.Call) (abi.Output, error) {
		return abi.Output{Log: []abi.LogLine{{Level: "error", Text: "last words"}}}, faultf(abi.ErrGuest, "guest trapped: unreachable")
	})
	panics = runFunc(func(context.Context, abi.Call) (abi.Output, error) { panic(errors.New("nil map")) })
)

func sectionsOf(b []byte) []abi.Section {
	half := len(b) / 2
	return []abi.Section{
		{Parent: -1, Start: 0, End: half, ID: "first", Title: "First", Summary: "one"},
		{Parent: -1, Kind: abi.SectionDerived, End: 3, ID: "note", Body: []byte("abc")},
		{Parent: 0, Kind: abi.SectionDecoded, Start: 1, End: 2, Literal: [2]int{0, half}, ID: "string"},
	}
}

func stage(name string, r Runner) Step {
	return Step{Role: abi.Role{Name: name, Kind: abi.KindStage}, ModuleHash: "hash of " + name, Config: []byte("{}"), Runner: r}
}

func filter(name string, r Runner) Step {
	s := stage(name, r)
	s.Role.Kind = abi.KindFilter
	return s
}

func request(text string, steps ...Step) Request {
	return Request{
		Scope:     flow.Scope{Project: "home", Subject: "me", Session: "s1"},
		Cacheable: true,
		Steps:     steps,
		Content:   flow.Content{Type: abi.ToolResult, Source: "files/read", Bytes: []byte(text), Part: abi.Part{Kind: abi.PartText, Count: 1}},
	}
}

func open(t testing.TB, o Options) *Pipeline {
	t.Helper()
	p := New(o)
	t.Cleanup(p.Close)
	return p
}

func run(t testing.TB, p *Pipeline, r Request) Result {
	t.Helper()
	res, err := p.Run(t.Context(), r)
	if err != nil {
		t.Error(err)
	}
	return res
}
