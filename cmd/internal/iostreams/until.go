package iostreams

import (
	"context"
	"io"
	"os"
)

// maxRead is how much one Read through Until takes at most.
const maxRead = 64 << 10

// until is a reader that gives up when its context ends.
type until struct {
	ctx  context.Context
	from io.Reader
	buf  []byte // of the read under way, which may outlive the Read that began it
	done chan outcome
}

type outcome struct {
	n   int
	err error
}

// Until reads from r until ctx ends: a Read that waits then, for a person or for a
// pipe, returns the cause, and so do all after it. Nothing is read ahead. It is for
// one reader at a time.
func Until(ctx context.Context, r io.Reader) io.Reader {
	return &until{ctx: ctx, from: r, done: make(chan outcome, 1)}
}

// Read implements io.Reader. The system's own read cannot be interrupted, so it runs
// beside, into a buffer that the caller does not see before it has ended.
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

// Inherited is standard input as a program that we start takes it over: the
// terminal itself, not a copy of what is typed into it.
func (s *Streams) Inherited() io.Reader {
	if u, ok := s.In.(*until); ok {
		if file, ok := u.from.(*os.File); ok {
			return file
		}
	}
	return s.In
}
