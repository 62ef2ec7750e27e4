package manpage

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/spf13/cobra"
)

func tree() *cobra.Command {
	root := &cobra.Command{Use: "tool", Short: "Do things", Long: "Do\n.things with a \\ in them."}
	root.PersistentFlags().String("color", "auto", "colours")
	sub := &cobra.Command{
		Use: "run NAME", Short: "Run one", Run: func(*cobra.Command, []string) {},
		Long: "Run one thing.\n\n  a  table\n  b  stays", Example: "  tool run x\n  tool run --fast y",
	}
	sub.Flags().BoolP("fast", "f", false, "run fast")
	sub.Flags().String("mode", "", "the `WORD` of a mode")
	hidden := &cobra.Command{Use: "inner", Hidden: true, Run: sub.Run}
	root.AddCommand(sub, hidden)
	return root
}

const want = `.TH "TOOL-RUN" 1 "" "tool"
.SH NAME
tool\-run \- run one
.SH SYNOPSIS
\fBtool run NAME [flags]\fR
.SH DESCRIPTION
Run one thing.
.PP
.nf
  a  table
  b  stays
.fi
.SH OPTIONS
.TP
\fB\-f\fR, \fB\-\-fast\fR
run fast
.TP
\fB\-\-mode\fR \fIWORD\fR
the WORD of a mode
.SH OPTIONS OF ALL COMMANDS
.TP
\fB\-\-color\fR \fIstring\fR
colours (default auto)
.SH EXAMPLES
.nf
  tool run x
  tool run \-\-fast y
.fi
.SH SEE ALSO
\fBtool\fR(1)
`

func TestManPages(t *testing.T) {
	dir := t.TempDir()
	if err := Write(dir, tree()); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) != 2 {
		t.Errorf("pages %q, %v: want one of the root and one of its visible command", files, err)
	}
	got, err := os.ReadFile(filepath.Join(dir, "tool-run.1"))
	if err != nil || string(got) != want {
		t.Errorf("%v, got\n%s\nwant\n%s", err, got, want)
	}
}

func TestRoffRequestsInTextAreEscaped(t *testing.T) {
	for text, want := range map[string]string{
		".SH x": `\&.SH x`, "'quoted": `\&'quoted`, "a\n.b": "a\n\\&.b", `a\fB`: `a\efB`, "a-b": `a\-b`,
	} {
		if got := escape(text); got != want {
			t.Errorf("escape(%q) = %q, want %q", text, got, want)
		}
	}
}
