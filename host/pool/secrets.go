package pool

import (
	"runtime"
	"slices"

	"github.com/mcpctl/mcpctl/host/credential"
	"github.com/mcpctl/mcpctl/host/object"
	"github.com/mcpctl/mcpctl/host/upstream"
)

// SecretsOf returns the values that must be removed from every text about a server:
// the values of its references and of passEnv, and credentials in its command or URL.
// Paths are no secrets, unless their variable has the name of a credential, nor are
// the variables that all servers inherit.
func (p *Pool) SecretsOf(s *object.Server, e object.Endpoint) []upstream.Secret {
	var secrets []upstream.Secret
	for _, name := range slices.Concat(s.Variables(), s.Spec.PassEnv) {
		value, ok := p.opts.Secret(name)
		isPath := upstream.IsPath(value.Reveal()) && !credential.IsName(name)
		if ok && !isPath && !upstream.IsInherited(runtime.GOOS, name) {
			secrets = append(secrets, upstream.NewSecret(value.Reveal()))
		}
	}
	args := append(e.Argv(), e.URL.Reveal())
	for _, c := range credential.Find(args...) {
		secrets = append(secrets, upstream.NewSecret(args[c.Arg][c.Start:c.End]))
	}
	return secrets
}
