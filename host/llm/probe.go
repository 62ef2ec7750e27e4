package llm

import (
	"context"
	"fmt"
	"os/exec"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/llm/llmconfig"
)

// probeTokens is how many tokens a probe asks for. Some models refuse fewer.
const probeTokens = 16

// Probe checks that a provider can be asked. One that is reached over HTTP gets one
// short request, outside of budget and breaker; of one that is a program, the program
// is looked up, and nothing is started.
//
// Errors: abi.ErrNotFound for an unknown provider; why it cannot be asked, without
// secrets.
func (l *Layer) Probe(ctx context.Context, name string) error {
	p, err := l.named(name)
	if err != nil {
		return err
	}
	if err := p.fault(foreground); err != nil {
		return p.named(ctx, err)
	}
	switch p.cfg.Type {
	case llmconfig.Fake:
		return nil
	case llmconfig.GeminiCLI, llmconfig.Managed:
		if len(p.cfg.Command) == 0 { // one that runs already
			return nil
		}
		if _, err := exec.LookPath(p.cfg.Command[0]); err != nil {
			return p.named(ctx, unavailable("program %s: %v", p.cfg.Command[0], err))
		}
		return nil
	}
	key, err := p.expand(p.cfg.APIKey, "apiKey")
	if err != nil {
		return p.named(ctx, err)
	}
	if _, err := p.driver.complete(ctx, request{Prompt: "Say OK.", MaxTokens: probeTokens, Key: key}); err != nil {
		return p.named(ctx, err)
	}
	return nil
}

// named returns the provider of a name.
func (l *Layer) named(name string) (*provider, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, p := range l.providers {
		if string(p.cfg.Name) == name {
			return p, nil
		}
	}
	return nil, fmt.Errorf("%w: LLM provider %q not found", abi.ErrNotFound, name)
}
