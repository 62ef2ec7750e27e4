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

// FrameReader reads newline frames, as stdio servers and clients send them.
// Not safe for concurrent use.
type FrameReader struct {
	r     *bufio.Reader
	limit int
}

// NewFrameReader reads frames of at most limit bytes from r; 0 stands for 32 MiB.
func NewFrameReader(r io.Reader, limit int) *FrameReader {
	return &FrameReader{bufio.NewReaderSize(r, 64<<10), Limits{FrameBytes: limit}.frameBytes()}
}

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
	return bytes.TrimRight(line, "\r"), err
}

func (f *FrameReader) line() ([]byte, error) {
	var frame []byte
	for {
		part, err := f.r.ReadSlice('\n')
		if len(frame)+len(part) > f.limit+1 {
			return nil, f.skip(frame, part, err)
		}
		frame = append(frame, part...)
		switch {
		case err == nil:
			return frame[:len(frame)-1], nil
		case err == io.EOF && len(frame) > 0:
			return frame, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		}
	}
}

// skip reads to the end of a line that is too long, keeping its head and tail.
func (f *FrameReader) skip(frame, part []byte, err error) error {
	n := int64(len(frame))
	head := slices.Concat(frame[:min(len(frame), headBytes)], part[:min(len(part), headBytes)])
	tail := make([]byte, 0, 2*tailBytes)
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
