// Package backup implements `mcpctl backup` and `mcpctl restore`: all data of the team server in
// one file.
package backup

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/cmdline"
	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/printer"
)

// Options are the arguments and flags of backup.
type Options struct {
	F          *factory.Factory
	File       string
	Recipients []string
	Audit      bool
	Force      bool
	Output     string
}

// written is a backup that was written, as json and yaml.
type written struct {
	File        string   `json:"file"`
	Bytes       int64    `json:"bytes"`
	Recipients  []string `json:"recipients"`
	Credentials bool     `json:"credentials"` // the backup has those of servers
	Audit       bool     `json:"audit"`       // and the audit log
}

// NewCmdBackup creates the command.
func NewCmdBackup(f *factory.Factory) *cobra.Command {
	opts := &Options{F: f}
	cmd := &cobra.Command{
		Use:   "backup FILE",
		Short: "Write all data of the team server to a file",
		Long: `Write all objects, accounts and hashes of passwords and tokens of the team server to one file (tar, zstd), of one
moment. Credentials of servers are encrypted to the recipients, which are public keys of age; without a recipient they
are left out. Only administrators can make a backup.

The file has the hashes of passwords, so keep it as safe as the server. It is readable by you only, and appears when it is
complete. -o json prints its name, its size in bytes, and what it contains.`,
		Example: `  mcpctl backup team.tar.zst --recipient age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p
  mcpctl backup team.tar.zst --audit --force`,
		Args:              factory.OneArg("FILE", &opts.File),
		ValidArgsFunction: completeArchive,
		RunE:              func(cmd *cobra.Command, _ []string) error { return backupRun(cmd.Context(), opts) },
	}
	cmd.Flags().StringArrayVar(&opts.Recipients, "recipient", nil, "public key of age that credentials are encrypted to (repeatable)")
	cmd.Flags().BoolVar(&opts.Audit, "audit", false, "include the audit log")
	cmd.Flags().BoolVar(&opts.Force, "force", false, "replace an existing file")
	printer.AddFlag(cmd, f.Env, &opts.Output)
	_ = cmd.RegisterFlagCompletionFunc("recipient", cobra.FixedCompletions([]string{"age1"}, cobra.ShellCompDirectiveNoFileComp|cobra.ShellCompDirectiveNoSpace)) // fails only for an unknown flag
	return cmd
}

func completeArchive(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return []string{"zst"}, cobra.ShellCompDirectiveFilterFileExt
}

func backupRun(ctx context.Context, opts *Options) error {
	if err := printer.Check(opts.Output); err != nil {
		return err
	}
	for _, r := range opts.Recipients {
		if !strings.HasPrefix(r, "age1") { // a secret key must not be sent, and not be printed
			p := problem.Usagef("--recipient is not a public key of age, which begins with age1")
			p.Cause = "age-keygen -y prints the public key of a file of secret keys"
			return p.WithHint("age-keygen -y KEYFILE")
		}
	}
	if opts.File == "" {
		return problem.Usagef("the name of the file is empty").WithHint("mcpctl backup team.tar.zst")
	}
	if err := cmdline.CheckNewFile(opts.File, opts.Force); err != nil {
		return err
	}
	s, done, err := opts.F.Service(ctx)
	if err != nil {
		return err
	}
	defer done()
	q := url.Values{}
	for _, r := range opts.Recipients {
		q.Add("recipient", r)
	}
	if opts.Audit {
		q.Set("audit", "true")
	}
	body, err := s.Team().Transfer(ctx, api.TeamTransfer{Method: http.MethodGet, Path: "/backup", Query: q})
	if err != nil {
		return err
	}
	defer body.Close()
	n, err := opts.F.Save(opts.File, body)
	if err != nil {
		return err
	}
	if len(opts.Recipients) == 0 {
		fmt.Fprintln(opts.F.IO.ErrOut, "the credentials of servers were left out, because there is no --recipient")
	}
	switch opts.Output {
	case "json", "yaml":
		out := written{File: opts.File, Bytes: n, Recipients: append([]string{}, opts.Recipients...), Credentials: len(opts.Recipients) > 0, Audit: opts.Audit}
		return printer.Print(opts.F.IO, opts.Output, printer.Listing{Value: out})
	case "name":
		fmt.Fprintln(opts.F.IO.Out, iostreams.Line(opts.File))
	default:
		fmt.Fprintf(opts.F.IO.Out, "wrote %s (%s)\n", opts.File, printer.Size(n))
	}
	return nil
}
