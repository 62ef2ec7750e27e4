// Package export implements `mcpctl export`, which writes recorded traffic to one file: as the
// web page with its data inside, as JSON, or as HAR.
package export

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/internal/ui"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/eventquery"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/printer"
	"github.com/mcpctl/mcpctl/internal/atomicfile"
)

// Options contains the flags.
type Options struct {
	F       *factory.Factory
	Output  string
	Format  string
	Project string
	Query   string
	Session string
	Bodies  string
	Limit   int
}

// formats are the values of --format, which are also the extensions of files.
var formats = []string{"html", "json", "har"}

// bodies are the values of --bodies.
var bodies = []string{"all", "shown", "none"}

// NewCmdExport creates the command. If runF is not nil, it is called instead of the implementation.
func NewCmdExport(f *factory.Factory, runF func(context.Context, *Options) error) *cobra.Command {
	opts := &Options{F: f}
	cmd := &cobra.Command{
		Use:   "export --output FILE",
		Short: "Write recorded traffic to one file",
		Long: `Write the events of the daemon with their content to one file, for example to attach it to a bug report. An .html file
is the page of "mcpctl ui" with its data inside, and loads nothing; .json is the same data; .har has one entry for each
request, for viewers of HTTP traffic. Credentials are masked by their names and forms, and sessions are numbered; other
content is not changed: read the file before you publish it. The size is limited, and the file lists the parts that
are missing.`,
		Example: `  mcpctl export -o session.html
  mcpctl export -o failed.har --query err
  mcpctl export -o - --format json --bodies none`,
		Args: factory.ExactArgs(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := opts.check(); err != nil {
				return err
			}
			if runF != nil {
				return runF(cmd.Context(), opts)
			}
			return exportRun(cmd.Context(), opts)
		},
	}
	fl := cmd.Flags()
	fl.StringVarP(&opts.Output, "output", "o", "", "file to write, - for standard output; the extension selects the format")
	fl.StringVar(&opts.Format, "format", "", "format, instead of the extension: "+strings.Join(formats, ", "))
	fl.StringVarP(&opts.Project, "project", "p", "", "events of one project only")
	eventquery.AddFlag(cmd, f, &opts.Query, "events that a query selects")
	fl.StringVar(&opts.Session, "session", "", "events of one session only, by its id")
	fl.StringVar(&opts.Bodies, "bodies", "all", "content to include: all, shown (no originals), none")
	fl.IntVar(&opts.Limit, "limit", 1000, "maximum number of events, the newest ones")
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(formats, cobra.ShellCompDirectiveFilterFileExt)) // all fail only for an unknown flag
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(formats, cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.RegisterFlagCompletionFunc("bodies", cobra.FixedCompletions(bodies, cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.RegisterFlagCompletionFunc("project", f.Names("project"))
	return cmd
}

// check validates the flags and sets Format.
func (opts *Options) check() error {
	switch {
	case opts.Output == "":
		return problem.Usagef("export needs -o FILE").WithHint("mcpctl export -o session.html")
	case opts.Format == "" && opts.Output == "-":
		return problem.Usagef("-o - needs --format %s", strings.Join(formats, ", ")).WithHint("mcpctl export -o - --format json")
	case opts.Format == "":
		opts.Format = strings.TrimPrefix(strings.ToLower(filepath.Ext(opts.Output)), ".")
	}
	if !slices.Contains(formats, opts.Format) {
		p := problem.Usagef("unknown format %q", opts.Format)
		p.Cause = "known are " + strings.Join(formats, ", ") + "; it comes from the extension of -o or from --format"
		return p.WithHint("mcpctl export -o session.html")
	}
	if !slices.Contains(bodies, opts.Bodies) {
		return problem.Usagef("--bodies %q, want %s", opts.Bodies, strings.Join(bodies, ", ")).WithHint("mcpctl export --help")
	}
	if opts.Limit < 1 {
		return problem.Usagef("--limit %d, want at least 1", opts.Limit).WithHint("mcpctl export --help")
	}
	return nil
}

func exportRun(ctx context.Context, opts *Options) error {
	daemon, err := opts.F.Daemon()
	if err != nil {
		return err
	}
	st, err := daemon.Status(ctx)
	if err != nil {
		return err
	}
	done := opts.F.IO.Progress("collecting")
	file, err := collect(ctx, daemon, opts, time.Now())
	done()
	if err != nil {
		return err
	}
	file.Version = st.Version
	text, err := encode(file, opts.Format, st.Listening)
	if err != nil {
		return err
	}
	return opts.write(file, text)
}

// encode returns the text of a file in a format.
func encode(file *File, format, listening string) ([]byte, error) {
	switch format {
	case "html":
		return ui.Document(file)
	case "har":
		return indent(newHAR(file, listening))
	}
	return indent(file)
}

func indent(v any) ([]byte, error) {
	text, err := json.MarshalIndent(v, "", " ")
	return append(text, '\n'), err
}

// write writes the text to the file or to standard output, and prints warnings about omitted content.
func (opts *Options) write(file *File, text []byte) error {
	if opts.Output == "-" {
		if _, err := opts.F.IO.Out.Write(text); err != nil {
			return err
		}
	} else {
		path, err := atomicfile.Resolve(opts.Output)
		if err == nil {
			err = atomicfile.Write(path, text, 0o600)
		}
		if err != nil {
			return err
		}
		fmt.Fprintf(opts.F.IO.Out, "%s: %s, %d KB\n", opts.Output, printer.Plural(len(file.Events), "event"), (len(text)+1023)>>10)
	}
	for _, o := range file.Omitted {
		fmt.Fprintf(opts.F.IO.ErrOut, "not included: %s\n", o)
	}
	return nil
}

var _ source = (*api.Client)(nil)
