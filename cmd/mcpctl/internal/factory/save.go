package factory

import (
	"fmt"
	"io"
	"sync/atomic"

	"github.com/mcpctl/mcpctl/host/homedir"
	"github.com/mcpctl/mcpctl/internal/atomicfile"
)

// Save writes what it reads to a file that only the user can read, and returns the number of
// bytes. The file appears, or is replaced, when all is read. A terminal shows the progress. Call
// cmdline.CheckNewFile before.
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
