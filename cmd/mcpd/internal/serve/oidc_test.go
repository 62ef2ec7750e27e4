package serve

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/keyring"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/oidc"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/oidc/oidctest"
)

func TestClientSecret(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		mode os.FileMode
		env  string
		want string
		is   error
	}{
		"of the file":           {text: "abc\n", mode: 0o600, want: "abc"},
		"of the environment":    {text: "abc\n", mode: 0o600, env: "xyz", want: "xyz"},
		"others can read it":    {text: "abc", mode: 0o640, is: abi.ErrDenied},
		"empty":                 {text: "\n", mode: 0o600, is: abi.ErrConfig},
		"two lines":             {text: "a\nb\n", mode: 0o600, is: abi.ErrConfig},
		"too large":             {text: strings.Repeat("x", maxSecret+1), mode: 0o600, is: abi.ErrLimit},
		"none, a public client": {},
	} {
		home := t.TempDir()
		t.Setenv(clientSecretVar, c.env)
		path := filepath.Join(home, clientSecretFile)
		if c.mode != 0 {
			if err := os.WriteFile(path, []byte(c.text), c.mode); err != nil {
				t.Fatal(err)
			}
		}
		got, err := readClientSecret(home)
		if got.Reveal() != c.want || !errors.Is(err, c.is) {
			t.Errorf("%s: %q, %v, want %q, %v", name, got.Reveal(), err, c.want, c.is)
		}
		if err != nil && c.text != "\n" && strings.Contains(err.Error(), strings.TrimSpace(c.text)) {
			t.Errorf("%s: the error shows the secret: %v", name, err)
		}
	}
}

func TestOpenIssuer(t *testing.T) {
	is := oidctest.New(t)
	keys, err := keyring.Open(filepath.Join(t.TempDir(), "keys"))
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(clientSecretVar, "")
	for name, c := range map[string]struct {
		cfg  oidc.Config
		open bool
		is   error
	}{
		"no issuer":                    {},
		"issuer":                       {cfg: oidc.Config{Issuer: is.URL, ClientID: "mcpd"}, open: true},
		"an issuer that does not run":  {cfg: oidc.Config{Issuer: "http://127.0.0.1:1", ClientID: "mcpd"}, open: true},
		"client id without an issuer":  {cfg: oidc.Config{ClientID: "mcpd"}, is: problem.ErrUsage},
		"issuer without a client id":   {cfg: oidc.Config{Issuer: is.URL}, is: abi.ErrConfig},
		"plain HTTP":                   {cfg: oidc.Config{Issuer: "http://login.example.com", ClientID: "mcpd"}, is: abi.ErrConfig},
		"a domain that is a wild card": {cfg: oidc.Config{Issuer: is.URL, ClientID: "mcpd", AllowedDomains: []string{"*"}}, is: abi.ErrConfig},
	} {
		o := options{issuer: issuerFlags{c.cfg}, log: slog.New(slog.NewTextHandler(io.Discard, nil))}
		l, err := o.openIssuer(context.Background(), t.TempDir(), keys)
		if (err == nil) != (c.is == nil) || !errors.Is(err, c.is) || c.is == nil && (l != nil) != c.open {
			t.Errorf("%s: %v, %v, want %v", name, l, err, c.is)
		}
	}
}
