package serve

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/devicelogin"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/keyring"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/oidc"
	"github.com/mcpctl/mcpctl/host/homedir"
	"github.com/mcpctl/mcpctl/host/secret"
)

// The places of the client secret. It is not in secrets.yaml, because a Server may name each
// variable of that file, and whoever edits the Server chooses where its value is sent.
const (
	clientSecretVar  = "MCPD_OIDC_CLIENT_SECRET"
	clientSecretFile = "oidc-client-secret"
)

// issuerFlags are the flags about the OpenID Connect issuer.
type issuerFlags struct{ oidc.Config }

func (i *issuerFlags) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&i.Issuer, "oidc-issuer", "", "address of an OpenID Connect issuer whose users may log in")
	f.StringVar(&i.ClientID, "oidc-client-id", "", "id of mcpd at the issuer; a secret comes from $"+clientSecretVar+" or the file "+clientSecretFile)
	f.StringVar(&i.UserClaim, "oidc-user-claim", "", "claim that the name of a new user is derived from (default preferred_username)")
	f.StringVar(&i.GroupsClaim, "oidc-groups-claim", "", "claim with the groups of a user, for Groups with issuerGroup (default: no groups)")
	f.StringSliceVar(&i.AllowedDomains, "oidc-allowed-domain", nil, "domain of verified e-mail addresses that may log in; may be repeated (default: all users)")
}

// openTime is the time that an issuer has to answer at the start.
const openTime = 10 * time.Second

// openIssuer returns the logins of the issuer, or nil if none is configured. An issuer that
// does not answer is tried again at the next login.
func (o *options) openIssuer(ctx context.Context, home string, keys *keyring.Ring) (*devicelogin.Logins, error) {
	i := &o.issuer
	if i.Issuer == "" {
		if i.ClientID != "" || i.UserClaim != "" || i.GroupsClaim != "" || i.AllowedDomains != nil {
			return nil, problem.Usagef("the flags --oidc-... need --oidc-issuer").WithHint("mcpd serve --help")
		}
		return nil, nil
	}
	var err error
	if i.ClientSecret, err = readClientSecret(home); err != nil {
		return nil, err
	}
	l := devicelogin.New(i.Config, keys)
	ctx, cancel := context.WithTimeout(ctx, openTime)
	defer cancel()
	_, err = l.Open(ctx)
	if errors.Is(err, abi.ErrUnavailable) || errors.Is(err, context.DeadlineExceeded) {
		o.log.Warn("the OpenID Connect issuer does not answer, the next login tries again", "cause", err)
		return l, nil
	}
	return l, err
}

// maxSecret is the size limit of the client secret.
const maxSecret = 4 << 10

// readClientSecret returns the client secret of the environment, or of its file. A public
// client has none.
//
// It returns abi.ErrDenied if others can read the file.
func readClientSecret(home string) (secret.Value, error) {
	if text := os.Getenv(clientSecretVar); text != "" {
		return secret.New(text), nil
	}
	path := filepath.Join(home, clientSecretFile)
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return secret.Value{}, nil
	}
	if err != nil {
		return secret.Value{}, err
	}
	if err := homedir.CheckPrivateFile(path, info); err != nil {
		return secret.Value{}, err
	}
	if info.Size() > maxSecret {
		return secret.Value{}, fmt.Errorf("%w: %s has %d bytes, limit %d", abi.ErrLimit, path, info.Size(), maxSecret)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return secret.Value{}, err
	}
	line := strings.TrimRight(string(text), "\r\n")
	if line == "" || strings.ContainsAny(line, "\r\n") {
		return secret.Value{}, fmt.Errorf("%w: %s contains no secret, want one line", abi.ErrConfig, path)
	}
	return secret.New(line), nil
}
