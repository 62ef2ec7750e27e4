package iostreams

import (
	"fmt"
	"io"
	"os"

	"golang.org/x/term"
)

// maxSecretInput bounds what ReadSecret reads, in bytes; it is more than any value may
// have, so that a longer one is noticed.
const maxSecretInput = 128 << 10

// ReadSecret reads a value from In: a line that the terminal does not show, or all of
// it if In is no terminal.
func (s *Streams) ReadSecret() ([]byte, error) {
	if !s.InTerminal {
		return io.ReadAll(io.LimitReader(s.In, maxSecretInput))
	}
	b, err := term.ReadPassword(int(os.Stdin.Fd()))
	fmt.Fprintln(s.ErrOut)
	return b, err
}
