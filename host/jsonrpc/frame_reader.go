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

// FrameTooLongError reports a skipped frame. ID and Method are recovered from its first
// and last bytes, and are zero if that fails. An ID without a Method is that of an answer.
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
	keptBytes = 1 << 20  // largest capacity of other buffers that is kept between frames
)

// FrameReader reads newline frames, the format of stdio servers and clients. It is not
// safe for concurrent use.
type FrameReader struct {
	r     *bufio.Reader
	limit int
	long  []byte // collects a line that is longer than r's buffer
}

// NewFrameReader returns a reader of frames of at most limit bytes. A limit of 0 means
// 32 MiB.
func NewFrameReader(r io.Reader, limit int) *FrameReader {
	return &FrameReader{r: bufio.NewReaderSize(r, readBytes), limit: Limits{FrameBytes: limit}.frameBytes()}
}

// Reset makes f read from r with the same limit, reusing its buffers.
func (f *FrameReader) Reset(r io.Reader) { f.r.Reset(r) }

// Next returns the next frame without its line end. It skips empty lines. A last line
// without a newline is a frame too. The caller owns the returned bytes.
//
// Memory: at most about twice the limit, for lines of any length.
// Errors: *FrameTooLongError for a skipped frame, after which Next continues with the next
// one; io.EOF at the end; otherwise the error of the reader.
func (f *FrameReader) Next() ([]byte, error) {
	for {
		if frame, err := f.Line(); len(frame) > 0 || err != nil {
			return frame, err
		}
	}
}

// Line is Next, but also returns empty lines, which end an event in a stream of
// server-sent events. A skipped line there begins with "data:".
func (f *FrameReader) Line() ([]byte, error) {
	line, err := f.readLine()
	if err != nil {
		return nil, err
	}
	text := bytes.TrimRight(bytes.TrimSuffix(line, []byte("\n")), "\r")
	if len(line) > keptBytes { // line is f.long: give it to the caller instead of a copy
		f.long = nil
		return text, nil
	}
	return slices.Clone(text), nil
}

// readLine returns the next line with its newline, in memory that the next call overwrites.
func (f *FrameReader) readLine() ([]byte, error) {
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
			return nil, f.skipLine(part, err)
		}
		f.long = append(f.grow(len(part)), part...)
		switch {
		case err == nil, err == io.EOF && len(f.long) > 0:
			return f.long, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		}
		part, err = f.r.ReadSlice('\n')
	}
}

// grow returns f.long with capacity for n more bytes. The capacity doubles up to the
// limit: append alone would allocate five times as much.
func (f *FrameReader) grow(n int) []byte {
	if len(f.long)+n <= cap(f.long) {
		return f.long
	}
	more := make([]byte, len(f.long), max(len(f.long)+n, min(2*cap(f.long), f.limit+1)))
	copy(more, f.long)
	return more
}

// skipLine reads to the end of a line that is too long and keeps its head and tail. f.long and
// part are the bytes that were already read.
func (f *FrameReader) skipLine(part []byte, err error) error {
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
