package audit

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/cmdline"
	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/printer"
)

// ExportOptions are the flags of export.
type ExportOptions struct {
	F     *factory.Factory
	File  string
	Force bool
}

func newExport(f *factory.Factory) *cobra.Command {
	opts := &ExportOptions{F: f}
	cmd := &cobra.Command{
		Use:   "export",
		Short: "Write all entries of the audit log as lines of JSON",
		Long: `Write all entries of the audit log as lines of JSON, writer by writer, with the hashes that chain them. The last line,
{"end":true,"rows":N}, shows that the export is complete. A file is readable by you only, and appears when it is
complete.`,
		Example: `  mcpctl audit export -f audit.ndjson
  mcpctl audit export | grep '"decision":"denied"'`,
		Args: factory.ExactArgs(),
		RunE: func(cmd *cobra.Command, _ []string) error { return exportRun(cmd.Context(), opts) },
	}
	cmd.Flags().StringVarP(&opts.File, "filename", "f", "-", "file to write, - for standard output")
	cmd.Flags().BoolVar(&opts.Force, "force", false, "replace an existing file")
	_ = cmd.MarkFlagFilename("filename", "ndjson", "jsonl") // fails only for an unknown flag
	return cmd
}

func exportRun(ctx context.Context, opts *ExportOptions) error {
	toFile := opts.File != "-"
	if opts.File == "" {
		return problem.Usagef("the name of the file is empty").WithHint("mcpctl audit export -f audit.ndjson")
	}
	if toFile {
		if err := cmdline.CheckNewFile(opts.File, opts.Force); err != nil {
			return err
		}
	}
	s, done, err := opts.F.Service(ctx)
	if err != nil {
		return err
	}
	defer done()
	body, err := s.Team().Transfer(ctx, api.TeamTransfer{Method: http.MethodGet, Path: "/audit/export"})
	if err != nil {
		return err
	}
	defer body.Close()
	lines := &exportReader{lines: bufio.NewReaderSize(body, maxLine)}
	if !toFile {
		_, err := io.Copy(opts.F.IO.Out, lines)
		return err
	}
	if _, err := opts.F.Save(opts.File, lines); err != nil {
		return err
	}
	fmt.Fprintf(opts.F.IO.Out, "wrote %s (%s)\n", opts.File, printer.Plural(int(lines.rows), "entry"))
	return nil
}

// maxLine is the size limit of a line. The texts of an entry have at most 17 KiB, and six
// times as much in JSON with escapes.
const maxLine = 256 << 10

// exportReader reads the lines of an export, checks that each is JSON, and returns an error in
// place of io.EOF if the last one does not have the number of the others.
type exportReader struct {
	lines *bufio.Reader
	rest  []byte // of the present line
	rows  int64
	ended bool
}

// Read implements io.Reader.
func (r *exportReader) Read(p []byte) (int, error) {
	for len(r.rest) == 0 {
		line, err := r.lines.ReadSlice('\n')
		switch {
		case errors.Is(err, io.EOF) && len(line) == 0 && r.ended:
			return 0, io.EOF
		case errors.Is(err, io.EOF):
			return 0, errIncomplete("its last line is missing")
		case errors.Is(err, bufio.ErrBufferFull):
			return 0, errIncomplete(fmt.Sprintf("a line has over %d KiB", maxLine>>10))
		case err != nil:
			return 0, err
		}
		if err := r.check(line); err != nil {
			return 0, err
		}
		r.rest = []byte(iostreams.CleanJSON(string(line)))
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

func (r *exportReader) check(line []byte) error {
	var last struct {
		End  bool  `json:"end"`
		Rows int64 `json:"rows"`
	}
	switch err := json.Unmarshal(line, &last); {
	case r.ended:
		return errIncomplete("lines follow the last one")
	case err != nil:
		return errIncomplete(fmt.Sprintf("line %d is not JSON", r.rows+1))
	case last.End && last.Rows != r.rows:
		return errIncomplete(fmt.Sprintf("it has %s, its last line says %d", printer.Plural(int(r.rows), "entry"), last.Rows))
	case last.End:
		r.ended = true
	default:
		r.rows++
	}
	return nil
}

func errIncomplete(why string) error {
	p := problem.New(abi.ErrUnavailable, "the export of the team server is not complete")
	p.Cause = why
	return p.WithHint("mcpctl audit verify")
}
