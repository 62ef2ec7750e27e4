package stage

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/fixture"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/printer"
)

// testReport is the output of stage test.
type testReport struct {
	Dir      string       `json:"folder"`
	Role     string       `json:"role"`
	Kind     abi.RoleKind `json:"kind"`
	Language string       `json:"language,omitempty"`
	Module   struct {
		File  string `json:"file"`
		Hash  string `json:"hash"`
		Bytes int    `json:"bytes"`
	} `json:"module"`
	Passed int            `json:"passed"`
	Failed int            `json:"failed"`
	Tests  []fixture.Test `json:"tests"`

	Build time.Duration `json:"buildNs"` // 0 if the module was there
	Load  time.Duration `json:"loadNs"`
	Run   time.Duration `json:"runNs"`
}

func (r *testReport) print(opts *TestOptions) error {
	switch opts.Output {
	case "json":
		return printer.JSON(opts.F.IO.Out, r)
	case "yaml":
		return printer.YAML(opts.F.IO.Out, r)
	case "junit":
		return r.junit(opts.F.IO.Out)
	}
	r.table(opts.F.IO)
	return nil
}

// table prints one line for each test, and the differences below it.
func (r *testReport) table(io *iostreams.Streams) {
	faults := fixture.Printer{IO: io, Most: mostDiff}
	width := 0
	for _, t := range r.Tests {
		width = max(width, len(t.Name))
	}
	for _, t := range r.Tests {
		word := "ok  "
		switch {
		case t.Failed():
			word = io.Paint(iostreams.Yellow, "FAIL")
		case t.Updated:
			word = io.Paint(iostreams.Cyan, "new ")
		}
		fmt.Fprintf(io.Out, "%s  %-*s  %s\n", word, width, iostreams.Line(t.Name), split(t.Took))
		faults.Faults(t)
		for _, w := range t.Warnings {
			fmt.Fprintf(io.ErrOut, "warning: %s: %s\n", iostreams.Line(t.Name), iostreams.Line(w))
		}
	}
	fmt.Fprintf(io.ErrOut, "%s of %s, %d failed; build %s, load %s, run %s\n", printer.Plural(len(r.Tests), "test"), r.Role, r.Failed, split(r.Build), split(r.Load), split(r.Run))
}

// mostDiff is how many lines of a difference are shown; -o json has all.
const mostDiff = 100

// split is a part of a time, in the unit that reads best.
func split(d time.Duration) string {
	if d < time.Second {
		return fmt.Sprintf("%.1fms", float64(d)/float64(time.Millisecond))
	}
	return fmt.Sprintf("%.2fs", d.Seconds())
}

// The part of JUnit's format that CI systems read.
type (
	junitSuites struct {
		XMLName xml.Name   `xml:"testsuites"`
		Suite   junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Time     string      `xml:"time,attr"`
		Cases    []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Class   string        `xml:"classname,attr"`
		Name    string        `xml:"name,attr"`
		File    string        `xml:"file,attr"`
		Time    string        `xml:"time,attr"`
		Failure *junitFailure `xml:"failure"`
		Output  string        `xml:"system-err,omitempty"`
	}
	junitFailure struct {
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
)

func (r *testReport) junit(w io.Writer) error {
	suite := junitSuite{Name: r.Role, Tests: len(r.Tests), Failures: r.Failed, Time: seconds(r.Run)}
	for _, t := range r.Tests {
		c := junitCase{Class: r.Role, Name: t.Name, File: t.File, Time: seconds(t.Took), Output: strings.Join(t.Warnings, "\n")}
		if t.Failed() {
			c.Failure = &junitFailure{Message: t.Faults[0].Text}
			for _, f := range t.Faults {
				c.Failure.Text += strings.TrimPrefix(f.Law+": ", ": ") + f.Text + "\n" + strings.TrimPrefix(f.Help+"\n", "\n") + f.Diff
			}
		}
		suite.Cases = append(suite.Cases, c)
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(junitSuites{Suite: suite}); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.3f", d.Seconds()) }
