package host

import (
	"context"
	"fmt"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/homedir"
	"github.com/mcpctl/mcpctl/host/lab"
	"github.com/mcpctl/mcpctl/host/llm"
	"github.com/mcpctl/mcpctl/host/llm/llmconfig"
	"github.com/mcpctl/mcpctl/host/object"
	"github.com/mcpctl/mcpctl/host/store"
	"github.com/mcpctl/mcpctl/internal/suggest"
)

// OpenTrial opens a Trial that runs modules for their authors with the limits and
// the compilation cache of a home. It uses nothing else of the home. The caller
// closes it.
//
// Errors: abi.ErrDenied for a home that other users can write.
func OpenTrial(ctx context.Context, home homedir.Dir, s Settings, compiler, worker []string) (*lab.Trial, error) {
	if err := store.Prepare(string(home)); err != nil {
		return nil, err
	}
	if err := home.Create(); err != nil {
		return nil, err
	}
	return lab.Open(ctx, lab.Options{CacheDir: home.WasmCache(), Compiler: compiler, Worker: worker, Guests: s.guests(), Calls: s.calls(), Reading: s.reading()})
}

// TrialLLM returns an LLM provider of a home's settings for a Trial. The provider
// must have type fake, because a trial repeats its requests and a real one may
// charge for them. If the settings have no provider "fake", that name means one
// that echoes. The caller calls end.
//
// Errors: abi.ErrNotFound, abi.ErrConfig, strictyaml.Errors for invalid settings.
func TrialLLM(home homedir.Dir, provider string) (answers lab.LLM, end func() error, err error) {
	cfg, _, err := llmconfig.Load(string(home))
	if err != nil {
		return lab.LLM{}, nil, err
	}
	one, err := fakeProvider(cfg.Providers, provider)
	if err != nil {
		return lab.LLM{}, nil, err
	}
	l := llm.Open(llm.Options{Home: string(home)})
	l.Set(llmconfig.Settings{Providers: []llmconfig.Provider{one}, Fast: []object.Name{one.Name}, Heavy: []object.Name{one.Name}})
	return lab.LLM{By: l}, l.Close, nil
}

func fakeProvider(list []llmconfig.Provider, name string) (llmconfig.Provider, error) {
	names := []string{llmconfig.Fake}
	for _, p := range list {
		switch {
		case string(p.Name) != name:
			names = append(names, string(p.Name))
		case p.Type != llmconfig.Fake:
			return p, fmt.Errorf("%w: provider %q is of type %s, want one of type fake", abi.ErrConfig, name, p.Type)
		default:
			return p, nil
		}
	}
	if name == llmconfig.Fake {
		cfg, _, err := llmconfig.Parse(homedir.SettingsFile, "llm:\n  providers: [{name: fake, type: fake}]\n")
		return cfg.Providers[0], err
	}
	near := suggest.Nearest(name, names)
	if near != "" {
		near = fmt.Sprintf(", did you mean %q?", near)
	}
	return llmconfig.Provider{}, fmt.Errorf("%w: no LLM provider %q in %s%s", abi.ErrNotFound, name, homedir.SettingsFile, near)
}
