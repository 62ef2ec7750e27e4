package iostreams

import (
	"context"
	"io"
	"os"
)

// maxRead is the maximum number of bytes of one Read.
const maxRead = 64 << 10

// until is a reader that stops when its context ends.
type until struct {
	ctx  context.Context
	from io.Reader
	buf  []byte // used by the pending read, which may outlive the call of Read
	done chan outcome
}

type outcome struct {
	n   int
	err error
}

// Until returns a reader that reads from r until ctx ends. A pending Read then returns the
// cause of ctx, as do all later ones. Nothing is read ahead. The reader is not safe for
// concurrent use.
func Until(ctx context.Context, r io.Reader) io.Reader {
	return &until{ctx: ctx, from: r, done: make(chan outcome, 1)}
}

// Read implements io.Reader. The system call cannot be interrupted, so it runs in a
// goroutine and reads into a separate buffer.
func (u *until) Read(p []byte) (int, error) {
	if u.ctx.Err() != nil {
		return 0, context.Cause(u.ctx)
	}
	want := min(len(p), maxRead)
	if cap(u.buf) < want {
		u.buf = make([]byte, want)
	}
	buf := u.buf[:want]
	go func() {
		n, err := u.from.Read(buf)
		u.done <- outcome{n, err}
	}()
	select {
	case got := <-u.done:
		return copy(p, buf[:got.n]), got.err
	case <-u.ctx.Done():
		return 0, context.Cause(u.ctx)
	}
}

// Inherited returns the standard input for child processes: the file itself, so that a
// child inherits the terminal instead of a pipe.
func (s *Streams) Inherited() io.Reader {
	if u, ok := s.In.(*until); ok {
		if file, ok := u.from.(*os.File); ok {
			return file
		}
	}
	return s.In
}
