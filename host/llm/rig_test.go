package llm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/llm/llmconfig"
	"github.com/mcpctl/mcpctl/host/secret"
)

// canary is the key of every provider in these tests.
const canary = "sk-canary/0123+4567\"89"

// answers implements Store in memory.
type answers struct {
	mu   sync.Mutex
	kept map[string]string
}

func (a *answers) Get(project string, key [32]byte) ([]byte, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	text, ok := a.kept[project+string(key[:])]
	return []byte(text), ok
}

func (a *answers) Put(project string, key [32]byte, answer []byte) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.kept == nil {
		a.kept = make(map[string]string)
	}
	a.kept[project+string(key[:])] = string(answer)
}

func (a *answers) texts() (list []string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, text := range a.kept {
		list = append(list, text)
	}
	return list
}

// rig is a Layer with its log.
type rig struct {
	*Layer
	store *answers
	log   *bytes.Buffer
}

// open returns a Layer for the llm section of a settings file.
func open(t *testing.T, yaml string, change ...func(*Options)) *rig {
	t.Helper()
	r := &rig{store: new(answers), log: new(bytes.Buffer)}
	o := Options{
		Home: t.TempDir(), Store: r.store, Log: slog.New(slog.NewTextHandler(r.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Environ: os.Environ,
		Lookup: func(name string) (secret.Value, bool) {
			return secret.New(canary), name == "KEY"
		},
	}
	for _, c := range change {
		c(&o)
	}
	r.Layer = Open(o)
	t.Cleanup(func() { _ = r.Close() })
	r.set(t, yaml)
	return r
}

func (r *rig) set(t *testing.T, yaml string) {
	t.Helper()
	cfg, _, err := llmconfig.Parse("config.yaml", yaml)
	if err != nil {
		t.Fatal(err)
	}
	r.Set(cfg)
}

// fakes returns a section with one provider of type fake.
func fakes(fields ...string) string {
	return "llm:\n  providers:\n  - {name: f, type: fake" + strings.Join(append([]string{""}, fields...), ", ") + "}\n"
}

// served returns a section with one provider of type openai at a server.
func served(s *httptest.Server, fields ...string) string {
	return "llm:\n  providers:\n  - {name: o, type: openai, model: m, baseURL: \"" + s.URL + "/v1\", apiKey: \"${KEY}\"" +
		strings.Join(append([]string{""}, fields...), ", ") + "}\n"
}

func ask(text string) abi.LLMRequest {
	return abi.LLMRequest{Project: "home", Module: "mod", MaxTokens: 100, System: "Sum up.", Parts: []abi.LLMPart{{Text: []byte(text)}}, Background: true}
}

// get sends a request and waits for its answer.
func (r *rig) get(ctx context.Context, q abi.LLMRequest) (abi.LLMAnswer, error) {
	call, err := r.Send(ctx, q)
	if err != nil {
		return abi.LLMAnswer{}, err
	}
	<-call.Done()
	return call.Answer()
}

// chat writes a chat completion.
func chat(w http.ResponseWriter, text string) {
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, `{"choices":[{"message":{"role":"assistant","content":%q},"finish_reason":"stop"}],"usage":{"prompt_tokens":11,"completion_tokens":7}}`, text)
}

func serve(t *testing.T, f http.HandlerFunc) *httptest.Server {
	s := httptest.NewServer(f)
	t.Cleanup(s.Close)
	return s
}

func read(r *http.Request) string {
	b, _ := io.ReadAll(r.Body)
	return string(b)
}

// kindOf returns the kind of an error for guests.
func kindOf(err error) string {
	switch {
	case err == nil:
		return ""
	case errors.Is(err, abi.ErrLimit):
		return "limit"
	case errors.Is(err, abi.ErrUnavailable):
		return "unavailable"
	case errors.Is(err, context.DeadlineExceeded):
		return "timeout"
	case errors.Is(err, context.Canceled):
		return "canceled"
	}
	return "upstream"
}
