package iostreams

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"testing"
)

// TestUntilEndsPendingRead verifies that Ctrl-C ends a command that waits for input.
func TestUntilEndsPendingRead(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	stop := errors.New("stop")
	ctx, cancel := context.WithCancelCause(t.Context())
	waits := &waiting{from: r, begun: make(chan struct{})}
	in := Until(ctx, waits)
	go func() {
		<-waits.begun
		cancel(stop)
	}()
	for range 2 { // the pending read and the next one
		if n, err := in.Read(make([]byte, 10)); n != 0 || !errors.Is(err, stop) {
			t.Fatalf("read %d, %v, want 0, stop", n, err)
		}
	}
}

// waiting signals when its first Read has begun.
type waiting struct {
	from  io.Reader
	begun chan struct{}
}

func (w *waiting) Read(p []byte) (int, error) {
	close(w.begun)
	return w.from.Read(p)
}

// TestUntilReadsTheSameBytes verifies that reads larger and smaller than maxRead return the
// same bytes.
func TestUntilReadsTheSameBytes(t *testing.T) {
	want := bytes.Repeat([]byte("0123456789abcde\n"), 20_000)
	for _, size := range []int{1 << 20, 64 << 10, 4096, 7} {
		var got bytes.Buffer
		if _, err := io.CopyBuffer(struct{ io.Writer }{&got}, Until(t.Context(), bytes.NewReader(want)), make([]byte, size)); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got.Bytes(), want) {
			t.Errorf("in reads of %d bytes: got %d bytes, want the same %d", size, got.Len(), len(want))
		}
	}
}

// TestInheritedIsTheTerminalItself verifies that an editor gets the file of the terminal,
// which it needs to query the size of the screen.
func TestInheritedIsTheTerminalItself(t *testing.T) {
	s := &Streams{In: Until(t.Context(), os.Stdin)}
	if s.Inherited() != io.Reader(os.Stdin) {
		t.Error("a child process would get a pipe")
	}
	var typed bytes.Buffer
	if s.In = &typed; s.Inherited() != io.Reader(&typed) {
		t.Error("an input that is not a file was replaced")
	}
}
