package connect

import (
	"path/filepath"
	"strings"

	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/clients"
	"github.com/mcpctl/mcpctl/host/object"
)

// advise prints the actions required of the user after a change.
func (p *plan) advise() error {
	opts := p.opts
	if opts.client.After != "" {
		opts.warn("%s", opts.client.After)
	}
	if opts.Remove {
		return nil
	}
	if !opts.client.Tried {
		opts.warn("note: the file follows the documentation of %s; mcpctl was not tested with %s itself, see docs/clients.md", opts.client.Title, opts.client.Title)
	}
	if opts.Client == "claude-code" && p.place.Scope == clients.Project && !opts.Hook {
		opts.warn("Claude Code asks once for approval of a project's .mcp.json; until then the entry is pending")
	}
	if opts.details.ProxyMode == object.ModeDirect {
		return nil // the client starts the servers, without mcpctl
	}
	if p.place.Scope == clients.Project && opts.F.Env("MCPCTL_HOME") != "" && !opts.HTTP {
		opts.warn("warning: MCPCTL_HOME is not written into a shared file; set it when you start the client, or use --scope %s\n"+
			"  export MCPCTL_HOME=%s", opts.ownScope(), opts.F.Env("MCPCTL_HOME"))
	}
	if opts.HTTP {
		if err := opts.adviseAddress(); err != nil {
			return err
		}
		home, err := opts.F.Home()
		if err != nil {
			return err
		}
		opts.warn("%s reads the token from MCPCTL_TOKEN in its environment; run this in the shell from which you start it:\n"+
			"  export MCPCTL_TOKEN=\"$(cat %s)\"", opts.client.Title, shellQuote(filepath.Join(home, "token")))
	}
	return nil
}

// adviseAddress warns if the daemon does not listen on the configured address. The daemon then
// chose a
// free port and will choose another one at its next start.
func (opts *Options) adviseAddress() error {
	settings, err := opts.F.Settings()
	if err != nil {
		return err
	}
	address, wanted := strings.TrimSuffix(opts.details.Endpoint, "/projects/"+opts.Project+"/mcp"), settings.Get("mcplocal-url")
	if address != "" && address != wanted {
		opts.warn("warning: the daemon listens on %s, but the setting mcplocal-url is %s: the entry may be wrong after the next start of the daemon\n"+
			"  mcpctl config set mcplocal-url %s", address, wanted, address)
	}
	return nil
}

// ownScope returns a scope of the client whose file is not shared.
func (opts *Options) ownScope() string {
	for _, s := range opts.client.Scopes() {
		if s != clients.Project {
			return s
		}
	}
	return clients.User
}

// shellQuote quotes a path for a shell if necessary.
func shellQuote(path string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-+:@%,", r)
	}
	if strings.IndexFunc(path, func(r rune) bool { return !plain(r) }) < 0 {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}
