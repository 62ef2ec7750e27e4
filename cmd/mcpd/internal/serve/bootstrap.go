package serve

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
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
	var fromStdin, recovers bool
	cmd := &cobra.Command{
		Use:   "bootstrap",
		Short: "Create the first administrator",
		Long: `Create the first administrator of an empty team server. A password is generated and printed once, unless
--password-stdin reads one. A server that was bootstrapped is not changed, unless --recover makes the user an
administrator again: after the last one was deleted or disabled, or has forgotten the password.`,
		Example: `  mcpd bootstrap --user anna
  mcpd bootstrap --user anna --password-stdin < password.txt
  mcpd bootstrap --user anna --recover`,
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
			done, run := "created", bootstrap
			if recovers {
				done, run = "recovered", recoverAdmin
			}
			if err := run(cmd.Context(), o, user, text); err != nil {
				return err
			}
			cmd.Printf("%s administrator %s\n", done, user)
			if !fromStdin {
				cmd.Printf("password: %s\n", text)
			}
			return nil
		},
	}
	cmd.SetOut(os.Stdout)
	cmd.Flags().StringVar(&user, "user", "admin", "name of the administrator")
	cmd.Flags().BoolVar(&fromStdin, "password-stdin", false, "read the password from stdin instead of generating one")
	cmd.Flags().BoolVar(&recovers, "recover", false, "make the user an administrator of a server that was bootstrapped, and set its password")
	p.addFlags(cmd)
	return cmd
}

// administrator returns a user, and the binding that gives it all rights.
func administrator(user string) ([]object.Object, error) {
	yaml := fmt.Sprintf("kind: User\nmetadata: {name: %q}\n---\nkind: RbacBinding\nmetadata: {name: %s}\nspec: {subjects: [{user: %q}], verbs: [admin]}\n", user, adminBinding, user)
	objects, _, err := object.Decode("--user", []byte(yaml))
	if err != nil {
		return nil, problem.WithoutPositions(err)
	}
	return objects, nil
}

// recoverAdmin makes a user an administrator, whatever the server has, and ends its logins.
func recoverAdmin(ctx context.Context, o *opened, user, text string) error {
	if _, _, err := o.db.Migrate(ctx); err != nil {
		return err
	}
	objects, err := administrator(user)
	if err != nil {
		return err
	}
	if err := keepSubjects(ctx, o.store, objects); err != nil {
		return err
	}
	w := store.Write{Actor: "mcpd bootstrap --recover", Authorize: func(object.Key, bool) error { return nil }}
	if _, err := o.store.Apply(ctx, w, objects); err != nil {
		return err
	}
	a := access.Open(o.db, o.store)
	if err := a.Apply(ctx, nil); err != nil {
		return err
	}
	return a.SetPassword(ctx, user, nil, text)
}

// keepSubjects adds the subjects that the binding of administrators has to the one among objects.
func keepSubjects(ctx context.Context, s *store.Store, objects []object.Object) error {
	for _, o := range objects {
		b, ok := o.(*object.RbacBinding)
		if !ok {
			continue
		}
		r, err := s.Get(ctx, b.Key())
		if errors.Is(err, abi.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		old, err := r.Object()
		if err != nil {
			return err
		}
		for _, subject := range old.(*object.RbacBinding).Spec.Subjects {
			if !slices.ContainsFunc(b.Spec.Subjects, func(has object.RbacSubject) bool { return has.Kind == subject.Kind && has.Name == subject.Name }) {
				b.Spec.Subjects = append(b.Spec.Subjects, subject)
			}
		}
	}
	return nil
}

// bootstrap creates a user with all rights. Of two that run at the same time, one succeeds.
//
// It returns abi.ErrConflict if the server has been bootstrapped.
func bootstrap(ctx context.Context, o *opened, user, text string) error {
	if _, _, err := o.db.Migrate(ctx); err != nil {
		return err
	}
	objects, err := administrator(user)
	if err != nil {
		return err
	}
	w := store.Write{Actor: "mcpd bootstrap", Authorize: func(key object.Key, exists bool) error {
		if !exists {
			return nil
		}
		p := problem.New(abi.ErrConflict, "this server has been bootstrapped: %s exists", key)
		p.Cause = "an administrator can create users and set passwords"
		return p.WithHint("mcpd bootstrap --user %s --recover", problem.Arg(user))
	}}
	// The password is written in the same transaction: an administrator without one could
	// never log in.
	if w.Alongside, err = access.Open(o.db, o.store).FirstPassword(ctx, user, text); err != nil {
		return err
	}
	_, err = o.store.Apply(ctx, w, objects)
	return err
}
