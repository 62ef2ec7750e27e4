package backup

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/printer"
)

// RestoreOptions are the arguments and flags of restore.
type RestoreOptions struct {
	F                  *factory.Factory
	File               string
	Identity           string // file, - for standard input
	WithoutCredentials bool
	Merge              bool
	DryRun             bool
	Output             string
}

// NewCmdRestore creates the command.
func NewCmdRestore(f *factory.Factory) *cobra.Command {
	opts := &RestoreOptions{F: f}
	cmd := &cobra.Command{
		Use:   "restore FILE",
		Short: "Restore a backup into the team server",
		Long: `Restore a backup into the team server that you are logged in to: all of it or nothing. The server has objects, at least
your account, so --merge is needed: objects, passwords and grants are replaced by those of the backup, and nothing is
deleted. An empty server is restored with "mcpd restore" on its machine. Only administrators can restore.

The identity is a secret key of age. It is read from a file or from standard input, and sent to the team server for this
request. -o json prints the numbers of objects that were created, configured and unchanged, and what was skipped.`,
		Example: `  mcpctl restore team.tar.zst --identity key.txt --merge --dry-run
  age -d key.txt.age | mcpctl restore team.tar.zst --identity - --merge`,
		Args:              factory.OneArg("FILE", &opts.File),
		ValidArgsFunction: completeArchive,
		RunE:              func(cmd *cobra.Command, _ []string) error { return restoreRun(cmd.Context(), opts) },
	}
	cmd.Flags().StringVar(&opts.Identity, "identity", "", "file of the age identity that decrypts credentials, - for standard input")
	cmd.Flags().BoolVar(&opts.WithoutCredentials, "without-credentials", false, "skip servers whose credentials cannot be decrypted")
	cmd.Flags().BoolVar(&opts.Merge, "merge", false, "replace objects of a server that is not empty")
	cmd.Flags().BoolVar(&opts.DryRun, "dry-run", false, "report what would be restored")
	printer.AddFlag(cmd, f.Env, &opts.Output)
	_ = cmd.RegisterFlagCompletionFunc("identity", cobra.FixedCompletions(nil, cobra.ShellCompDirectiveDefault)) // files; fails only for an unknown flag
	return cmd
}

// report is the answer of mcpd.
type report struct {
	Manifest struct {
		ResourceVersion string `json:"resourceVersion"`
	} `json:"manifest"`
	DryRun          bool     `json:"dryRun"`
	Created         int64    `json:"created"`
	Configured      int64    `json:"configured"`
	Unchanged       int64    `json:"unchanged"`
	Passwords       int64    `json:"passwords"`
	Tokens          int64    `json:"tokens"`
	Identities      int64    `json:"identities"`
	TokensSkipped   int64    `json:"tokensSkipped"`
	AccountsSkipped int64    `json:"accountsSkipped"`
	Skipped         []string `json:"skipped"`
	AuditSkipped    bool     `json:"auditSkipped"`
}

// maxReport is the size limit of the answer.
const maxReport = 16 << 20

func restoreRun(ctx context.Context, opts *RestoreOptions) error {
	if err := printer.Check(opts.Output); err != nil {
		return err
	}
	identities, err := opts.readIdentities()
	if err != nil {
		return err
	}
	file, err := os.Open(opts.File)
	if errors.Is(err, fs.ErrNotExist) {
		return problem.From(fmt.Errorf("%w: %w", abi.ErrNotFound, err)).WithHint("mcpctl restore FILE --merge --dry-run")
	}
	if err != nil {
		return err
	}
	defer file.Close()
	s, done, err := opts.F.Service(ctx)
	if err != nil {
		return err
	}
	defer done()
	q := url.Values{}
	for name, set := range map[string]bool{"merge": opts.Merge, "dryRun": opts.DryRun, "withoutCredentials": opts.WithoutCredentials} {
		if set {
			q.Set(name, strconv.FormatBool(set))
		}
	}
	counted, stop := opts.F.Counted(file, "sending "+opts.File)
	defer stop()
	body, err := s.Team().Transfer(ctx, api.TeamTransfer{Method: http.MethodPost, Path: "/restore", Query: q, Type: api.TypeArchive, Identities: identities, Body: counted})
	if err != nil {
		return err
	}
	defer body.Close()
	text, err := io.ReadAll(io.LimitReader(body, maxReport))
	stop()
	if err != nil {
		return err
	}
	var r report
	if err := json.Unmarshal(text, &r); err != nil {
		return problem.New(abi.ErrUnavailable, "the answer of the team server is not the report of a restore").WithHint("mcpctl audit list --action restore")
	}
	if opts.Output == "json" || opts.Output == "yaml" {
		return printer.Print(opts.F.IO, opts.Output, printer.Listing{Value: r})
	}
	opts.print(r)
	return nil
}

// maxIdentity is the size limit of a file of identities.
const maxIdentity = 64 << 10

// identityPrefix begins a secret key of age.
const identityPrefix = "AGE-SECRET-KEY-"

// readIdentities returns the secret keys of --identity. Comments are left out.
func (opts *RestoreOptions) readIdentities() (out []api.Credential, err error) {
	if opts.Identity == "" {
		return nil, nil
	}
	if strings.HasPrefix(strings.ToUpper(opts.Identity), identityPrefix) { // do not print it
		p := problem.Usagef("--identity takes a file, not the secret key")
		p.Cause = "other users of this machine can read the arguments of a command, and the shell keeps them"
		return nil, p.WithHint("mcpctl restore FILE --identity KEYFILE")
	}
	in := opts.F.IO.In
	if opts.Identity != "-" {
		f, err := os.Open(opts.Identity)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		in = f
	}
	text, err := io.ReadAll(io.LimitReader(in, maxIdentity))
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if !strings.HasPrefix(line, identityPrefix) {
			out = nil
			break
		}
		out = append(out, api.Credential(line))
	}
	if out == nil {
		p := problem.New(abi.ErrConfig, "%s has no identity of age", factory.Shown(opts.Identity))
		p.Cause = "want lines AGE-SECRET-KEY-1..., as age-keygen prints them; decrypt a file with a passphrase first"
		return nil, p.WithHint("age -d KEYFILE.age | mcpctl restore FILE --identity - --merge")
	}
	return out, nil
}

func (opts *RestoreOptions) print(r report) {
	io, verb := opts.F.IO, "restored"
	if r.DryRun {
		verb = "dry run, would restore"
	}
	fmt.Fprintf(io.Out, "%s a backup of version %s: %d created, %d configured, %d unchanged\n", verb, iostreams.Line(r.Manifest.ResourceVersion), r.Created, r.Configured, r.Unchanged)
	fmt.Fprintf(io.Out, "%s %s, %s, %s\n", verb, printer.Plural(int(r.Passwords), "password"), printer.Plural(int(r.Tokens), "API token"), printer.Plural(int(r.Identities), "identity"))
	if r.TokensSkipped > 0 {
		fmt.Fprintf(io.ErrOut, "warning: skipped %s that the server does not have: revoked tokens are not restored\n", printer.Plural(int(r.TokensSkipped), "API token"))
	}
	if r.AccountsSkipped > 0 {
		fmt.Fprintf(io.ErrOut, "warning: skipped %s of accounts that were deleted and created again since: passwords, identities or grants of links\n", printer.Plural(int(r.AccountsSkipped), "row"))
	}
	if len(r.Skipped) > 0 {
		fmt.Fprintf(io.ErrOut, "warning: skipped, because there are no credentials: %s\n", iostreams.Line(strings.Join(r.Skipped, ", ")))
	}
	if r.AuditSkipped {
		fmt.Fprintln(io.ErrOut, "warning: the audit log of the backup was not restored, because the server has one")
	}
}
