package factory

import (
	"fmt"
	"io"

	"github.com/mcpctl/mcpctl/abi"
)

// maxInput bounds what is read from standard input: the frame cap of content.
const maxInput = 32 << 20

func readAll(r io.Reader) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(r, maxInput+1))
	if err == nil && len(b) > maxInput {
		err = fmt.Errorf("%w: over %d MiB", abi.ErrLimit, maxInput>>20)
	}
	return b, err
}
