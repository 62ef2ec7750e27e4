package serve

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/access"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/password"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/store"
	"github.com/mcpctl/mcpctl/host/object"
)

// adminBinding is the binding that bootstrap creates.
const adminBinding = "mcpd-admins"

func newCmdBootstrap() *cobra.Command {
	var p place
	var user string
	var fromStdin bool
	cmd := &cobra.Command{
		Use:   "bootstrap",
		Short: "Create the first administrator",
		Long: `Create the first administrator of an empty team server. A password is generated and printed once, unless
--password-stdin reads one. A server that has an administrator is not changed.`,
		Example: `  mcpd bootstrap --user anna
  mcpd bootstrap --user anna --password-stdin < password.txt`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			text := rand.Text()
			if fromStdin {
				b, err := io.ReadAll(io.LimitReader(cmd.InOrStdin(), 4096))
				if err != nil {
					return err
				}
				text = strings.TrimRight(string(b), "\r\n")
			}
			if err := password.Check(user, text); err != nil {
				return err
			}
			o, err := p.open(cmd.Context())
			if err != nil {
				return err
			}
			defer o.Close()
			if err := bootstrap(cmd.Context(), o, user, text); err != nil {
				return err
			}
			cmd.Printf("created administrator %s\n", user)
			if !fromStdin {
				cmd.Printf("password: %s\n", text)
			}
			return nil
		},
	}
	cmd.SetOut(os.Stdout)
	cmd.Flags().StringVar(&user, "user", "admin", "name of the administrator")
	cmd.Flags().BoolVar(&fromStdin, "password-stdin", false, "read the password from stdin instead of generating one")
	p.addFlags(cmd)
	return cmd
}

// bootstrap creates a user with all rights. Of two that run at the same time, one succeeds.
//
// It returns abi.ErrConflict if the server has been bootstrapped.
func bootstrap(ctx context.Context, o *opened, user, text string) error {
	if _, _, err := o.db.Migrate(ctx); err != nil {
		return err
	}
	yaml := fmt.Sprintf("kind: User\nmetadata: {name: %q}\n---\nkind: RbacBinding\nmetadata: {name: %s}\nspec: {subjects: [{user: %q}], verbs: [admin]}\n", user, adminBinding, user)
	objects, _, err := object.Decode("--user", []byte(yaml))
	if err != nil {
		return problem.WithoutPositions(err)
	}
	w := store.Write{Actor: "mcpd bootstrap", Authorize: func(key object.Key, exists bool) error {
		if !exists {
			return nil
		}
		p := problem.New(abi.ErrConflict, "this server has been bootstrapped: %s exists", key)
		p.Cause = "an administrator can create users and set passwords"
		return p
	}}
	// The password is written in the same transaction: an administrator without one could
	// never log in.
	if w.Alongside, err = access.Open(o.db, o.store).FirstPassword(ctx, user, text); err != nil {
		return err
	}
	_, err = o.store.Apply(ctx, w, objects)
	return err
}
