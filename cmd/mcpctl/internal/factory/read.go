package factory

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
)

// Maximum input sizes in MiB: for a file the maximum of limits.frame, for a stream such as a pipe
// the
// default of limits.frame.
const (
	maxFile   = 256
	maxStream = 32
)

// readFile reads a file up to its limit. A device or a named pipe is treated as a stream: /dev/zero
// has
// no end.
func readFile(name string) ([]byte, error) {
	file, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: %w", abi.ErrNotFound, err)
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	switch {
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, &fs.PathError{Op: "read", Path: name, Err: syscall.EISDIR}
	case !info.Mode().IsRegular():
		return readAll(file, name)
	case info.Size() > maxFile<<20:
		return nil, tooLarge(name, maxFile)
	}
	b := make([]byte, 0, info.Size()+1) // one more byte, so that EOF is reached without growing
	return readInto(b, file, name, maxFile)
}

// readAll reads a stream up to its limit. shown is its name in messages.
func readAll(r io.Reader, shown string) ([]byte, error) {
	return readInto(nil, r, shown, maxStream)
}

func readInto(b []byte, r io.Reader, shown string, limit int) ([]byte, error) {
	for {
		if len(b) == cap(b) {
			b = append(b, 0)[:len(b)]
		}
		n, err := r.Read(b[len(b):cap(b)])
		b = b[:len(b)+n]
		switch {
		case len(b) > limit<<20:
			return nil, tooLarge(shown, limit)
		case err == io.EOF:
			return b, nil
		case err != nil:
			return nil, fmt.Errorf("%s: %w", shown, err)
		}
	}
}

func tooLarge(shown string, limit int) error {
	p := problem.New(abi.ErrLimit, "%s has more than %d MiB", shown, limit)
	p.Cause = "answers of servers are limited too, by limits.frame"
	return p.WithHint("mcpctl config view --origin")
}
