package llm

import (
	"context"
	"fmt"
	"os/exec"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/llm/llmconfig"
)

// probeTokens is the token limit of a probe. Some models do not accept fewer.
const probeTokens = 16

// Probe checks that a provider can receive requests. A provider with an HTTP API gets
// one short request, outside of budget and breaker. The program of a gemini-cli or
// managed provider is looked up and not started.
//
// It returns abi.ErrNotFound for an unknown provider, or the reason without secrets.
func (l *Layer) Probe(ctx context.Context, name string) error {
	p, err := l.findProvider(name)
	if err != nil {
		return err
	}
	if err := p.fault(foregroundTime); err != nil {
		return p.describeError(ctx, err)
	}
	switch p.cfg.Type {
	case llmconfig.Fake:
		return nil
	case llmconfig.GeminiCLI, llmconfig.Managed:
		if len(p.cfg.Command) == 0 { // a server that runs already
			return nil
		}
		if _, err := exec.LookPath(p.cfg.Command[0]); err != nil {
			return p.describeError(ctx, unavailable("program %s: %v", p.cfg.Command[0], err))
		}
		return nil
	}
	key, err := p.expand(p.cfg.APIKey, "apiKey")
	if err != nil {
		return p.describeError(ctx, err)
	}
	if _, err := p.driver.complete(ctx, request{Prompt: "Say OK.", MaxTokens: probeTokens, Key: key}); err != nil {
		return p.describeError(ctx, err)
	}
	return nil
}

// findProvider returns a provider by name.
func (l *Layer) findProvider(name string) (*provider, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, p := range l.providers {
		if string(p.cfg.Name) == name {
			return p, nil
		}
	}
	return nil, fmt.Errorf("%w: LLM provider %q not found", abi.ErrNotFound, name)
}
