// Package iostreams is where a command reads and writes: results go to Out,
// everything said about the work to ErrOut. Commands never touch os.Stdout.
package iostreams

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"golang.org/x/term"

	"github.com/mcpctl/mcpctl/abi"
)

// Streams are the three streams of a command and what is known of them.
type Streams struct {
	In     io.Reader
	Out    io.Writer
	ErrOut io.Writer

	// InTerminal: a person may be asked. OutTerminal: a person reads the result. ErrTerminal: a person waits for what is said
	// there. OutColor: colour is wanted.
	InTerminal  bool
	OutTerminal bool
	OutWidth    int // characters of a line of Out: COLUMNS, or that of the terminal; 0: no limit
	ErrTerminal bool
	OutColor    bool
}

// System returns the streams of this process. Colour is on for terminals only;
// NO_COLOR, CLICOLOR=0 and CLICOLOR_FORCE=1 in env decide otherwise.
func System(env func(string) string) *Streams {
	out := int(os.Stdout.Fd())
	s := &Streams{
		In: os.Stdin, Out: os.Stdout, ErrOut: os.Stderr,
		InTerminal:  term.IsTerminal(int(os.Stdin.Fd())),
		OutTerminal: term.IsTerminal(out),
		ErrTerminal: term.IsTerminal(int(os.Stderr.Fd())),
	}
	s.OutColor = wantColor(env, s.OutTerminal)
	terminal, _, err := term.GetSize(out)
	if err != nil {
		terminal = 0
	}
	s.OutWidth = outWidth(env("COLUMNS"), terminal)
	return s
}

// minWidth is the narrowest output that tables and pages are fitted to.
const minWidth = 40

// outWidth is the value of COLUMNS, or the width of the terminal, 0 for neither.
func outWidth(columns string, terminal int) int {
	width := terminal
	if n, err := strconv.Atoi(columns); err == nil && n > 0 {
		width = n
	}
	if width <= 0 {
		return 0
	}
	return max(width, minWidth)
}

// Test returns streams over buffers: in, out, errOut.
func Test() (s *Streams, in, out, errOut *bytes.Buffer) {
	in, out, errOut = &bytes.Buffer{}, &bytes.Buffer{}, &bytes.Buffer{}
	return &Streams{In: in, Out: out, ErrOut: errOut}, in, out, errOut
}

func wantColor(env func(string) string, terminal bool) bool {
	switch {
	case env("NO_COLOR") != "":
		return false
	case env("CLICOLOR_FORCE") != "" && env("CLICOLOR_FORCE") != "0":
		return true
	case env("CLICOLOR") == "0", env("TERM") == "dumb":
		return false
	}
	return terminal
}

// When says when colours are wanted: auto, always or never.
var When = []string{"auto", "always", "never"}

// SetColour overrules the environment, as somebody wants who types --color; auto
// changes nothing.
//
// Errors: abi.ErrConfig for a word that is not one of When.
func (s *Streams) SetColour(when string) error {
	switch when {
	case "auto":
	case "always":
		s.OutColor = true
	case "never":
		s.OutColor = false
	default:
		return fmt.Errorf("%w: --color %q, want %s", abi.ErrConfig, when, strings.Join(When, ", "))
	}
	return nil
}

// Colour is one of the few colours and weights in use; never the only carrier of a meaning.
type Colour string

// The colours and weights in use.
const (
	Red    Colour = "31"
	Green  Colour = "32"
	Yellow Colour = "33"
	Cyan   Colour = "36"
	Bold   Colour = "1"
	Dim    Colour = "2"
)

// Paint colours text for Out if colour is wanted there.
func (s *Streams) Paint(c Colour, text string) string {
	if !s.OutColor {
		return text
	}
	return "\x1b[" + string(c) + "m" + text + "\x1b[0m"
}
