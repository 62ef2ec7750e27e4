package dev

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/fixture"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/printer"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/textdiff"
	"github.com/mcpctl/mcpctl/host/lab"
)

// round is the result of one save.
type round struct {
	At       time.Time        `json:"at,omitzero"`
	Role     string           `json:"role,omitempty"`
	Bytes    int              `json:"moduleBytes,omitempty"`
	Build    time.Duration    `json:"buildNs"` // 0 if no source had changed
	Admit    time.Duration    `json:"admitNs"` // check, compile, start once
	Run      time.Duration    `json:"runNs"`
	Serving  bool             `json:"serving"`        // a version lies in the home
	Held     string           `json:"held,omitempty"` // why the daemon does not load it
	Tests    []fixture.Test   `json:"tests,omitempty"`
	Contents []change         `json:"contents,omitempty"`
	Removed  []string         `json:"removed,omitempty"` // names that the role had before, gone from the home
	Problem  *problem.Problem `json:"problem,omitempty"` // without a role: nothing was installed
}

// change is the result for one content.
type change struct {
	Content  string      `json:"content"` // fixture NAME, sample NAME, or event ID SOURCE (REF)
	Outcome  lab.Outcome `json:"outcome"`
	Reason   string      `json:"reason,omitempty"`       // why it failed
	Effect   string      `json:"effect,omitempty"`       // how a daemon handles the failure
	Original int         `json:"originalTokens"`         // est.
	Tokens   int         `json:"tokens"`                 // estimate for the text that a client would read
	Before   *int        `json:"beforeTokens,omitempty"` // by the build before
	Diff     string      `json:"diff,omitempty"`         // to the build before

	test string // name of the test that has this input; empty for live traffic
}

func (r *round) failed() (n int) {
	for _, t := range r.Tests {
		if t.Failed() {
			n++
		}
	}
	return n
}

// err returns the error that determines the exit status after one round.
func (r *round) err(opts *Options) error {
	if n := r.failed(); n > 0 && opts.Once {
		return problem.New(abi.ErrConfig, "%d of %d tests of %s failed", n, len(r.Tests), opts.Path).WithHint("mcpctl stage test %s", problem.Arg(opts.Path))
	}
	return nil
}

func (w *watch) print(r *round) error {
	io := w.opts.F.IO
	if w.opts.Output == "json" {
		line, err := json.Marshal(r)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(io.Out, "%s\n", line)
		return err
	}
	for _, name := range r.Removed {
		fmt.Fprintf(io.ErrOut, "the role is called %s now: %s is gone from the home; a proxymodel that names it needs the new name\n", r.Role, name)
	}
	faults := fixture.Printer{IO: io, Most: mostLines}
	for _, t := range r.Tests {
		printTest(&faults, t)
	}
	for _, c := range r.Contents {
		printChange(io, c, r.Tests)
	}
	fmt.Fprintf(io.Out, "%s  %s: %s, %d failed; build %s, admit %s, run %s", r.At.Format(time.TimeOnly), r.Role, printer.Plural(len(r.Tests), "test"), r.failed(),
		took(r.Build), took(r.Admit), took(r.Run))
	if r.Bytes > 0 {
		fmt.Fprintf(io.Out, "; %s", printer.Size(int64(r.Bytes)))
	}
	fmt.Fprintln(io.Out)
	if w.opts.Once {
		fmt.Fprintf(io.ErrOut, "installed %s\n", iostreams.Line(w.installed()))
	}
	w.opts.F.WarnHeld(r.Role, r.Held)
	return nil
}

// printTest prints a test that failed; tests that pass are only counted.
func printTest(faults *fixture.Printer, t fixture.Test) {
	if !t.Failed() {
		return
	}
	fmt.Fprintf(faults.IO.Out, "%s  %s\n", faults.IO.Paint(iostreams.Yellow, "FAIL"), iostreams.Line(t.Name))
	faults.Faults(t)
}

// printChange prints a result that differs from that of the previous build, and each
// result of the project. Failed tests are left out: they print their own difference.
func printChange(io *iostreams.Streams, c change, tests []fixture.Test) {
	if c.test != "" && c.Diff == "" {
		return
	}
	if c.Outcome == lab.Fail {
		fmt.Fprintf(io.Out, "%s: fail, %s; %s tokens (est.)\n      %s\n", iostreams.Line(c.Content), c.Effect, printer.Count(c.Original), iostreams.Line(c.Reason))
		return
	}
	fmt.Fprintf(io.Out, "%s: %s, %s -> %s tokens (est.)", iostreams.Line(c.Content), c.Outcome, printer.Count(c.Original), printer.Count(c.Tokens))
	switch {
	case c.Before == nil:
	case *c.Before == c.Tokens && c.Diff == "":
		fmt.Fprint(io.Out, ", unchanged")
	default:
		fmt.Fprintf(io.Out, ", %+d to the build before", c.Tokens-*c.Before)
	}
	fmt.Fprintln(io.Out)
	if !slices.ContainsFunc(tests, func(t fixture.Test) bool { return t.Name == c.test && t.Failed() }) {
		textdiff.Print(io, c.Diff, indent, mostLines)
	}
}

// mostLines of a diff are shown: more is read with stage run.
const (
	mostLines = 40
	indent    = "        "
)

func took(d time.Duration) string {
	if d == 0 {
		return "none"
	}
	return fmt.Sprintf("%.2fs", d.Seconds())
}
