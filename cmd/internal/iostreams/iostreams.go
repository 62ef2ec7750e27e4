// Package iostreams provides the input and output of a command: results go to Out, messages
// to ErrOut. Commands never use os.Stdout.
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

// Streams are the three streams of a command and their properties.
type Streams struct {
	In     io.Reader
	Out    io.Writer
	ErrOut io.Writer

	InTerminal  bool // the user can be prompted
	OutTerminal bool // a user reads the result
	OutWidth    int  // line width of Out in characters, from COLUMNS or the terminal; 0: no limit
	ErrTerminal bool // a user reads progress messages
	OutColor    bool // Out is coloured
}

// System returns the streams of this process. Colour is on for terminals, unless NO_COLOR,
// CLICOLOR=0 or CLICOLOR_FORCE=1 in env overrides this.
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

// minWidth is the minimum width of tables and pages.
const minWidth = 40

// outWidth returns the value of COLUMNS, or the width of the terminal, or 0.
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

// Test returns streams that use the returned buffers.
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

// ColourModes are the values of --color.
var ColourModes = []string{"auto", "always", "never"}

// SetColour applies a value of --color, which overrides the environment. auto changes
// nothing.
//
// It returns abi.ErrConfig for a value that is not in ColourModes.
func (s *Streams) SetColour(when string) error {
	switch when {
	case "auto":
	case "always":
		s.OutColor = true
	case "never":
		s.OutColor = false
	default:
		return fmt.Errorf("%w: --color %q, want %s", abi.ErrConfig, when, strings.Join(ColourModes, ", "))
	}
	return nil
}

// Colour is a colour or weight. Output never conveys information by colour alone.
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

// Paint colours text if OutColor is set.
func (s *Streams) Paint(c Colour, text string) string {
	if !s.OutColor {
		return text
	}
	return "\x1b[" + string(c) + "m" + text + "\x1b[0m"
}
