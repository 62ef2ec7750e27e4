package iostreams

import (
	"fmt"
	"io"
	"os"

	"golang.org/x/term"
)

// maxSecretInput is the maximum number of bytes that ReadSecret reads. It is larger than
// the limit of a value, so that longer values are detected.
const maxSecretInput = 128 << 10

// ReadSecret reads a value from In. On a terminal it reads one line without echo, otherwise
// it reads to the end.
func (s *Streams) ReadSecret() ([]byte, error) {
	if !s.InTerminal {
		return io.ReadAll(io.LimitReader(s.In, maxSecretInput))
	}
	b, err := term.ReadPassword(int(os.Stdin.Fd()))
	fmt.Fprintln(s.ErrOut)
	return b, err
}
