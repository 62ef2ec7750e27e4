package iostreams

import (
	"os"
	"sync"

	"golang.org/x/term"
)

// Keys returns the bytes that are typed, without waiting for a line and without echo, until
// restore is called. Ctrl-C is a byte too, and Out needs "\r\n" to begin a line. If the
// input is no terminal, keys is nil.
//
// The caller must call restore, and may call it twice.
func (s *Streams) Keys() (keys <-chan byte, restore func(), err error) {
	if !s.InTerminal {
		return nil, func() {}, nil
	}
	fd := int(os.Stdin.Fd())
	old, err := term.MakeRaw(fd)
	if err != nil {
		return nil, nil, err
	}
	typed, done := make(chan byte), make(chan struct{})
	go func() {
		defer close(typed)
		b := make([]byte, 1)
		for { // ends with the process: a read of a terminal cannot be interrupted
			if n, err := os.Stdin.Read(b); err != nil || n == 0 {
				return
			}
			select {
			case typed <- b[0]:
			case <-done:
				return
			}
		}
	}()
	return typed, sync.OnceFunc(func() {
		close(done)
		_ = term.Restore(fd, old)
	}), nil
}

// Size returns the present size of the terminal that Out writes to, 0 if it has none.
func (s *Streams) Size() (width, height int) {
	width, height, err := term.GetSize(int(os.Stdout.Fd()))
	if err != nil || !s.OutTerminal {
		return s.OutWidth, 0
	}
	return width, height
}
