package host

import (
	"github.com/mcpctl/mcpctl/host/object"
	"github.com/mcpctl/mcpctl/host/pool"
	"github.com/mcpctl/mcpctl/host/upstream"
)

// newSecretCleaner returns a function that removes the secrets of all servers and LLM
// providers from a text.
func (h *Host) newSecretCleaner() func(string) string {
	s := h.state.Load()
	var secrets []upstream.Config
	for _, o := range s.snapshot.List(object.KindServer) {
		server := o.(*object.Server)
		at, _ := server.ResolveFor("/", s.secrets) // an unresolved server cannot run, but its variables are known
		secrets = append(secrets, upstream.Config{URL: at.URL.Reveal(), Env: pool.Reveal(at.Env), Headers: pool.Reveal(at.Headers), Secrets: h.pool.SecretsOf(server, at)})
	}
	return upstream.NewCleaner(append(secrets, upstream.Config{Secrets: h.llmSecrets(s)})...)
}

// llmSecrets returns the values of the references of LLM providers.
func (h *Host) llmSecrets(s *state) (secrets []upstream.Secret) {
	for _, name := range providerVariables(h.opts.Home) {
		if value, ok := s.secrets(name); ok {
			secrets = append(secrets, upstream.NewSecret(value.Reveal()))
		}
	}
	return secrets
}
