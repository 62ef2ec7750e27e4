package audit

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/printer"
)

// VerifyOptions are the flags of verify.
type VerifyOptions struct {
	F       *factory.Factory
	Anchors string // file
	Renew   bool
	Output  string
	Now     func() time.Time
}

// anchorsFile is the name of the file of anchors in the home.
const anchorsFile = "audit-anchors.json"

func newVerify(f *factory.Factory) *cobra.Command {
	opts := &VerifyOptions{F: f, Now: time.Now}
	cmd := &cobra.Command{
		Use:   "verify",
		Short: "Check that no entry of the audit log was changed or removed",
		Long: `Check the hash chains of the audit log: each entry has the hash of the one before it, so an entry that was changed or
removed in the database is found.

The last entry of each writer is kept as an anchor in audit-anchors.json of the home, and must still exist at the next
verification. Without anchors it is not found if all entries of the last writer were removed with its seal, or if an
earlier state of the database was put back. Keep them on another machine than the server, with --anchors also outside of
the home. --renew accepts the present log, for example after the server was restored from a backup.`,
		Example: `  mcpctl audit verify
  mcpctl audit verify --anchors /mnt/audit/anchors.json`,
		Args: factory.ExactArgs(),
		RunE: func(cmd *cobra.Command, _ []string) error { return verifyRun(cmd.Context(), opts) },
	}
	cmd.Flags().StringVar(&opts.Anchors, "anchors", "", "file of the anchors (default: audit-anchors.json in the home)")
	cmd.Flags().BoolVar(&opts.Renew, "renew", false, "do not compare with the kept anchors, but replace them")
	_ = cmd.RegisterFlagCompletionFunc("anchors", cobra.FixedCompletions([]string{"json"}, cobra.ShellCompDirectiveFilterFileExt)) // fails only for an unknown flag
	printer.AddFlag(cmd, f.Env, &opts.Output)
	return cmd
}

// verified is the answer of mcpd.
type verified struct {
	Writers int      `json:"writers"`
	Rows    int64    `json:"rows"`
	Anchors []anchor `json:"anchors"`
}

// maxVerified is the size limit of the answer: 100,000 writers.
const maxVerified = 32 << 20

func verifyRun(ctx context.Context, opts *VerifyOptions) error {
	if err := printer.Check(opts.Output); err != nil {
		return err
	}
	file := opts.Anchors
	if file == "" {
		home, err := opts.F.Home()
		if err != nil {
			return err
		}
		file = filepath.Join(home, anchorsFile)
	}
	all, err := readAnchors(file)
	if err != nil {
		return err
	}
	s, done, err := opts.F.Service(ctx)
	if err != nil {
		return err
	}
	defer done()
	who, err := s.Team().Whoami(ctx)
	if err != nil {
		return err
	}
	kept := all.Servers[who.URL]
	if opts.Renew {
		kept = keptAnchors{}
	}
	stop := opts.F.IO.Progress("verifying")
	v, err := verify(ctx, s.Team(), kept.Anchors)
	stop()
	if err != nil {
		return withEvidence(err)
	}
	all.Servers[who.URL] = keptAnchors{Time: opts.Now().UTC().Truncate(time.Second), Anchors: v.Anchors}
	if err := all.write(file); err != nil {
		return err
	}
	if kept.Anchors == nil {
		fmt.Fprintf(opts.F.IO.ErrOut, "no anchors of %s were compared: it is not known whether the last entries before now were removed; %s has them from now on\n", iostreams.Line(who.URL), file)
	} else {
		fmt.Fprintf(opts.F.IO.ErrOut, "compared with %s of %s\n", printer.Plural(len(kept.Anchors), "anchor"), kept.Time.Local().Format(time.DateTime))
	}
	out := struct {
		Writers int        `json:"writers"`
		Rows    int64      `json:"rows"`
		Anchors int        `json:"anchors"` // that were compared
		Since   *time.Time `json:"anchorsTime,omitempty"`
	}{v.Writers, v.Rows, len(kept.Anchors), nil}
	if kept.Anchors != nil {
		out.Since = &kept.Time
	}
	return printer.Print(opts.F.IO, opts.Output, printer.Listing{Value: out, Table: func(bool) *iostreams.Table {
		t := iostreams.NewTable("WRITERS", "ENTRIES", "ANCHORS", "CHAIN")
		t.Row(strconv.Itoa(out.Writers), fmt.Sprint(out.Rows), strconv.Itoa(out.Anchors), "ok")
		return t
	}})
}

// verify verifies the log, and that the rows of anchors exist.
func verify(ctx context.Context, t api.Team, known []anchor) (v verified, err error) {
	in, err := json.Marshal(struct {
		Anchors []anchor `json:"anchors,omitempty"`
	}{known})
	if err != nil {
		return v, err
	}
	body, err := t.Transfer(ctx, api.TeamTransfer{Method: http.MethodPost, Path: "/audit/verify", Type: "application/json", Body: bytes.NewReader(in)})
	if err != nil {
		return v, err
	}
	defer body.Close()
	text, err := io.ReadAll(io.LimitReader(body, maxVerified))
	if err != nil {
		return v, err
	}
	if err := json.Unmarshal(text, &v); err != nil {
		return v, problem.New(abi.ErrUnavailable, "the answer of the team server is not a verification")
	}
	if v.Anchors == nil {
		v.Anchors = []anchor{}
	}
	return v, checkAnchors(known, v.Anchors)
}

// withEvidence adds a cause and a hint to the error about a changed log. It does not change an
// error with a cause, which is about seals with lost keys.
func withEvidence(err error) error {
	p := problem.From(err)
	if !errors.Is(err, abi.ErrConfig) || p.Hint != "" || p.Cause != "" {
		return err
	}
	q := *p
	q.Cause = "the database was changed by another program than mcpd, or restored; the kept anchors are unchanged"
	return q.WithHint("mcpctl audit export -f audit-evidence.ndjson")
}
