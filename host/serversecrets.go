package host

import (
	"runtime"
	"slices"

	"github.com/mcpctl/mcpctl/host/object"
	"github.com/mcpctl/mcpctl/host/upstream"
)

// secretsOf are the values that nothing shown of a server may hold: what its references
// and passEnv expand to, and what looks like a credential in its command or address. Not
// secret are paths, unless their variable is named like a credential, and variables that
// all servers inherit.
func (p *pool) secretsOf(s *object.Server, e object.Endpoint) []upstream.Secret {
	var secrets []upstream.Secret
	for _, name := range slices.Concat(s.Variables(), s.Spec.PassEnv) {
		value, ok := p.secret(name)
		isPath := upstream.IsPath(value.Reveal()) && !object.IsCredentialName(name)
		if ok && !isPath && !upstream.IsInherited(runtime.GOOS, name) {
			secrets = append(secrets, upstream.NewSecret(value.Reveal()))
		}
	}
	args := append(e.Argv(), e.URL.Reveal())
	for _, c := range object.Credentials(args...) {
		secrets = append(secrets, upstream.NewSecret(args[c.Arg][c.Start:c.End]))
	}
	return secrets
}
