package host

import (
	"github.com/mcpctl/mcpctl/host/homedir"
	"github.com/mcpctl/mcpctl/host/live"
	"github.com/mcpctl/mcpctl/host/object"
	"github.com/mcpctl/mcpctl/host/pool"
	"github.com/mcpctl/mcpctl/host/upstream"
)

// newSecretCleaner returns a function that removes the secrets of all servers and LLM
// providers from a text.
func (h *Host) newSecretCleaner() func(string) string {
	s := h.config.State()
	var secrets []upstream.Config
	for _, o := range s.Snapshot.List(object.KindServer) {
		server := o.(*object.Server)
		if s.Snapshot.IsTeam(server.Key()) {
			continue // its references are of mcpd
		}
		at, _ := server.ResolveFor("/", s.Secret) // an unresolved server cannot run, but its variables are known
		secrets = append(secrets, upstream.Config{URL: at.URL.Reveal(), Env: pool.Reveal(at.Env), Headers: pool.Reveal(at.Headers), Secrets: h.pool.SecretsOf(server, at)})
	}
	secrets = append(secrets, upstream.Config{Secrets: llmSecrets(h.opts.Home, s)})
	secrets = append(secrets, upstream.Config{Secrets: []upstream.Secret{upstream.NewSecret(h.team.Settings().Login.Token.Reveal())}})
	return upstream.NewCleaner(secrets...)
}

// llmSecrets returns the values of the variables that LLM providers refer to.
func llmSecrets(home homedir.Dir, s *live.State) (secrets []upstream.Secret) {
	for _, name := range providerVariables(home) {
		if value, ok := s.Secret(name); ok {
			secrets = append(secrets, upstream.NewSecret(value.Reveal()))
		}
	}
	return secrets
}
