// Package iostreams is where a command reads and writes: results go to Out,
// everything said about the work to ErrOut. Commands never touch os.Stdout.
package iostreams

import (
	"bytes"
	"io"
	"os"

	"golang.org/x/term"
)

// Streams are the three streams of a command and what is known of them.
type Streams struct {
	In     io.Reader
	Out    io.Writer
	ErrOut io.Writer

	// InTerminal: a person may be asked. ErrTerminal: a person waits for what is
	// said there. OutColor: colour is wanted.
	InTerminal  bool
	ErrTerminal bool
	OutColor    bool
}

// System returns the streams of this process. Colour is on for terminals only;
// NO_COLOR, CLICOLOR=0 and CLICOLOR_FORCE=1 in env decide otherwise.
func System(env func(string) string) *Streams {
	return &Streams{
		In: os.Stdin, Out: os.Stdout, ErrOut: os.Stderr,
		InTerminal:  term.IsTerminal(int(os.Stdin.Fd())),
		ErrTerminal: term.IsTerminal(int(os.Stderr.Fd())),
		OutColor:    wantColor(env, term.IsTerminal(int(os.Stdout.Fd()))),
	}
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

// Colour is one of the few colours in use; never the only carrier of a meaning.
type Colour string

// The colours in use.
const (
	Green  Colour = "32"
	Yellow Colour = "33"
)

// Paint colours s for Out if colour is wanted there.
func (s *Streams) Paint(c Colour, text string) string {
	if !s.OutColor {
		return text
	}
	return "\x1b[" + string(c) + "m" + text + "\x1b[0m"
}
