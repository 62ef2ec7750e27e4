package jsonrpc

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"testing/iotest"
)

// A body up to the limit is read, a longer one is refused, with and without a declared
// length. No buffer exceeds the limit.
func TestReadBody(t *testing.T) {
	const limit = 5 << 20
	whole := bytes.Repeat([]byte("0123456789abcdef"), limit/16+1)
	for _, tc := range []struct {
		rule     string
		size     int
		declared bool
		tooLong  int64 // -1: not too long
	}{
		{"empty", 0, false, -1},
		{"empty, with Content-Length", 0, true, -1},
		{"small", 1000, false, -1},
		{"small, with Content-Length", 1000, true, -1},
		{"more than is kept", 3 << 20, false, -1},
		{"larger than the buffer, with Content-Length", 3 << 20, true, -1},
		{"as long as it may be", limit, false, -1},
		{"at the limit, with Content-Length", limit, true, -1},
		{"one byte longer", limit + 1, false, 0},
		{"one byte over the limit, with Content-Length", limit + 1, true, limit + 1},
	} {
		declared := int64(-1)
		if tc.declared {
			declared = int64(tc.size)
		}
		body, err := ReadBody(bytes.NewReader(whole[:tc.size]), declared, limit)
		var long *FrameTooLongError
		switch {
		case tc.tooLong >= 0:
			if !errors.As(err, &long) || long.Bytes != tc.tooLong || long.Limit != limit {
				t.Errorf("%s: %v", tc.rule, err)
			}
		case err != nil || !bytes.Equal(body, whole[:tc.size]):
			t.Errorf("%s: %d bytes, %v", tc.rule, len(body), err)
		case cap(body) > limit+1<<16:
			t.Errorf("%s: a buffer of %d bytes for %d, limit %d", tc.rule, cap(body), len(body), limit)
		}
	}
}

// The caller owns the bytes, although small bodies are read into shared buffers.
func TestReadBodyIsTheCallersOwn(t *testing.T) {
	first, _ := ReadBody(bytes.NewReader([]byte("first")), -1, 0)
	if _, err := ReadBody(bytes.NewReader([]byte("other")), -1, 0); err != nil || string(first) != "first" {
		t.Errorf("became %q, %v", first, err)
	}
}

func TestReadBodyThatBreaks(t *testing.T) {
	broken := errors.New("broken")
	for _, declared := range []int64{10, 2 << 20} {
		if body, err := ReadBody(bytes.NewReader([]byte("abc")), declared, 0); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%d told, 3 come: %q, %v", declared, body, err)
		}
	}
	for _, declared := range []int64{-1, 10, 2 << 20} {
		r := io.MultiReader(bytes.NewReader([]byte("abc")), iotest.ErrReader(broken))
		if body, err := ReadBody(r, declared, 0); !errors.Is(err, broken) {
			t.Errorf("%d told: %q, %v", declared, body, err)
		}
	}
}
