package iostreams

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"testing"
)

// TestUntilEndsAReadThatWaits: who presses Ctrl-C while a command waits for input
// gets the prompt back.
func TestUntilEndsAReadThatWaits(t *testing.T) {
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
	for range 2 { // the one that waits, and the next
		if n, err := in.Read(make([]byte, 10)); n != 0 || !errors.Is(err, stop) {
			t.Fatalf("read %d, %v, want 0, stop", n, err)
		}
	}
}

// waiting says when its first Read has begun.
type waiting struct {
	from  io.Reader
	begun chan struct{}
}

func (w *waiting) Read(p []byte) (int, error) {
	close(w.begun)
	return w.from.Read(p)
}

// TestUntilReadsTheSameBytes: what comes through is what stands there, in reads
// larger and smaller than its own.
func TestUntilReadsTheSameBytes(t *testing.T) {
	want := bytes.Repeat([]byte("0123456789abcde\n"), 20_000)
	for _, size := range []int{1 << 20, 64 << 10, 4096, 7} {
		var got bytes.Buffer
		if _, err := io.CopyBuffer(struct{ io.Writer }{&got}, Until(t.Context(), bytes.NewReader(want)), make([]byte, size)); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got.Bytes(), want) {
			t.Errorf("in reads of %d bytes: %d bytes came, want %d, the same", size, got.Len(), len(want))
		}
	}
}

// TestInheritedIsTheTerminalItself: an editor gets the file, for it asks it for the
// size of the screen.
func TestInheritedIsTheTerminalItself(t *testing.T) {
	s := &Streams{In: Until(t.Context(), os.Stdin)}
	if s.Inherited() != io.Reader(os.Stdin) {
		t.Error("a program that is started would get a pipe")
	}
	var typed bytes.Buffer
	if s.In = &typed; s.Inherited() != io.Reader(&typed) {
		t.Error("what a test types is lost")
	}
}
