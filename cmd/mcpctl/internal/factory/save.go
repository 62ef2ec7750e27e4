package factory

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync/atomic"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/host/homedir"
	"github.com/mcpctl/mcpctl/internal/atomicfile"
)

// CheckNewFile returns an error for a file that Save does not write: one that exists, unless
// force is set, and one that is not regular.
//
// Errors: abi.ErrConflict.
func CheckNewFile(file string, force bool) error {
	info, err := os.Stat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		p := problem.New(abi.ErrConflict, "%s exists and is not a regular file", file)
		p.Cause = "only a regular file is replaced"
		return p.WithHint("ls -ld %s", problem.Arg(file))
	case !force:
		p := problem.New(abi.ErrConflict, "%s exists", file)
		p.Cause = "a file is replaced only with --force"
		return p.WithHint("ls -l %s", problem.Arg(file))
	}
	return nil
}

// Save writes what it reads to a file that only the user can read, and returns the number of
// bytes. The file appears, or is replaced, when all is read. A terminal shows the progress. Call
// CheckNewFile before.
//
// Errors: those of r; *fs.PathError.
func (f *Factory) Save(file string, r io.Reader) (int64, error) {
	target, err := atomicfile.Resolve(file)
	if err != nil {
		return 0, err
	}
	out, err := atomicfile.Create(target, homedir.FileMode)
	if err != nil {
		return 0, err
	}
	defer out.Close()
	counted, done := f.Counted(r, "writing "+file)
	defer done()
	n, err := io.Copy(out, counted)
	if err != nil {
		return 0, err
	}
	return n, out.Commit()
}

// Counted returns a reader that shows on a terminal how much of r was read, until done is
// called.
func (f *Factory) Counted(r io.Reader, text string) (counted io.Reader, done func()) {
	c := &counter{r: r}
	return c, f.IO.ProgressOf(func() string { return fmt.Sprintf("%s, %.1f MB", text, float64(c.n.Load())/1e6) })
}

// counter counts the bytes that are read.
type counter struct {
	r io.Reader
	n atomic.Int64
}

// Read implements io.Reader.
func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n.Add(int64(n))
	return n, err
}
