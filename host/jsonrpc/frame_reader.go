package jsonrpc

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
)

// ErrFrameTooLong is the kind of FrameTooLongError.
var ErrFrameTooLong = errors.New("frame too long")

// FrameTooLongError tells about a frame that was skipped. ID and Method are what
// its first and last bytes gave away, zero if nothing: an ID without a Method is
// an answer that somebody waits for.
type FrameTooLongError struct {
	Bytes  int64 // without the newline
	Limit  int
	ID     ID
	Method string
}

func (e *FrameTooLongError) Error() string {
	return fmt.Sprintf("frame of %d bytes, limit %d", e.Bytes, e.Limit)
}

// Unwrap makes the error an ErrFrameTooLong.
func (e *FrameTooLongError) Unwrap() error { return ErrFrameTooLong }

const (
	readBytes = 32 << 10 // buffer of a FrameReader
	keptBytes = 1 << 20  // how much of other buffers is kept between two frames
)

// FrameReader reads newline frames, as stdio servers and clients send them.
// Not safe for concurrent use.
type FrameReader struct {
	r     *bufio.Reader
	limit int
	long  []byte // where a line is put together that is longer than r's buffer
}

// NewFrameReader reads frames of at most limit bytes from r; 0 stands for 32 MiB.
func NewFrameReader(r io.Reader, limit int) *FrameReader {
	return &FrameReader{r: bufio.NewReaderSize(r, readBytes), limit: Limits{FrameBytes: limit}.frameBytes()}
}

// Reset makes f read from r, with the limit it has: its buffers are used again.
func (f *FrameReader) Reset(r io.Reader) { f.r.Reset(r) }

// Next returns the next frame without its line end; empty lines are passed over.
// The caller owns the bytes. A last line without a newline is a frame too.
//
// Memory: at most about twice the limit, however long a line is.
// Errors: *FrameTooLongError for a frame that was skipped, after which Next goes
// on with the one behind it; io.EOF at the end; else what the reader returned.
func (f *FrameReader) Next() ([]byte, error) {
	for {
		if frame, err := f.Line(); len(frame) > 0 || err != nil {
			return frame, err
		}
	}
}

// Line is Next, but returns empty lines too: they have a meaning in streams of
// server-sent events. What is skipped there begins with "data:".
func (f *FrameReader) Line() ([]byte, error) {
	line, err := f.line()
	if err != nil {
		return nil, err
	}
	text := bytes.TrimRight(bytes.TrimSuffix(line, []byte("\n")), "\r")
	if len(line) > keptBytes { // f.long, which would not be kept
		f.long = nil
		return text, nil
	}
	return slices.Clone(text), nil
}

// line returns the next line, its newline included, in memory that the next call
// uses again.
func (f *FrameReader) line() ([]byte, error) {
	part, err := f.r.ReadSlice('\n')
	if err == nil && len(part) <= f.limit+1 {
		return part, nil
	}
	if cap(f.long) > keptBytes {
		f.long = nil
	}
	f.long = f.long[:0]
	for {
		if len(f.long)+len(part) > f.limit+1 {
			return nil, f.skip(part, err)
		}
		f.long = append(f.room(len(part)), part...)
		switch {
		case err == nil, err == io.EOF && len(f.long) > 0:
			return f.long, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		}
		part, err = f.r.ReadSlice('\n')
	}
}

// room is f.long with room for n bytes more. It doubles and stops at the limit:
// what append does by itself leaves five times as much for the garbage collector.
func (f *FrameReader) room(n int) []byte {
	if len(f.long)+n <= cap(f.long) {
		return f.long
	}
	more := make([]byte, len(f.long), max(len(f.long)+n, min(2*cap(f.long), f.limit+1)))
	copy(more, f.long)
	return more
}

// skip reads to the end of a line that is too long, keeping its head and tail.
// f.long and part are what was read of it.
func (f *FrameReader) skip(part []byte, err error) error {
	n := int64(len(f.long))
	head := slices.Concat(f.long[:min(len(f.long), headBytes)], part[:min(len(part), headBytes)])
	tail := make([]byte, 0, 2*tailBytes)
	f.long = nil
	for {
		n += int64(len(part))
		tail = append(tail, part[max(0, len(part)-tailBytes):]...)
		tail = tail[:copy(tail, tail[max(0, len(tail)-tailBytes):])]
		if !errors.Is(err, bufio.ErrBufferFull) {
			break
		}
		part, err = f.r.ReadSlice('\n')
	}
	if err != nil && err != io.EOF {
		return err
	}
	if err == nil {
		n--
	}
	id, method := salvage(head[:min(len(head), headBytes)], tail)
	return &FrameTooLongError{Bytes: n, Limit: f.limit, ID: id, Method: method}
}
